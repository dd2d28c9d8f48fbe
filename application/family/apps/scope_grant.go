package apps

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/event"
)

// ScopeParams are the parameters of APP.SCOPE_GRANT and APP.SCOPE_REVOKE.
type ScopeParams struct {
	AppID  app.ID      `json:"app_id" doc:"ID of the app."`
	Scopes []app.Scope `json:"scopes" doc:"Permissions of this service (see PERMISSION.LIST), patterns of them such as apps:*, or scopes of a resource server." jsonschema:"minItems=1,maxItems=200,uniqueItems=true"`
}

// ScopeResult is the result of APP.SCOPE_GRANT and APP.SCOPE_REVOKE.
type ScopeResult struct {
	Scopes []string `json:"scopes" doc:"All scopes granted to the app after the change, sorted."`
}

func (s *Service) scopeGrant() command.Definition {
	return command.Define(command.Spec[ScopeParams, ScopeResult]{
		Name:    "APP.SCOPE_GRANT",
		Summary: "Grant scopes to an app.",
		Description: "You can grant permissions of this service and scopes of a resource server, but nothing that you do not hold yourself. Only superadmins can " +
			"grant permissions that reach across workspaces.",
		Access: access.Holding(write).Recent(),
		Effect: command.Writes,
		Emits:  []event.Kind{app.KindScopesGranted},
		Handle: func(ctx context.Context, call command.Call, p ScopeParams) (ScopeResult, error) {
			scopes := app.Texts(p.Scopes)
			after, err := s.changed(ctx, call.Caller, p.AppID, func(a *app.App) error {
				if err := givable(call.Caller, scopes); err != nil {
					return err
				}
				return a.Grant(scopes, call.Caller.Superadmin, s.Clock.Now())
			})
			return ScopeResult{Scopes: after.Scopes}, err
		},
	})
}

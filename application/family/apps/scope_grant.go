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
	AppID  app.ID      `json:"app_id" doc:"The app."`
	Scopes []app.Scope `json:"scopes" doc:"Permissions of this service (PERMISSION.LIST), also patterns of them such as apps:*, or scopes of a resource server." jsonschema:"minItems=1,maxItems=200,uniqueItems=true"`
}

// ScopeResult is the result of APP.SCOPE_GRANT and APP.SCOPE_REVOKE.
type ScopeResult struct {
	Scopes []string `json:"scopes" doc:"All scopes the app is granted now, in order."`
}

func (s *Service) scopeGrant() command.Definition {
	return command.Define(command.Spec[ScopeParams, ScopeResult]{
		Name: "APP.SCOPE_GRANT",
		Summary: "Grant an app permissions of this service, or a resource server's scopes; nothing that you do not hold yourself, " +
			"and what reaches across workspaces only as a superadmin.",
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

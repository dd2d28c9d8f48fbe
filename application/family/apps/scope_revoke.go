package apps

import (
	"context"

	"gatehouse.internal/application/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/event"
)

func (s *Service) scopeRevoke() command.Definition {
	return command.Define(command.Spec[ScopeParams, ScopeResult]{
		Name: "APP.SCOPE_REVOKE",
		Summary: "Take scopes back from an app; its live tokens lose them at once, and scopes it does not have change nothing. " +
			"An app that was registered without a list of scopes may still ask for those of resource servers.",
		Access: access.Holding(write),
		Effect: command.Writes,
		Emits:  []event.Kind{app.KindScopesRevoked},
		Handle: func(ctx context.Context, call command.Call, p ScopeParams) (ScopeResult, error) {
			after, err := s.changed(ctx, call.Caller, p.AppID, func(a *app.App) error {
				a.Withdraw(app.Texts(p.Scopes), s.Clock.Now())
				return nil
			})
			return ScopeResult{Scopes: after.Scopes}, err
		},
	})
}

package apps

import (
	"context"
	"slices"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
)

const scopeRevokeDescription = "Active tokens of the app lose the scopes immediately. Scopes that the app does not have are ignored. The call is refused if a pattern that " +
	"the app keeps would still grant a revoked permission.\n\n" +
	"Apps that were registered without a list of scopes, and apps that registered themselves, can use scopes of resource servers without a " +
	"grant. After you revoke such a scope, the app needs a grant for it."

func (s *Service) scopeRevoke() command.Definition {
	return command.Define(command.Spec[ScopeParams, ScopeResult]{
		Name:        "APP.SCOPE_REVOKE",
		Summary:     "Revoke scopes of an app.",
		Description: scopeRevokeDescription,
		Access:      access.Holding(write),
		Effect:      command.Writes,
		Withdraws:   true,
		Emits:       []event.Kind{app.KindScopesRevoked},
		Handle: func(ctx context.Context, call command.Call, p ScopeParams) (ScopeResult, error) {
			after, err := s.changed(ctx, call.Caller, p.AppID, func(a *app.App) error {
				scopes := app.Texts(p.Scopes)
				if err := withdrawable(a.Snapshot().Scopes, scopes); err != nil {
					return err
				}
				return a.Withdraw(scopes, free(a.Snapshot(), scopes), s.Clock.Now())
			})
			return ScopeResult{Scopes: after.Scopes}, err
		},
	})
}

// free returns the scopes that an app might ask for without a grant, or list by itself.
func free(of app.Snapshot, scopes []string) []string {
	if of.Listed && !of.Describes() {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(scopes), access.IsOwn)
}

// withdrawable fails where a pattern that the app keeps would go on granting a scope
// that is taken back: whoever revokes it would believe it gone.
func withdrawable(held, gone []string) error {
	kept := slices.DeleteFunc(slices.Clone(held), func(scope string) bool { return slices.Contains(gone, scope) })
	for _, scope := range gone {
		if access.IsOwn(scope) && access.Permissions(kept).Cover(scope) {
			return fault.Invalid("/scopes", "a pattern in the app's scopes still grants "+scope+": revoke the pattern as well")
		}
	}
	return nil
}

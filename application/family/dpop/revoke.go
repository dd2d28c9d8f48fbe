package dpop

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/dpop"
	"gatehouse.internal/domain/event"
)

// RevokeParams are the parameters of DPOP.REVOKE.
type RevokeParams struct {
	BindingID dpop.ID `json:"binding_id" doc:"ID of one of your bindings."`
}

// RevokeResult is the result of DPOP.REVOKE.
type RevokeResult struct {
	Revoked bool `json:"revoked" doc:"Always true."`
}

func (s *Service) revoke() command.Definition {
	return command.Define(command.Spec[RevokeParams, RevokeResult]{
		Name:    "DPOP.REVOKE",
		Summary: "Revoke one of your DPoP key bindings.",
		Description: "No more tokens are bound to the key. Tokens that are already bound stay valid until they expire or are revoked with M2M.REVOKE.\n\n" +
			"A binding that was revoked or has expired stays as it is.",
		Access:    access.Anybody().But(access.Key).Unscoped(),
		Effect:    command.Writes,
		Withdraws: true,
		Emits:     []event.Kind{dpop.KindRevoked},
		Handle: func(ctx context.Context, call command.Call, p RevokeParams) (RevokeResult, error) {
			err := s.Unit.Do(ctx, func(tx Repos) error {
				target, err := tx.Bindings.ByID(ctx, p.BindingID)
				if err != nil {
					return err
				}
				if !target.OwnedBy(ownerOf(call.Caller)) {
					return dpop.ErrNotFound
				}
				target.Revoke(call.Caller.Org, s.Clock.Now())
				if !target.Changed() {
					return nil
				}
				return tx.Bindings.Save(ctx, target)
			})
			if err != nil {
				return RevokeResult{}, err
			}
			return RevokeResult{Revoked: true}, nil
		},
	})
}

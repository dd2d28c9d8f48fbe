package factors

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/mfa"
)

// DeleteParams are the parameters of MFA.DELETE.
type DeleteParams struct {
	FactorID mfa.ID `json:"factor_id" doc:"ID of the second factor, from MFA.LIST."`
}

// DeleteResult is the result of MFA.DELETE.
type DeleteResult struct {
	Deleted bool `json:"deleted" doc:"Always true."`
}

func (s *Service) delete() command.Definition {
	return command.Define(command.Spec[DeleteParams, DeleteResult]{
		Name:    "MFA.DELETE",
		Summary: "Delete one of your second factors.",
		Description: "Requires a sign-in within the last 15 minutes, with your second factor if you have one.\n\n" +
			"- The last second factor cannot be deleted while a policy requires one and you have no passkey.\n" +
			"- Deleting the last one also deletes your recovery codes.\n" +
			"- Remembered devices are forgotten. Sessions continue. End the others with SESSION.REVOKE_ALL.",
		Access: access.User().InPerson().Recent(),
		Effect: command.Writes,
		Emits:  []event.Kind{mfa.KindRemoved},
		Handle: func(ctx context.Context, call command.Call, p DeleteParams) (DeleteResult, error) {
			policies, err := s.Policies.OfUser(ctx, call.Caller.User)
			if err != nil {
				return DeleteResult{}, err
			}
			err = s.Unit.Do(ctx, func(tx Repos) error {
				return s.remove(ctx, tx, call.Caller, p.FactorID, policies.MFA.Required)
			})
			if err != nil {
				return DeleteResult{}, err
			}
			return DeleteResult{Deleted: true}, nil
		},
	})
}

// remove takes a factor of the caller away. A passkey is a second factor too, so the
// last one here may go where there is one.
func (s *Service) remove(ctx context.Context, tx Repos, caller access.Caller, id mfa.ID, required bool) error {
	held, err := tx.Factors.ByUser(ctx, caller.User)
	if err != nil {
		return err
	}
	passkey, err := tx.Factors.HasPasskey(ctx, caller.User)
	if err != nil {
		return err
	}
	if err := held.Remove(id, required && !passkey); err != nil {
		return err
	}
	if err := tx.Factors.Save(ctx, held); err != nil {
		return err
	}
	return tx.Devices.RevokeAll(ctx, caller.User)
}

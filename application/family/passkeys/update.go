package passkeys

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/passkey"
)

// UpdateParams are the parameters of WEBAUTHN.UPDATE.
type UpdateParams struct {
	CredentialID passkey.ID   `json:"credential_id" doc:"ID of one of your passkeys."`
	Name         passkey.Name `json:"name" doc:"New name of the passkey."`
}

func (s *Service) update() command.Definition {
	return command.Define(command.Spec[UpdateParams, CredentialResult]{
		Name:    "WEBAUTHN.UPDATE",
		Summary: "Rename one of your passkeys.",
		Access:  access.User().InPerson(),
		Effect:  command.Writes,
		Emits:   []event.Kind{passkey.KindUpdated},
		Handle: func(ctx context.Context, call command.Call, p UpdateParams) (result CredentialResult, err error) {
			err = s.Unit.Do(ctx, func(tx Repos) error {
				found, err := tx.Passkeys.ByID(ctx, p.CredentialID)
				if err != nil {
					return err
				}
				if !found.OwnedBy(call.Caller.User) {
					return passkey.ErrNotFound
				}
				found.Rename(p.Name)
				result.Credential = view.OfPasskey(found.Snapshot())
				if !found.Changed() {
					return nil
				}
				return tx.Passkeys.Save(ctx, found)
			})
			return result, err
		},
	})
}

package apikeys

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/apikey"
	"gatehouse.internal/domain/event"
)

// RevokeParams are the parameters of API_KEY.REVOKE.
type RevokeParams struct {
	KeyID apikey.ID `json:"key_id" doc:"ID of the API key. Can be the key you call with. Keys of other users in the workspace require the permission api_keys:write."`
}

// RevokeResult is the result of API_KEY.REVOKE.
type RevokeResult struct {
	Revoked bool `json:"revoked" doc:"Always true."`
}

func (s *Service) revoke() command.Definition {
	return command.Define(command.Spec[RevokeParams, RevokeResult]{
		Name:    "API_KEY.REVOKE",
		Summary: "Revoke an API key.",
		Description: "The key and all its secrets stop working at once. Revoking a key that is already revoked or expired has no effect. Superadmins " +
			"can revoke any key.",
		Access:    access.Anybody().Scoped(writing),
		Effect:    command.Writes,
		Withdraws: true,
		EndsOwn:   func(caller access.Caller, p RevokeParams) bool { return p.KeyID == caller.APIKey },
		Emits:     []event.Kind{apikey.KindRevoked},
		Handle: func(ctx context.Context, call command.Call, p RevokeParams) (RevokeResult, error) {
			err := s.Unit.Do(ctx, func(tx Repos) error {
				k, err := tx.Keys.ByID(ctx, p.KeyID)
				if err != nil {
					return err
				}
				reason := apikey.ByUser
				if !k.OwnedBy(call.Caller.User) {
					reason = apikey.ByAdmin
					if !administers(call.Caller, k) {
						return apikey.ErrNotFound
					}
				}
				if k.End(reason, s.Clock.Now()); !k.Changed() {
					return nil
				}
				return tx.Keys.Save(ctx, k)
			})
			if err != nil {
				return RevokeResult{}, err
			}
			return RevokeResult{Revoked: true}, nil
		},
	})
}

// administers reports whether the caller may end the keys of others in the key's
// workspace.
func administers(caller access.Caller, k *apikey.Key) bool {
	return caller.Superadmin || (caller.Org == k.Snapshot().OrgID && caller.May(writing))
}

package jwtkeys

import (
	"context"
	"slices"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/signingkey"
)

// RevokeParams are the parameters of JWT_KEY.REVOKE.
type RevokeParams struct {
	KID    string `json:"kid" doc:"ID of the key to revoke, from JWT_KEY.LIST." jsonschema:"minLength=1,maxLength=64,example=0198c6a2-7b3c-7d4e-8f50-617283940a1b"`
	Reason string `json:"reason,omitzero" doc:"Reason for the revocation, recorded in the event log." jsonschema:"maxLength=500"`
}

// RevokeResult is the result of JWT_KEY.REVOKE.
type RevokeResult struct {
	Revoked bool   `json:"revoked" doc:"Always true."`
	NewKID  string `json:"new_kid,omitzero" doc:"ID of the key that took over. Only if the revoked key was active."`
}

func (s *Service) revoke() command.Definition {
	return command.Define(command.Spec[RevokeParams, RevokeResult]{
		Name:    "JWT_KEY.REVOKE",
		Summary: "Revoke a compromised signing key.",
		Description: "Every token signed with the key becomes invalid immediately, including your own. Sessions stay active: AUTH.REFRESH returns tokens signed " +
			"with the key that takes over.",
		Access:    access.Superadmin().Recent(),
		Effect:    command.Writes,
		Withdraws: true,
		Emits:     []event.Kind{signingkey.KindRevoked},
		Handle: func(ctx context.Context, _ command.Call, p RevokeParams) (RevokeResult, error) {
			fresh, err := s.substitute(p.KID)
			if err != nil {
				return RevokeResult{}, err
			}
			successor := ""
			err = s.Unit.Do(ctx, func(tx Repos) error {
				ring, err := tx.Keys.Load(ctx)
				if err != nil {
					return err
				}
				successor, err = ring.Revoke(p.KID, p.Reason, fresh, s.Clock.Now())
				if err != nil {
					return err
				}
				return tx.Keys.Save(ctx, ring)
			})
			return RevokeResult{Revoked: err == nil, NewKID: successor}, err
		},
	})
}

// substitute makes a key that takes the place of the one that is thrown out, or waits when the
// waiting one does: it has the same algorithm.
func (s *Service) substitute(kid string) (signingkey.Key, error) {
	ring := s.Instance.State().Keys.Ring
	at := slices.IndexFunc(ring.Keys, func(k signingkey.Key) bool { return k.KID == kid })
	if at < 0 {
		return signingkey.Key{}, signingkey.ErrNotFound
	}
	return s.Keys.Fresh(ring.Keys[at].Algorithm)
}

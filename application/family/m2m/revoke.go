package m2m

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/m2m"
)

// RevokeParams are the parameters of M2M.REVOKE.
type RevokeParams struct {
	JTI string `json:"jti" doc:"ID of the token, as returned by M2M.TOKEN." jsonschema:"minLength=1,maxLength=64,example=0193c1a2-7b1e-7c3d-9a5f-abcdef012345"`
}

// RevokeResult is the result of M2M.REVOKE.
type RevokeResult struct {
	Revoked bool   `json:"revoked" doc:"Always true."`
	JTI     string `json:"jti" doc:"ID of the revoked token."`
}

func (s *Service) revoke() command.Definition {
	return command.Define(command.Spec[RevokeParams, RevokeResult]{
		Name:        "M2M.REVOKE",
		Summary:     "Revoke an M2M token of any app by its ID.",
		Description: "The token is revoked immediately. A token that was already revoked stays revoked.",
		Access:      access.Superadmin(),
		Effect:      command.Writes,
		Withdraws:   true,
		Emits:       []event.Kind{m2m.KindRevoked},
		Handle: func(ctx context.Context, _ command.Call, p RevokeParams) (RevokeResult, error) {
			err := s.Unit.Do(ctx, func(tx Repos) error {
				ended, err := tx.Tokens.Revoke(ctx, p.JTI, s.Clock.Now())
				if err != nil || ended.Already {
					return err
				}
				return tx.Events.Record(ctx, m2m.RevokedData{AppID: ended.App, OrgID: ended.Org, JTI: p.JTI, Count: 1})
			})
			return RevokeResult{Revoked: err == nil, JTI: p.JTI}, err
		},
	})
}

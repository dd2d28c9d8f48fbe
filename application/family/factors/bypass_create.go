package factors

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/user"
)

// defaultMinutes is how long a bypass code works unless somebody says otherwise.
const defaultMinutes = 60

// BypassCreateParams are the parameters of MFA.BYPASS_CREATE.
type BypassCreateParams struct {
	UserID     user.ID `json:"user_id" doc:"The account; not your own."`
	TTLMinutes int     `json:"ttl_minutes,omitzero" doc:"Minutes for which the code works; absent: 60." jsonschema:"minimum=5,maximum=1440"`
}

// BypassCreateResult is the result of MFA.BYPASS_CREATE.
type BypassCreateResult struct {
	Code      secret.Shown `json:"code" doc:"The code, to be told to the person. It answers one challenge by AUTH.MFA_VERIFY, and is shown this once."`
	ExpiresAt time.Time    `json:"expires_at" doc:"When it stops working."`
}

func (s *Service) createBypass() command.Definition {
	return command.Define(command.Spec[BypassCreateParams, BypassCreateResult]{
		Name: "MFA.BYPASS_CREATE",
		Summary: "A code of the helpdesk that stands in for the second factor of a person in one login; a new one replaces the last, and lifts the lock of wrong codes. " +
			"Make sure whom you tell it.",
		Access: access.Holding(manage).Recent(),
		Effect: command.Writes,
		Emits:  []event.Kind{mfa.KindBypassCreated},
		Handle: func(ctx context.Context, call command.Call, p BypassCreateParams) (BypassCreateResult, error) {
			if p.TTLMinutes == 0 {
				p.TTLMinutes = defaultMinutes
			}
			result := BypassCreateResult{
				Code:      mfa.NewBypass(s.Random),
				ExpiresAt: s.Clock.Now().Add(time.Duration(p.TTLMinutes) * time.Minute),
			}
			err := s.Unit.Do(ctx, func(tx Repos) error {
				_, held, err := s.managed(ctx, tx, call.Caller, p.UserID)
				if err != nil {
					return err
				}
				passkey, err := tx.Factors.HasPasskey(ctx, p.UserID)
				if err != nil {
					return err
				}
				if !held.Enrolled() && !passkey {
					return errNothing
				}
				held.Allow(result.Code, result.ExpiresAt)
				return tx.Factors.Save(ctx, held)
			})
			return result, err
		},
	})
}

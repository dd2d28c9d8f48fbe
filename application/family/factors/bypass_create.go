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
	UserID     user.ID `json:"user_id" doc:"ID of the user. Not your own."`
	TTLMinutes int     `json:"ttl_minutes,omitzero" doc:"Minutes for which the code works. Defaults to 60." jsonschema:"minimum=5,maximum=1440"`
}

// BypassCreateResult is the result of MFA.BYPASS_CREATE.
type BypassCreateResult struct {
	Code      secret.Shown `json:"code" doc:"The code to give to the person. It answers one challenge in AUTH.MFA_VERIFY and is returned only once."`
	ExpiresAt time.Time    `json:"expires_at" doc:"When the code expires."`
}

func (s *Service) createBypass() command.Definition {
	return command.Define(command.Spec[BypassCreateParams, BypassCreateResult]{
		Name:    "MFA.BYPASS_CREATE",
		Summary: "Create a bypass code for a user who cannot use their second factor.",
		Description: "The code replaces the second factor in one sign-in. A new code replaces the previous one and lifts a lock caused by wrong codes.\n\n" +
			"Verify the person's identity before you give them the code.",
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

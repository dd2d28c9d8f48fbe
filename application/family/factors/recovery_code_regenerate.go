package factors

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/domain/secret"
)

// RegenerateResult is the result of MFA.RECOVERY_CODE_REGENERATE.
type RegenerateResult struct {
	RecoveryCodes []secret.Shown `json:"recovery_codes" doc:"New recovery codes, returned only once. Each replaces the second factor once."`
}

func (s *Service) regenerate() command.Definition {
	return command.Define(command.Spec[command.None, RegenerateResult]{
		Name:        "MFA.RECOVERY_CODE_REGENERATE",
		Summary:     "Replace your recovery codes.",
		Description: "Returns ten new codes and invalidates the old ones. Requires a sign-in with a second factor within the last 15 minutes.",
		Access:      access.User().InPerson().Recent(),
		Effect:      command.Writes,
		Emits:       []event.Kind{mfa.KindRegenerated},
		Handle: func(ctx context.Context, call command.Call, _ command.None) (RegenerateResult, error) {
			fresh := mfa.NewRecoveryCodes(s.Random)
			err := s.Unit.Do(ctx, func(tx Repos) error {
				held, err := tx.Factors.ByUser(ctx, call.Caller.User)
				if err != nil {
					return err
				}
				if err := held.Regenerate(fresh); err != nil {
					return err
				}
				return tx.Factors.Save(ctx, held)
			})
			return RegenerateResult{RecoveryCodes: fresh}, err
		},
	})
}

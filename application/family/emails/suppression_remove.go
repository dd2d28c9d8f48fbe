package emails

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/mail"
)

// SuppressionRemoveParams are the parameters of EMAIL.SUPPRESSION_REMOVE.
type SuppressionRemoveParams struct {
	Email email.Address `json:"email" doc:"Email address to remove."`
}

// SuppressionRemoveResult is the result of EMAIL.SUPPRESSION_REMOVE.
type SuppressionRemoveResult struct {
	Removed bool `json:"removed" doc:"Whether the address was on the suppression list."`
}

func (s *Service) suppressionRemove() command.Definition {
	return command.Define(command.Spec[SuppressionRemoveParams, SuppressionRemoveResult]{
		Name:        "EMAIL.SUPPRESSION_REMOVE",
		Summary:     "Remove an address from the suppression list.",
		Description: "The address can receive email again. Emails that were suppressed in the meantime are not sent.",
		Access:      access.Superadmin(),
		Effect:      command.Writes,
		Emits:       []event.Kind{mail.KindUnsuppressed},
		Handle: func(ctx context.Context, _ command.Call, p SuppressionRemoveParams) (SuppressionRemoveResult, error) {
			var result SuppressionRemoveResult
			err := s.Unit.Do(ctx, func(tx Repos) error {
				kept, found, err := tx.Suppressions.Remove(ctx, p.Email)
				if result.Removed = found; err != nil || !found {
					return err
				}
				return tx.Events.Record(ctx, mail.WasUnsuppressed{SuppressionID: kept.ID})
			})
			return result, err
		},
	})
}

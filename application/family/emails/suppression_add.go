package emails

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/mail"
)

// SuppressionAddParams are the parameters of EMAIL.SUPPRESSION_ADD.
type SuppressionAddParams struct {
	Email  email.Address `json:"email" doc:"Email address to suppress."`
	Reason mail.Reason   `json:"reason,omitzero" doc:"Why the address is suppressed. Defaults to manual."`
}

// SuppressionAddResult is the result of EMAIL.SUPPRESSION_ADD.
type SuppressionAddResult struct {
	Email string `json:"email" doc:"Email address as stored."`
}

func (s *Service) suppressionAdd() command.Definition {
	return command.Define(command.Spec[SuppressionAddParams, SuppressionAddResult]{
		Name:    "EMAIL.SUPPRESSION_ADD",
		Summary: "Add an address to the suppression list.",
		Description: "Stops all email to the address. Use it by hand or from a bounce handler. If the address is already on the list, its reason is " +
			"updated.",
		Access: access.Superadmin(),
		Effect: command.Writes,
		Emits:  []event.Kind{mail.KindSuppressed},
		Handle: func(ctx context.Context, _ command.Call, p SuppressionAddParams) (SuppressionAddResult, error) {
			if p.Reason == "" {
				p.Reason = mail.Manual
			}
			var result SuppressionAddResult
			err := s.Unit.Do(ctx, func(tx Repos) error {
				kept, err := s.suppress(ctx, tx, p)
				result.Email = kept.Email.String()
				return err
			})
			return result, err
		},
	})
}

// suppress adds an address, or changes the reason that it has.
func (s *Service) suppress(ctx context.Context, tx Repos, p SuppressionAddParams) (mail.Suppression, error) {
	kept, found, err := tx.Suppressions.Find(ctx, p.Email)
	switch {
	case err != nil, found && kept.Reason == p.Reason:
		return kept, err
	case found:
		err = tx.Suppressions.Change(ctx, kept.ID, p.Reason)
	default:
		kept = mail.Suppression{ID: s.IDs.UUID(), Email: p.Email, CreatedAt: s.Clock.Now(), Reason: p.Reason}
		var added bool
		if added, err = tx.Suppressions.Add(ctx, kept); err == nil && !added {
			err = aggregate.ErrConflict // somebody was faster: look again
		}
	}
	if err != nil {
		return kept, err
	}
	return kept, tx.Events.Record(ctx, mail.WasSuppressed{SuppressionID: kept.ID, Reason: p.Reason})
}

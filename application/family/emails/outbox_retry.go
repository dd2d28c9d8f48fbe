package emails

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/mail"
)

// retriedAtOnce is how many mails one call queues again at most.
const retriedAtOnce = 10_000

var errWhich = fault.New(fault.Validation, "provide either message_id or failed_since, not both")

// OutboxRetryParams are the parameters of EMAIL.OUTBOX_RETRY.
type OutboxRetryParams struct {
	MessageID   mail.ID   `json:"message_id,omitzero" doc:"ID of a failed email to retry. Provide either message_id or failed_since."`
	FailedSince time.Time `json:"failed_since,omitzero" doc:"Retries all emails that failed at this time or later, earliest failures first. At most 10,000 per call: repeat until queued is 0. Provide either message_id or failed_since." example:"-"`
}

// OutboxRetryResult is the result of EMAIL.OUTBOX_RETRY.
type OutboxRetryResult struct {
	Queued int `json:"queued" doc:"Number of emails queued again."`
}

func (s *Service) outboxRetry() command.Definition {
	return command.Define(command.Spec[OutboxRetryParams, OutboxRetryResult]{
		Name:    "EMAIL.OUTBOX_RETRY",
		Summary: "Retry failed emails.",
		Description: "Queues failed emails again, with a fresh set of attempts. Links and codes in them are generated anew. Emails that are no longer " +
			"relevant are not sent.",
		Access: access.Superadmin(),
		Effect: command.Writes,
		Emits:  []event.Kind{mail.KindRequeued},
		Handle: func(ctx context.Context, _ command.Call, p OutboxRetryParams) (OutboxRetryResult, error) {
			if (p.MessageID == "") == p.FailedSince.IsZero() {
				return OutboxRetryResult{}, errWhich
			}
			var result OutboxRetryResult
			err := s.Unit.Do(ctx, func(tx Repos) error {
				var err error
				if result.Queued, err = requeue(ctx, tx, p, s.Clock.Now()); err != nil || result.Queued == 0 {
					return err
				}
				return tx.Events.Record(ctx, mail.Requeued{MessageID: p.MessageID, Mails: result.Queued})
			})
			return result, err
		},
	})
}

func requeue(ctx context.Context, tx Repos, p OutboxRetryParams, now time.Time) (int, error) {
	if p.MessageID != "" {
		return 1, tx.Outbox.Requeue(ctx, p.MessageID, now)
	}
	return tx.Outbox.RequeueSince(ctx, p.FailedSince, now, retriedAtOnce)
}

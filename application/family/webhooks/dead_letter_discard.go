package webhooks

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/webhook"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/webhooks"
)

// DeadLetterDiscardParams are the parameters of WEBHOOK.DEAD_LETTER_DISCARD.
type DeadLetterDiscardParams struct {
	OrgID       workspace.ID         `json:"org_id,omitzero" doc:"Workspace whose dead letters to discard. Defaults to the active workspace, or to the instance for superadmins." example:"-"`
	DeliveryIDs []webhook.DeliveryID `json:"delivery_ids,omitzero" doc:"IDs of the deliveries to discard. Deliveries that are not dead letters are kept." jsonschema:"minItems=1,maxItems=200,uniqueItems=true"`
	WebhookID   webhook.ID           `json:"webhook_id,omitzero" doc:"Discard only dead letters of this webhook endpoint." example:"-"`
	Before      time.Time            `json:"before,omitzero" doc:"Discard only deliveries created before this time." example:"-"`
}

// DeadLetterDiscardResult is the result of WEBHOOK.DEAD_LETTER_DISCARD.
type DeadLetterDiscardResult struct {
	Discarded int `json:"discarded" doc:"Number of dead letters discarded. At most 10,000 per call: call again for the rest."`
}

func (s *Service) deadLetterDiscard() command.Definition {
	return command.Define(command.Spec[DeadLetterDiscardParams, DeadLetterDiscardResult]{
		Name:    "WEBHOOK.DEAD_LETTER_DISCARD",
		Summary: "Discard dead letters.",
		Description: "Removes the deliveries with their attempts, so they can no longer be replayed. Without parameters, discards every dead letter of the " +
			"workspace, at most 10,000 per call.",
		Access: access.Holding(writing),
		Effect: command.Writes,
		Emits:  []event.Kind{webhook.KindDiscarded},
		Handle: func(ctx context.Context, call command.Call, p DeadLetterDiscardParams) (result DeadLetterDiscardResult, err error) {
			org, err := s.whose(ctx, call.Caller, p.OrgID, p.WebhookID)
			if err != nil {
				return result, err
			}
			if err := s.allVisible(ctx, call.Caller, org, p.DeliveryIDs); err != nil {
				return result, err
			}
			result.Discarded, err = s.discard(ctx, webhooks.DeadQuery{Org: org, IDs: p.DeliveryIDs, Webhook: p.WebhookID, Before: p.Before, Most: discardedAtOnce})
			return result, err
		},
	})
}

// The maximum number of deliveries that one call and one transaction discard. On SQLite all other
// writers wait for the transaction.
const (
	discardedInAll  = 10_000
	discardedAtOnce = 500
)

// discard returns how many deliveries were discarded, also if it fails.
func (s *Service) discard(ctx context.Context, which webhooks.DeadQuery) (all int, err error) {
	for all < discardedInAll {
		var some int
		err := s.Unit.Do(ctx, func(tx Repos) (err error) {
			if some, err = tx.Deliveries.Discard(ctx, which); err != nil || some == 0 {
				return err
			}
			return tx.Events.Record(ctx, webhook.Discarded{WebhookID: which.Webhook, OrgID: which.Org, Count: some})
		})
		if err != nil {
			return all, err
		}
		if all += some; some < which.Most {
			break
		}
	}
	return all, nil
}

// allVisible fails with webhook.ErrNoDelivery unless the caller may see all the deliveries.
func (s *Service) allVisible(ctx context.Context, caller access.Caller, org workspace.ID, ids []webhook.DeliveryID) error {
	for _, id := range ids {
		found, err := s.Deliveries.Find(ctx, id)
		if err != nil {
			return err
		}
		if found.OrgID != org || !caller.Sees(org) {
			return webhook.ErrNoDelivery
		}
	}
	return nil
}

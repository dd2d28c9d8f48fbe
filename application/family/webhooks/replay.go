package webhooks

import (
	"context"
	"errors"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/webhook"
)

// ReplayParams are the parameters of WEBHOOK.REPLAY.
type ReplayParams struct {
	DeliveryID webhook.DeliveryID `json:"delivery_id" doc:"The delivery; it has succeeded or is dead."`
}

// ReplayResult is the result of WEBHOOK.REPLAY.
type ReplayResult struct {
	Delivery Delivery `json:"delivery" doc:"The delivery, which is pending."`
}

func (s *Service) replay() command.Definition {
	return command.Define(command.Spec[ReplayParams, ReplayResult]{
		Name:    "WEBHOOK.REPLAY",
		Summary: "Attempt a finished delivery anew, at once and then by the schedule; its webhook-id stays the same.",
		Access:  access.Holding(writing),
		Effect:  command.Writes,
		Emits:   []event.Kind{webhook.KindReplayed},
		Handle: func(ctx context.Context, call command.Call, p ReplayParams) (result ReplayResult, err error) {
			found, err := s.Deliveries.Find(ctx, p.DeliveryID)
			if err != nil {
				return result, err
			}
			if err := seen(call.Caller, found.OrgID, webhook.ErrNoDelivery); err != nil {
				return result, err
			}
			if _, err := s.Feed.Find(ctx, "", found.EventID); err != nil {
				return result, instead(err, event.ErrNotFound, webhook.ErrNoEvent)
			}
			err = s.Unit.Do(ctx, func(tx Repos) error {
				to, err := tx.Endpoints.ByID(ctx, found.WebhookID)
				if err != nil {
					return instead(err, webhook.ErrNotFound, webhook.ErrNoEndpoint)
				}
				if !to.Snapshot().Enabled {
					return webhook.ErrNoEndpoint
				}
				d, err := tx.Deliveries.ByID(ctx, p.DeliveryID)
				if err != nil {
					return err
				}
				if err := d.Replay(s.now()); err != nil {
					return err
				}
				result.Delivery = delivered(d)
				if err := tx.Deliveries.Save(ctx, d); err != nil {
					return err
				}
				return tx.Events.Record(ctx, webhook.Replayed{WebhookID: d.WebhookID, OrgID: d.OrgID, DeliveryID: d.ID, Count: 1})
			})
			return result, err
		},
	})
}

// instead is an error, or another in the place of one kind of it.
func instead(err, of, other error) error {
	if errors.Is(err, of) {
		return other
	}
	return err
}

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
	DeliveryID webhook.DeliveryID `json:"delivery_id" doc:"ID of the delivery. It must have succeeded or be dead."`
}

// ReplayResult is the result of WEBHOOK.REPLAY.
type ReplayResult struct {
	Delivery Delivery `json:"delivery" doc:"The delivery, which is now pending."`
}

func (s *Service) replay() command.Definition {
	return command.Define(command.Spec[ReplayParams, ReplayResult]{
		Name:    "WEBHOOK.REPLAY",
		Summary: "Replay a finished delivery.",
		Description: "The first attempt is made immediately, and further attempts follow the usual schedule. The `webhook-id` stays the same, so receivers " +
			"can recognize duplicates.\n\n" +
			"The endpoint must be enabled, and the event must still be kept. A delivery can have at most 100 attempts in all.",
		Access: access.Holding(writing),
		Effect: command.Writes,
		Emits:  []event.Kind{webhook.KindReplayed},
		Handle: func(ctx context.Context, call command.Call, p ReplayParams) (result ReplayResult, err error) {
			found, err := s.Deliveries.Find(ctx, p.DeliveryID)
			if err != nil {
				return result, err
			}
			if err := visible(call.Caller, found.OrgID, webhook.ErrNoDelivery); err != nil {
				return result, err
			}
			if _, err := s.Feed.Find(ctx, "", found.EventID); err != nil {
				return result, instead(err, event.ErrNotFound, webhook.ErrNoEvent)
			}
			err = s.Unit.Do(ctx, func(tx Repos) (err error) {
				result.Delivery, err = s.again(ctx, tx, found.WebhookID, p.DeliveryID)
				return err
			})
			return result, err
		},
	})
}

// again makes a delivery to an enabled endpoint pending again. It fails with
// webhook.ErrNoEndpoint, or if the delivery is not finished.
func (s *Service) again(ctx context.Context, tx Repos, endpoint webhook.ID, id webhook.DeliveryID) (Delivery, error) {
	to, err := tx.Endpoints.ByID(ctx, endpoint)
	if err != nil {
		return Delivery{}, instead(err, webhook.ErrNotFound, webhook.ErrNoEndpoint)
	}
	if !to.Snapshot().Enabled {
		return Delivery{}, webhook.ErrNoEndpoint
	}
	d, err := tx.Deliveries.ByID(ctx, id)
	if err != nil {
		return Delivery{}, err
	}
	if err := d.Replay(s.now()); err != nil {
		return Delivery{}, err
	}
	if err := tx.Deliveries.Save(ctx, d); err != nil {
		return Delivery{}, err
	}
	return delivered(d), tx.Events.Record(ctx, webhook.Replayed{WebhookID: d.WebhookID, OrgID: d.OrgID, DeliveryID: d.ID, Count: 1})
}

// instead returns an error, or other if the error is of the given kind.
func instead(err, of, other error) error {
	if errors.Is(err, of) {
		return other
	}
	return err
}

package webhooks

import (
	"context"
	"encoding/json"
	"errors"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/relay"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/webhook"
)

// DeliveryGetParams are the parameters of WEBHOOK.DELIVERY_GET.
type DeliveryGetParams struct {
	DeliveryID webhook.DeliveryID `json:"delivery_id" doc:"ID of the delivery."`
}

// DeliveryGetResult is the result of WEBHOOK.DELIVERY_GET.
type DeliveryGetResult struct {
	Delivery Delivery        `json:"delivery" doc:"The delivery."`
	Payload  json.RawMessage `json:"payload" doc:"Body of the messages. Null if the event is no longer kept."`
	Attempts []Attempt       `json:"attempts" doc:"All attempts, oldest first."`
}

func (s *Service) deliveryGet() command.Definition {
	return command.Define(command.Spec[DeliveryGetParams, DeliveryGetResult]{
		Name:    "WEBHOOK.DELIVERY_GET",
		Summary: "Retrieve a delivery with its payload and all attempts.",
		Access:  access.Holding(reading),
		Effect:  command.Reads,
		Handle: func(ctx context.Context, call command.Call, p DeliveryGetParams) (DeliveryGetResult, error) {
			found, err := s.Deliveries.Find(ctx, p.DeliveryID)
			if err != nil {
				return DeliveryGetResult{}, err
			}
			if err := visible(call.Caller, found.OrgID, webhook.ErrNoDelivery); err != nil {
				return DeliveryGetResult{}, err
			}
			result := DeliveryGetResult{Delivery: delivered(found), Payload: json.RawMessage("null"), Attempts: []Attempt{}}
			switch record, err := s.Feed.Find(ctx, "", found.EventID); {
			case err == nil:
				if result.Payload, err = relay.Body(record); err != nil {
					return DeliveryGetResult{}, err
				}
			case !errors.Is(err, event.ErrNotFound):
				return DeliveryGetResult{}, err
			}
			attempts, err := s.Deliveries.Attempts(ctx, found.ID)
			for _, one := range attempts {
				result.Attempts = append(result.Attempts, attempted(one))
			}
			return result, err
		},
	})
}

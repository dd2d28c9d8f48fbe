package billing

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/event"
)

// PriceUpdateParams are the parameters of BILLING.PRICE_UPDATE.
type PriceUpdateParams struct {
	PriceID          billing.PriceID `json:"price_id" doc:"The price."`
	Active           *bool           `json:"active,omitzero" doc:"Whether it is sold by; who subscribed by it goes on paying it."`
	Nickname         *string         `json:"nickname,omitzero" doc:"A label." jsonschema:"maxLength=255,example=Launch offer"`
	ProcessorPriceID *string         `json:"processor_price_id,omitzero" doc:"The price at the processor." jsonschema:"maxLength=255" example:"-"`
}

func (s *Service) priceUpdate() command.Definition {
	return command.Define(command.Spec[PriceUpdateParams, PriceResult]{
		Name:    "BILLING.PRICE_UPDATE",
		Summary: "Retire or label a price; what it costs never changes.",
		Access:  access.Holding(writing),
		Effect:  command.Writes,
		Emits:   []event.Kind{billing.KindPriceUpdated},
		Handle: func(ctx context.Context, call command.Call, p PriceUpdateParams) (result PriceResult, err error) {
			err = s.Unit.Do(ctx, func(tx Repos) error {
				found, err := tx.Prices.ByID(ctx, p.PriceID)
				if err != nil {
					return err
				}
				if !call.Caller.Sees(found.Snapshot().OrgID) {
					return billing.ErrNoPrice
				}
				found.Update(billing.PriceChange{Active: p.Active, Nickname: p.Nickname, ProcessorPriceID: p.ProcessorPriceID}, s.Clock.Now())
				result.Price = view.OfPrice(found.Snapshot())
				if !found.Changed() {
					return nil
				}
				return tx.Prices.Save(ctx, found)
			})
			return result, err
		},
	})
}

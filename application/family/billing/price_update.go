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
	PriceID          billing.PriceID `json:"price_id" doc:"ID of the price."`
	Active           *bool           `json:"active,omitzero" doc:"Whether new purchases can use the price. Current subscribers keep paying a retired price."`
	Nickname         *string         `json:"nickname,omitzero" doc:"Label for your own use." jsonschema:"maxLength=255,example=Launch offer"`
	ProcessorPriceID *string         `json:"processor_price_id,omitzero" doc:"ID of the price at the payment processor." jsonschema:"maxLength=255" example:"-"`
}

func (s *Service) priceUpdate() command.Definition {
	return command.Define(command.Spec[PriceUpdateParams, PriceResult]{
		Name:        "BILLING.PRICE_UPDATE",
		Summary:     "Retire or label a price.",
		Description: "The amount of a price never changes. To charge a different amount, create another price with BILLING.PRICE_CREATE.",
		Access:      access.Holding(writing),
		Effect:      command.Writes,
		Emits:       []event.Kind{billing.KindPriceUpdated},
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

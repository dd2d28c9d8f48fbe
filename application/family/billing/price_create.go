package billing

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/money"
	"gatehouse.internal/domain/product"
)

// PriceCreateParams are the parameters of BILLING.PRICE_CREATE.
type PriceCreateParams struct {
	ProductID        product.Ref      `json:"product_id" doc:"The product, by ID or slug."`
	Currency         money.Currency   `json:"currency" doc:"ISO 4217 currency code."`
	UnitAmount       int64            `json:"unit_amount" doc:"Amount in minor units (cents of EUR, whole JPY, fils of KWD). For per_seat and metered prices, the amount per seat or use. Use 0 for tiered prices." jsonschema:"minimum=0,maximum=9007199254740991,example=1900"`
	Interval         billing.Interval `json:"interval,omitzero" doc:"How often the price is charged. Defaults to once." jsonschema:"enum=month,enum=year,enum=once"`
	Model            billing.Model    `json:"model,omitzero" doc:"How the amount depends on the quantity. flat: fixed. per_seat: per seat. tiered: per seat, at the amount of the tier it falls in. metered: per use reported with BILLING.USAGE_RECORD. Defaults to flat." jsonschema:"enum=flat,enum=per_seat,enum=tiered,enum=metered"`
	Tiers            []billing.Tier   `json:"tiers,omitzero" doc:"Seat prices by tier. Required for tiered prices, and only for them." jsonschema:"maxItems=50" example:"-"`
	Meter            string           `json:"meter,omitzero" doc:"Meter whose usage is charged. Required for metered prices, and only for them." jsonschema:"maxLength=64,pattern=^[a-z][a-z0-9_.-]*$" example:"-"`
	TrialDays        int              `json:"trial_days,omitzero" doc:"Length of the free trial. Days. A customer gets only one trial of each product." jsonschema:"minimum=0,maximum=730,example=14"`
	ProcessorPriceID string           `json:"processor_price_id,omitzero" doc:"ID of an existing price at the payment processor. Omit to have it created there at the first sale." jsonschema:"maxLength=255" example:"-"`
}

func (s *Service) priceCreate() command.Definition {
	return command.Define(command.Spec[PriceCreateParams, PriceResult]{
		Name:    "BILLING.PRICE_CREATE",
		Summary: "Create a price for a product.",
		Description: "A price is charged once or at an interval. Its amount never changes: to charge a different amount, create another price and retire the " +
			"old one with BILLING.PRICE_UPDATE.\n\n" +
			"A product can have at most 500 prices.",
		Access: access.Holding(writing),
		Effect: command.Writes,
		Emits:  []event.Kind{billing.KindPriceCreated},
		Handle: func(ctx context.Context, call command.Call, p PriceCreateParams) (result PriceResult, err error) {
			id := billing.NewPriceID(s.IDs)
			err = s.Unit.Do(ctx, func(tx Repos) error {
				of, err := ownProduct(ctx, tx, call.Caller, p.ProductID)
				if err != nil {
					return err
				}
				if err := s.seller(ctx, of); err != nil {
					return err
				}
				count, err := tx.Prices.Count(ctx, of.ID)
				if err != nil {
					return err
				}
				if count >= billing.MostPrices {
					return billing.ErrTooManyPrices
				}
				made, err := billing.SetPrice(p.of(id, of), s.Clock.Now())
				if err != nil {
					return err
				}
				result.Price = view.OfPrice(made.Snapshot())
				return tx.Prices.Save(ctx, made)
			})
			return result, err
		},
	})
}

// of returns the price that the parameters describe.
func (p PriceCreateParams) of(id billing.PriceID, of product.Snapshot) billing.PriceSnapshot {
	s := billing.PriceSnapshot{
		ID: id, OrgID: of.OrgID, ProductID: of.ID, Unit: money.Of(p.UnitAmount, p.Currency), Interval: p.Interval, Model: p.Model,
		Tiers: p.Tiers, Meter: p.Meter, TrialDays: p.TrialDays, ProcessorPriceID: p.ProcessorPriceID,
	}
	if s.Interval == "" {
		s.Interval = billing.Once
	}
	if s.Model == "" {
		s.Model = billing.Flat
	}
	return s
}

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
	ProductID        product.Ref      `json:"product_id" doc:"The product, by its identifier or slug."`
	Currency         money.Currency   `json:"currency" doc:"The currency, by ISO 4217."`
	UnitAmount       int64            `json:"unit_amount" doc:"The amount in minor units (cents of EUR, whole JPY, fils of KWD), for each seat or use where the model counts them; 0 for tiered prices." jsonschema:"minimum=0,maximum=9007199254740991,example=1900"`
	Interval         billing.Interval `json:"interval,omitzero" doc:"How often it is charged; absent: once." jsonschema:"enum=month,enum=year,enum=once"`
	Model            billing.Model    `json:"model,omitzero" doc:"flat: the amount, whatever the quantity; per_seat: for each seat; tiered: each seat by the tier that it is in; metered: for each use that BILLING.USAGE_RECORD reports. Absent: flat." jsonschema:"enum=flat,enum=per_seat,enum=tiered,enum=metered"`
	Tiers            []billing.Tier   `json:"tiers,omitzero" doc:"What seats cost by tiers, for tiered prices." jsonschema:"maxItems=50" example:"-"`
	Meter            string           `json:"meter,omitzero" doc:"What is counted, for metered prices." jsonschema:"maxLength=64,pattern=^[a-z][a-z0-9_.-]*$" example:"-"`
	TrialDays        int              `json:"trial_days,omitzero" doc:"Days that cost nothing at the beginning; a customer has one trial of a product." jsonschema:"minimum=0,maximum=730,example=14"`
	ProcessorPriceID string           `json:"processor_price_id,omitzero" doc:"A price that stands at the processor already; absent: it is made there when something is sold by it for the first time." jsonschema:"maxLength=255" example:"-"`
}

func (s *Service) priceCreate() command.Definition {
	return command.Define(command.Spec[PriceCreateParams, PriceResult]{
		Name:    "BILLING.PRICE_CREATE",
		Summary: "Say what a product costs, once or again and again. What a price costs never changes; a product has at most 500 prices.",
		Access:  access.Holding(writing),
		Effect:  command.Writes,
		Emits:   []event.Kind{billing.KindPriceCreated},
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

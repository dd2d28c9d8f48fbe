package view

import (
	"time"

	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/money"
	"gatehouse.internal/domain/product"
)

// Price is a price in results.
type Price struct {
	ID               billing.PriceID  `json:"id" doc:"ID of the price."`
	ProductID        product.ID       `json:"product_id" doc:"ID of the product."`
	Currency         money.Currency   `json:"currency" doc:"ISO 4217 currency code."`
	UnitAmount       int64            `json:"unit_amount" doc:"Amount in minor units. For per_seat and metered prices, the amount per seat or use."`
	Interval         billing.Interval `json:"interval" doc:"How often the price is charged." jsonschema:"enum=once,enum=month,enum=year"`
	Model            billing.Model    `json:"model" doc:"How the amount depends on the quantity." jsonschema:"enum=flat,enum=per_seat,enum=tiered,enum=metered"`
	Tiers            []billing.Tier   `json:"tiers" doc:"Seat prices by tier. Empty unless the price is tiered."`
	Meter            string           `json:"meter,omitzero" doc:"Meter whose usage is charged. Present on metered prices."`
	TrialDays        int              `json:"trial_days" doc:"Length of the free trial. Days."`
	Nickname         string           `json:"nickname" doc:"Label for your own use."`
	Active           bool             `json:"active" doc:"Whether new purchases can use the price."`
	ProcessorPriceID string           `json:"processor_price_id,omitzero" doc:"ID of the price at the payment processor. Absent until it is created there, and never shown to buyers."`
	CreatedAt        time.Time        `json:"created_at" doc:"When the price was created."`
	UpdatedAt        time.Time        `json:"updated_at" doc:"When the price last changed."`
}

// OfPrice returns a price as its seller sees it.
func OfPrice(s billing.PriceSnapshot) Price {
	return Price{
		ID: s.ID, ProductID: s.ProductID, Currency: s.Unit.Currency, UnitAmount: s.Unit.Minor, Interval: s.Interval, Model: s.Model,
		Tiers: append([]billing.Tier{}, s.Tiers...), Meter: s.Meter, TrialDays: s.TrialDays, Nickname: s.Nickname, Active: s.Active,
		ProcessorPriceID: s.ProcessorPriceID, CreatedAt: s.CreatedAt, UpdatedAt: s.UpdatedAt,
	}
}

// SoldPrice shows a price to buyers.
func SoldPrice(s billing.PriceSnapshot) Price {
	s.ProcessorPriceID = ""
	return OfPrice(s)
}

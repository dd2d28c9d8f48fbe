package view

import (
	"time"

	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/money"
	"gatehouse.internal/domain/product"
)

// Price is a price in results.
type Price struct {
	ID               billing.PriceID  `json:"id" doc:"Identifier of the price."`
	ProductID        product.ID       `json:"product_id" doc:"The product."`
	Currency         money.Currency   `json:"currency" doc:"The currency, by ISO 4217."`
	UnitAmount       int64            `json:"unit_amount" doc:"The amount in minor units, for each seat or use where the model counts them."`
	Interval         billing.Interval `json:"interval" doc:"How often it is charged." jsonschema:"enum=once,enum=month,enum=year"`
	Model            billing.Model    `json:"model" doc:"How the amount follows from the quantity." jsonschema:"enum=flat,enum=per_seat,enum=tiered,enum=metered"`
	Tiers            []billing.Tier   `json:"tiers" doc:"What seats cost by tiers; empty but for tiered prices."`
	Meter            string           `json:"meter,omitzero" doc:"What is counted for a metered price."`
	TrialDays        int              `json:"trial_days" doc:"Days that cost nothing at the beginning."`
	Nickname         string           `json:"nickname" doc:"A label."`
	Active           bool             `json:"active" doc:"Whether it is sold by."`
	ProcessorPriceID string           `json:"processor_price_id,omitzero" doc:"The price at the processor; absent until it is made there, and for buyers."`
	CreatedAt        time.Time        `json:"created_at" doc:"When it was made."`
	UpdatedAt        time.Time        `json:"updated_at" doc:"When it was changed last."`
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

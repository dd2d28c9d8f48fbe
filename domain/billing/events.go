package billing

import (
	"slices"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/money"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/domain/workspace"
)

// Kinds of events of prices and coupons.
const (
	KindPriceCreated  event.Kind = "price.created"
	KindPriceUpdated  event.Kind = "price.updated"
	KindCouponCreated event.Kind = "coupon.created"
	KindCouponDeleted event.Kind = "coupon.deleted"
)

// PriceCreated is the content of price.created.
type PriceCreated struct {
	PriceID    PriceID        `json:"price_id" doc:"The new price."`
	OrgID      workspace.ID   `json:"org_id" doc:"The workspace that sells by it."`
	ProductID  product.ID     `json:"product_id" doc:"The product."`
	Currency   money.Currency `json:"currency" doc:"The currency."`
	UnitAmount int64          `json:"unit_amount" doc:"The amount in minor units."`
	Interval   Interval       `json:"interval" doc:"How often it is charged: once, month or year."`
}

// PriceUpdated is the content of price.updated.
type PriceUpdated struct {
	PriceID   PriceID      `json:"price_id" doc:"The price."`
	OrgID     workspace.ID `json:"org_id" doc:"The workspace that sells by it."`
	ProductID product.ID   `json:"product_id" doc:"The product."`
	Changed   []string     `json:"changed" doc:"Names of the fields that changed."`
}

// CouponCreated is the content of coupon.created.
type CouponCreated struct {
	OrgID workspace.ID `json:"org_id" doc:"The workspace whose it is."`
	Code  Code         `json:"code" doc:"What people enter."`
}

// CouponDeleted is the content of coupon.deleted.
type CouponDeleted struct {
	OrgID workspace.ID `json:"org_id" doc:"The workspace whose it was."`
	Code  Code         `json:"code" doc:"What people entered."`
}

func (PriceCreated) Kind() event.Kind  { return KindPriceCreated }
func (PriceUpdated) Kind() event.Kind  { return KindPriceUpdated }
func (CouponCreated) Kind() event.Kind { return KindCouponCreated }
func (CouponDeleted) Kind() event.Kind { return KindCouponDeleted }

// Events describes the kinds of this package for the catalog.
func Events() []event.Definition {
	const (
		price = PriceID("pri_01jd7x9k2mf3q8v5t0abcdefgh")
		table = product.ID("prd_01jd7x9k2mf3q8v5t0abcdefgh")
		org   = workspace.ID("org_01jd7x9k2mf3q8v5t0abcdefgh")
		unit  = 1900
	)
	return append([]event.Definition{
		{Summary: "A product got a price.", Example: PriceCreated{price, org, table, "EUR", unit, Month}},
		{Summary: "A price was retired, or labeled.", Example: PriceUpdated{price, org, table, []string{"active"}}},
		{Summary: "A coupon was made.", Example: CouponCreated{org, "SPRING-25"}},
		{Summary: "A coupon was ended; running discounts stay.", Example: CouponDeleted{org, "SPRING-25"}},
	}, slices.Concat(saleEvents(), customerEvents(), usageEvents())...)
}

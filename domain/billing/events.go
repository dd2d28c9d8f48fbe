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
	PriceID    PriceID        `json:"price_id" doc:"ID of the new price."`
	OrgID      workspace.ID   `json:"org_id" doc:"ID of the workspace that sells the product."`
	ProductID  product.ID     `json:"product_id" doc:"ID of the product."`
	Currency   money.Currency `json:"currency" doc:"ISO 4217 currency code."`
	UnitAmount int64          `json:"unit_amount" doc:"Amount in minor units."`
	Interval   Interval       `json:"interval" doc:"How often the price is charged: once, month or year."`
}

// PriceUpdated is the content of price.updated.
type PriceUpdated struct {
	PriceID   PriceID      `json:"price_id" doc:"ID of the price."`
	OrgID     workspace.ID `json:"org_id" doc:"ID of the workspace that sells the product."`
	ProductID product.ID   `json:"product_id" doc:"ID of the product."`
	Changed   []string     `json:"changed" doc:"Names of the fields that changed."`
}

// CouponCreated is the content of coupon.created.
type CouponCreated struct {
	OrgID workspace.ID `json:"org_id" doc:"ID of the workspace of the coupon."`
	Code  Code         `json:"code" doc:"Code that buyers enter."`
}

// CouponDeleted is the content of coupon.deleted.
type CouponDeleted struct {
	OrgID workspace.ID `json:"org_id" doc:"ID of the workspace of the coupon."`
	Code  Code         `json:"code" doc:"Code of the deleted coupon."`
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
		{Summary: "A price was created.", Example: PriceCreated{price, org, table, "EUR", unit, Month}},
		{Summary: "A price was updated.", Example: PriceUpdated{price, org, table, []string{"active"}}},
		{Summary: "A coupon was created.", Example: CouponCreated{org, "SPRING-25"}},
		{Summary: "A coupon was deleted. Running discounts continue.", Example: CouponDeleted{org, "SPRING-25"}},
	}, slices.Concat(saleEvents(), customerEvents(), usageEvents())...)
}

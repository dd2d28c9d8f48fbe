package commerce

import (
	"gatehouse.internal/adapters/client"
	"gatehouse.internal/adapters/pages/kit"
)

// sellerData is the data of the pages of a seller's prices, coupons, payments, refunds
// and processor events.
type sellerData struct {
	billingSection

	Items    any
	More     string
	Products []client.Product
	Paid     *paid
}

// page is where a page of a list begins, and how long it is.
func (v *visit) page() (limit *int, cursor *string) {
	const few = 20
	return new(few), client.Given(v.Cursor())
}

// showSales shows a list of the seller.
func (v *visit) showSales(tab, page, title string, list func(limit *int, cursor *string) (items any, more string, err error)) error {
	in, err := v.billingSection(tab)
	if err != nil {
		return err
	}
	data := sellerData{billingSection: in}
	if data.Items, data.More, err = list(v.page()); err != nil {
		return err
	}
	return v.Show(page, title, data)
}

// sellerForm returns the page data for a form that needs a permission.
func (v *visit) sellerForm(tab, permission string) (sellerData, error) {
	in, err := v.Permitted(tab, permission)
	return sellerData{billingSection: billingSection{in}}, err
}

// sells returns the products of the workspace.
func (v *visit) sells() ([]client.Product, error) {
	held, err := v.Me().ProductList(v.Context(), client.ProductListParams{Archived: new(false), Limit: new(kit.MostListed), OrgID: v.Org()})
	return held.Items, err
}

func (v *visit) prices() error {
	products, err := v.sells()
	if err != nil {
		return err
	}
	named := func(one client.BillingPrice) price {
		for _, sold := range products {
			if sold.ID == one.ProductID {
				return price{one, sold.Name}
			}
		}
		return price{one, one.ProductID}
	}
	return v.showSales("prices", "prices", "Prices", func(limit *int, cursor *string) (any, string, error) {
		held, err := v.Me().BillingPriceList(v.Context(), client.BillingPriceListParams{Limit: limit, Cursor: cursor})
		return kit.Map(held.Items, named), held.NextCursor, err
	})
}

func (v *visit) newPrice() error {
	data, err := v.sellerForm("prices", "billing:write")
	if err != nil {
		return err
	}
	if data.Products, err = v.sells(); err != nil {
		return err
	}
	return v.Show("newprice", "New price", data)
}

func (v *visit) createPrice() error {
	p := kit.Params{"product_id": v.Form.Text("product_id"), "currency": v.Form.Text("currency"), "interval": v.Form.Text("interval"), "model": v.Form.Text("model")}
	v.Integers(p.Text("meter", v.Form.Text("meter")), "unit_amount", "trial_days")
	if err := v.Act("BILLING.PRICE_CREATE", p, nil); err != nil {
		return v.Retry(err, v.newPrice, "product_id", "currency", "unit_amount", "trial_days", "meter")
	}
	return v.Done("The price was created.", billingPath+"/prices")
}

func (v *visit) switchPrice() error {
	on := v.Form.Text("active") == "true"
	if _, err := v.Me().BillingPriceUpdate(v.Context(), client.BillingPriceUpdateParams{PriceID: v.Form.Text("price_id"), Active: new(on), OrgID: v.Org()}); err != nil {
		return v.Retry(err, v.prices)
	}
	if on {
		return v.Done("The price is active again.", billingPath+"/prices")
	}
	return v.Done("The price was retired. Existing subscriptions continue.", billingPath+"/prices")
}

type coupon struct{ client.BillingCoupon }

// Off returns the discount of the coupon as text.
func (r coupon) Off() string {
	if r.AmountOff > 0 {
		return amount{r.AmountOff, r.Currency}.String()
	}
	return kit.Plural(r.PercentOff, "percent", "percent")
}

func (v *visit) coupons() error {
	return v.showSales("coupons", "coupons", "Coupons", func(limit *int, cursor *string) (any, string, error) {
		held, err := v.Me().BillingCouponList(v.Context(), client.BillingCouponListParams{Limit: limit, Cursor: cursor, OrgID: v.Org()})
		return kit.Map(held.Items, func(one client.BillingCoupon) coupon { return coupon{one} }), held.NextCursor, err
	})
}

func (v *visit) newCoupon() error {
	data, err := v.sellerForm("coupons", "billing:write")
	if err != nil {
		return err
	}
	return v.Show("newcoupon", "New coupon", data)
}

func (v *visit) createCoupon() error {
	p := kit.Params{"code": v.Form.Text("code"), "duration": v.Form.Text("duration")}
	v.Integers(p, "percent_off", "max_redemptions")
	if err := v.Act("BILLING.COUPON_CREATE", p, nil); err != nil {
		return v.Retry(err, v.newCoupon, "code", "percent_off", "max_redemptions")
	}
	return v.Done("The coupon was created.", billingPath+"/coupons")
}

func (v *visit) endCoupon() error {
	if _, err := v.Me().BillingCouponDelete(v.Context(), client.BillingCouponDeleteParams{Code: v.Form.Text("code"), OrgID: v.Org()}); err != nil {
		return v.Retry(err, v.coupons)
	}
	return v.Done("The coupon was ended. Running discounts continue.", billingPath+"/coupons")
}

// paid is a payment.
type paid struct{ client.BillingPayment }

func (p paid) String() string { return amount{p.Amount, p.Currency}.String() }

func (v *visit) payments() error {
	return v.showSales("payments", "payments", "Payments", func(limit *int, cursor *string) (any, string, error) {
		held, err := v.Me().BillingPaymentList(v.Context(), client.BillingPaymentListParams{Limit: limit, Cursor: cursor, OrgID: v.Org()})
		return kit.Map(held.Items, func(one client.BillingPayment) paid { return paid{one} }), held.NextCursor, err
	})
}

// newRefund shows the form to refund a payment.
func (v *visit) newRefund() error {
	data, err := v.sellerForm("payments", "billing:refund")
	if err != nil {
		return err
	}
	data.Paid = &paid{client.BillingPayment{ID: v.ID("payment_id")}}
	return v.Show("newrefund", "Refund", data)
}

func (v *visit) refund() error {
	p := kit.Params{"payment_id": v.Form.Text("payment_id")}.Text("reason", v.Form.Text("reason"))
	v.Integers(p, "amount")
	if err := v.Act("BILLING.REFUND", p, nil); err != nil {
		return v.Retry(err, v.newRefund, "amount", "reason")
	}
	return v.Done("The refund was created.", billingPath+"/refunds")
}

// refund is a refund of a payment.
type refund struct{ client.BillingRefund }

func (r refund) String() string { return amount{r.Amount, r.Currency}.String() }

func (v *visit) refunds() error {
	return v.showSales("refunds", "refunds", "Refunds", func(limit *int, cursor *string) (any, string, error) {
		held, err := v.Me().BillingRefundList(v.Context(), client.BillingRefundListParams{Limit: limit, Cursor: cursor, OrgID: v.Org()})
		return kit.Map(held.Items, func(one client.BillingRefund) refund { return refund{one} }), held.NextCursor, err
	})
}

func (v *visit) processorEvents() error {
	return v.showSales("told", "told", "Processor events", func(limit *int, cursor *string) (any, string, error) {
		held, err := v.Me().BillingProcessorEventList(v.Context(), client.BillingProcessorEventListParams{Limit: limit, Cursor: cursor, OrgID: v.Org()})
		return held.Items, held.NextCursor, err
	})
}

func (v *visit) replayEvent() error {
	got, err := v.Me().BillingProcessorEventReplay(v.Context(), client.BillingProcessorEventReplayParams{ProcessorEventID: v.Form.Text("processor_event_id"), OrgID: v.Org()})
	if err != nil {
		return v.Retry(err, v.processorEvents)
	}
	if got.ProcessorEvent.Status == client.BillingProcessorEventStatusFailed {
		return v.Wrong("The event failed again: "+got.ProcessorEvent.Reason, billingPath+"/told")
	}
	return v.Done("The event was processed.", billingPath+"/told")
}

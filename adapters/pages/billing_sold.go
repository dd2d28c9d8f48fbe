package pages

import (
	"time"

	"gatehouse.internal/domain/money"
)

// tillData is what the pages of a workspace that sells show: what there is of one kind.
type tillData struct {
	till

	Items    any
	More     string
	Products []product
	Paid     *paid
}

// takings lists what there is of one kind.
func takings[T any](v *visit, tab, command string, look func([]T)) (tillData, error) {
	in, err := v.till(tab)
	if err != nil {
		return tillData{}, err
	}
	const few = 20
	var held list[T]
	if err := v.act(command, params{"limit": few}.text("cursor", v.cursor()), &held); err != nil {
		return tillData{}, err
	}
	if look != nil {
		look(held.Items)
	}
	return tillData{till: in, Items: held.Items, More: held.NextCursor}, nil
}

// tillForm returns the active workspace for a form about what it sells.
func (v *visit) tillForm(tab, permission string) (tillData, error) {
	in, err := v.workbench(tab, permission)
	return tillData{till: till{in}}, err
}

// sells lists the products of the workspace.
func (v *visit) sells() ([]product, error) {
	var held list[product]
	err := v.act("PRODUCT.LIST", params{"archived": false, "limit": mostListed}, &held)
	return held.Items, err
}

func (v *visit) prices() error {
	products, err := v.sells()
	if err != nil {
		return err
	}
	data, err := takings(v, "prices", "BILLING.PRICE_LIST", func(all []priced) {
		for i := range all {
			all[i].Product = all[i].ProductID
			for _, one := range products {
				if one.ID == all[i].ProductID {
					all[i].Product = one.Name
				}
			}
		}
	})
	if err != nil {
		return err
	}
	return v.show("prices", "Prices", data)
}

func (v *visit) newPrice() error {
	data, err := v.tillForm("prices", "billing:write")
	if err != nil {
		return err
	}
	if data.Products, err = v.sells(); err != nil {
		return err
	}
	return v.show("newprice", "New price", data)
}

func (v *visit) createPrice() error {
	p := params{"product_id": v.form.text("product_id"), "currency": v.form.text("currency"), "interval": v.form.text("interval"), "model": v.form.text("model")}
	v.whole(p.text("meter", v.form.text("meter")), "unit_amount", "trial_days")
	if err := v.act("BILLING.PRICE_CREATE", p, nil); err != nil {
		return v.retry(err, (*visit).newPrice, "product_id", "currency", "unit_amount", "trial_days", "meter")
	}
	return v.done("The price was made.", billingPath+"/prices")
}

func (v *visit) switchPrice() error {
	on := v.form.text("active") == "true"
	if err := v.act("BILLING.PRICE_UPDATE", params{"price_id": v.form.text("price_id"), "active": on}, nil); err != nil {
		return v.retry(err, (*visit).prices)
	}
	if on {
		return v.done("It is sold by the price again.", billingPath+"/prices")
	}
	return v.done("Nothing is sold by the price any more. Subscriptions by it go on.", billingPath+"/prices")
}

// reduced is a coupon.
type reduced struct {
	Code           string         `json:"code"`
	PercentOff     int            `json:"percent_off"`
	AmountOff      int64          `json:"amount_off"`
	Currency       money.Currency `json:"currency"`
	Duration       string         `json:"duration"`
	Redemptions    int            `json:"redemptions"`
	MaxRedemptions int            `json:"max_redemptions"`
	Active         bool           `json:"active"`
}

// Off returns what the coupon takes off.
func (r reduced) Off() string {
	if r.AmountOff > 0 {
		return sum{r.AmountOff, r.Currency}.String()
	}
	return plural(r.PercentOff, "percent", "percent")
}

func (v *visit) coupons() error {
	data, err := takings[reduced](v, "coupons", "BILLING.COUPON_LIST", nil)
	if err != nil {
		return err
	}
	return v.show("coupons", "Coupons", data)
}

func (v *visit) newCoupon() error {
	data, err := v.tillForm("coupons", "billing:write")
	if err != nil {
		return err
	}
	return v.show("newcoupon", "New coupon", data)
}

func (v *visit) createCoupon() error {
	p := params{"code": v.form.text("code"), "duration": v.form.text("duration")}
	v.whole(p, "percent_off", "max_redemptions")
	if err := v.act("BILLING.COUPON_CREATE", p, nil); err != nil {
		return v.retry(err, (*visit).newCoupon, "code", "percent_off", "max_redemptions")
	}
	return v.done("The coupon was made.", billingPath+"/coupons")
}

func (v *visit) endCoupon() error {
	if err := v.act("BILLING.COUPON_DELETE", params{"code": v.form.text("code")}, nil); err != nil {
		return v.retry(err, (*visit).coupons)
	}
	return v.done("The coupon has ended. Running discounts stay.", billingPath+"/coupons")
}

// paid is a payment.
type paid struct {
	sum

	ID        string    `json:"id"`
	Status    string    `json:"status"`
	Dispute   string    `json:"dispute"`
	Failure   string    `json:"failure"`
	CreatedAt time.Time `json:"created_at"`
}

func (v *visit) payments() error {
	data, err := takings[paid](v, "payments", "BILLING.PAYMENT_LIST", nil)
	if err != nil {
		return err
	}
	return v.show("payments", "Payments", data)
}

// newRefund asks how much of a payment is to go back.
func (v *visit) newRefund() error {
	data, err := v.tillForm("payments", "billing:refund")
	if err != nil {
		return err
	}
	data.Paid = &paid{ID: v.id("payment_id")}
	return v.show("newrefund", "Refund", data)
}

func (v *visit) refund() error {
	p := params{"payment_id": v.form.text("payment_id")}.text("reason", v.form.text("reason"))
	v.whole(p, "amount")
	if err := v.act("BILLING.REFUND", p, nil); err != nil {
		return v.retry(err, (*visit).newRefund, "amount", "reason")
	}
	return v.done("The refund was made.", billingPath+"/refunds")
}

// givenBack is a refund.
type givenBack struct {
	sum

	Status    string    `json:"status"`
	Reason    string    `json:"reason"`
	Failure   string    `json:"failure"`
	CreatedAt time.Time `json:"created_at"`
}

func (v *visit) refunds() error {
	data, err := takings[givenBack](v, "refunds", "BILLING.REFUND_LIST", nil)
	if err != nil {
		return err
	}
	return v.show("refunds", "Refunds", data)
}

// toldEvent is what a processor told.
type toldEvent struct {
	ID         string    `json:"id"`
	Processor  string    `json:"processor"`
	Type       string    `json:"type"`
	Status     string    `json:"status"`
	Reason     string    `json:"reason"`
	ReceivedAt time.Time `json:"received_at"`
}

func (v *visit) processorEvents() error {
	data, err := takings[toldEvent](v, "told", "BILLING.PROCESSOR_EVENT_LIST", nil)
	if err != nil {
		return err
	}
	return v.show("told", "Processor events", data)
}

func (v *visit) replayEvent() error {
	var got struct {
		Event toldEvent `json:"processor_event"`
	}
	if err := v.act("BILLING.PROCESSOR_EVENT_REPLAY", params{"processor_event_id": v.form.text("processor_event_id")}, &got); err != nil {
		return v.retry(err, (*visit).processorEvents)
	}
	if got.Event.Status == "failed" {
		return v.wrong("It failed again: "+got.Event.Reason, billingPath+"/told")
	}
	return v.done("The event was applied.", billingPath+"/told")
}

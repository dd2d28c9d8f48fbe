package commerce

import (
	"time"

	"gatehouse.internal/adapters/pages/kit"
	"gatehouse.internal/domain/money"
)

// sellerData is the data of the pages of a seller's prices, coupons, payments, refunds
// and processor events.
type sellerData struct {
	billingSection

	Items    any
	More     string
	Products []product
	Paid     *paid
}

// listSales executes a list command, passes the items to look, and returns the page data.
func listSales[T any](v *visit, tab, command string, look func([]T)) (sellerData, error) {
	in, err := v.billingSection(tab)
	if err != nil {
		return sellerData{}, err
	}
	const few = 20
	var held kit.List[T]
	if err := v.Act(command, kit.Params{"limit": few}.Text("cursor", v.Cursor()), &held); err != nil {
		return sellerData{}, err
	}
	if look != nil {
		look(held.Items)
	}
	return sellerData{billingSection: in, Items: held.Items, More: held.NextCursor}, nil
}

// sellerForm returns the page data for a form that needs a permission.
func (v *visit) sellerForm(tab, permission string) (sellerData, error) {
	in, err := v.Permitted(tab, permission)
	return sellerData{billingSection: billingSection{in}}, err
}

// sells returns the products of the workspace.
func (v *visit) sells() ([]product, error) {
	var held kit.List[product]
	err := v.Act("PRODUCT.LIST", kit.Params{"archived": false, "limit": kit.MostListed}, &held)
	return held.Items, err
}

func (v *visit) prices() error {
	products, err := v.sells()
	if err != nil {
		return err
	}
	data, err := listSales(v, "prices", "BILLING.PRICE_LIST", func(all []price) {
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
	return v.Show("prices", "Prices", data)
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
	if err := v.Act("BILLING.PRICE_UPDATE", kit.Params{"price_id": v.Form.Text("price_id"), "active": on}, nil); err != nil {
		return v.Retry(err, v.prices)
	}
	if on {
		return v.Done("The price is active again.", billingPath+"/prices")
	}
	return v.Done("The price was retired. Existing subscriptions continue.", billingPath+"/prices")
}

type coupon struct {
	Code           string         `json:"code"`
	PercentOff     int            `json:"percent_off"`
	AmountOff      int64          `json:"amount_off"`
	Currency       money.Currency `json:"currency"`
	Duration       string         `json:"duration"`
	Redemptions    int            `json:"redemptions"`
	MaxRedemptions int            `json:"max_redemptions"`
	Active         bool           `json:"active"`
}

// Off returns the discount of the coupon as text.
func (r coupon) Off() string {
	if r.AmountOff > 0 {
		return amount{r.AmountOff, r.Currency}.String()
	}
	return kit.Plural(r.PercentOff, "percent", "percent")
}

func (v *visit) coupons() error {
	data, err := listSales[coupon](v, "coupons", "BILLING.COUPON_LIST", nil)
	if err != nil {
		return err
	}
	return v.Show("coupons", "Coupons", data)
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
	if err := v.Act("BILLING.COUPON_DELETE", kit.Params{"code": v.Form.Text("code")}, nil); err != nil {
		return v.Retry(err, v.coupons)
	}
	return v.Done("The coupon was ended. Running discounts continue.", billingPath+"/coupons")
}

type paid struct {
	amount

	ID        string    `json:"id"`
	Status    string    `json:"status"`
	Dispute   string    `json:"dispute"`
	Failure   string    `json:"failure"`
	CreatedAt time.Time `json:"created_at"`
}

func (v *visit) payments() error {
	data, err := listSales[paid](v, "payments", "BILLING.PAYMENT_LIST", nil)
	if err != nil {
		return err
	}
	return v.Show("payments", "Payments", data)
}

// newRefund shows the form to refund a payment.
func (v *visit) newRefund() error {
	data, err := v.sellerForm("payments", "billing:refund")
	if err != nil {
		return err
	}
	data.Paid = &paid{ID: v.ID("payment_id")}
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

type refund struct {
	amount

	Status    string    `json:"status"`
	Reason    string    `json:"reason"`
	Failure   string    `json:"failure"`
	CreatedAt time.Time `json:"created_at"`
}

func (v *visit) refunds() error {
	data, err := listSales[refund](v, "refunds", "BILLING.REFUND_LIST", nil)
	if err != nil {
		return err
	}
	return v.Show("refunds", "Refunds", data)
}

// processorEvent is an event received from a payment processor.
type processorEvent struct {
	ID         string    `json:"id"`
	Processor  string    `json:"processor"`
	Type       string    `json:"type"`
	Status     string    `json:"status"`
	Reason     string    `json:"reason"`
	ReceivedAt time.Time `json:"received_at"`
}

func (v *visit) processorEvents() error {
	data, err := listSales[processorEvent](v, "told", "BILLING.PROCESSOR_EVENT_LIST", nil)
	if err != nil {
		return err
	}
	return v.Show("told", "Processor events", data)
}

func (v *visit) replayEvent() error {
	var got struct {
		Event processorEvent `json:"processor_event"`
	}
	if err := v.Act("BILLING.PROCESSOR_EVENT_REPLAY", kit.Params{"processor_event_id": v.Form.Text("processor_event_id")}, &got); err != nil {
		return v.Retry(err, v.processorEvents)
	}
	if got.Event.Status == "failed" {
		return v.Wrong("The event failed again: "+got.Event.Reason, billingPath+"/told")
	}
	return v.Done("The event was processed.", billingPath+"/told")
}

package pages

import (
	"net/url"
	"time"

	"gatehouse.internal/domain/money"
)

// billingPath is the page of a person's purchases.
const billingPath = account + "/billing"

// billingRoutes returns the billing pages of buyers and sellers.
func billingRoutes() []route {
	return []route{
		{"GET " + billingPath, person, (*visit).purchases},
		{"GET " + billingPath + "/invoices/{id}/pdf", person, (*visit).invoicePDF},
		{"GET " + billingPath + "/plans/{id}", person, (*visit).plan},
		{"POST " + billingPath + "/plans/change", person, (*visit).changePlan},
		{"GET " + billingPath + "/plans/{id}/cancel", person, (*visit).askCancel},
		{"POST " + billingPath + "/plans/cancel", person, (*visit).cancelPlan},
		{"POST " + billingPath + "/plans/resume", person, (*visit).resumePlan},
		{"GET " + billingPath + "/portal", person, (*visit).openPortal},

		{"GET " + billingPath + "/prices", person, (*visit).prices},
		{"GET " + billingPath + "/prices/new", person, (*visit).newPrice},
		{"POST " + billingPath + "/prices/new", person, (*visit).createPrice},
		{"POST " + billingPath + "/prices/switch", person, (*visit).switchPrice},
		{"GET " + billingPath + "/coupons", person, (*visit).coupons},
		{"GET " + billingPath + "/coupons/new", person, (*visit).newCoupon},
		{"POST " + billingPath + "/coupons/new", person, (*visit).createCoupon},
		{"POST " + billingPath + "/coupons/end", person, (*visit).endCoupon},
		{"GET " + billingPath + "/payments", person, (*visit).payments},
		{"GET " + billingPath + "/payments/{id}/refund", person, (*visit).newRefund},
		{"POST " + billingPath + "/payments/refund", person, (*visit).refund},
		{"GET " + billingPath + "/refunds", person, (*visit).refunds},
		{"GET " + billingPath + "/told", person, (*visit).processorEvents},
		{"POST " + billingPath + "/told/replay", person, (*visit).replayEvent},
	}
}

// amount is an amount in the smallest unit of its currency.
type amount struct {
	Amount   int64          `json:"amount"`
	Currency money.Currency `json:"currency"`
}

func (s amount) String() string { return money.Of(s.Amount, s.Currency).String() }

type price struct {
	ID         string         `json:"id"`
	ProductID  string         `json:"product_id"`
	Currency   money.Currency `json:"currency"`
	UnitAmount int64          `json:"unit_amount"`
	Interval   string         `json:"interval"`
	Model      string         `json:"model"`
	Nickname   string         `json:"nickname"`
	Active     bool           `json:"active"`

	Product string `json:"-"`
}

// Terms describes the price and its billing interval.
func (p price) Terms() string {
	said := amount{p.UnitAmount, p.Currency}.String()
	switch p.Model {
	case "per_seat":
		said += " per seat"
	case "metered":
		said += " per use"
	case "tiered":
		said = "Tiered, in " + string(p.Currency)
	}
	if p.Interval != "once" {
		said += ", every " + p.Interval
	}
	return said
}

// subscription is a subscription with the name of its product.
type subscription struct {
	ID        string    `json:"id"`
	ProductID string    `json:"product_id"`
	PriceID   string    `json:"price_id"`
	Status    string    `json:"status"`
	Quantity  int64     `json:"quantity"`
	PeriodEnd time.Time `json:"period_end"`

	Product string `json:"-"`
}

// Good reports whether the subscription is active or on trial.
func (s subscription) Good() bool { return s.Status == "active" || s.Status == "trialing" }

// Ends reports whether the subscription ends with the current period.
func (s subscription) Ends() bool { return s.Status == "canceled" }

type invoice struct {
	ID       string         `json:"id"`
	Number   string         `json:"number"`
	Status   string         `json:"status"`
	Total    int64          `json:"total"`
	Currency money.Currency `json:"currency"`
	IssuedAt time.Time      `json:"issued_at"`
}

// Sum returns the total of the invoice.
func (b invoice) Sum() string { return amount{b.Total, b.Currency}.String() }

// purchasesData is the data of the purchases page.
type purchasesData struct {
	billingSection

	Subscriptions []subscription
	Invoices      []invoice
	More          string
	// Portal reports whether the processor has a portal for payment methods and
	// addresses.
	Portal bool
}

// billingSection is the workspace of a billing page.
type billingSection struct{ workspaceSection }

func (v *visit) billingSection(tab string) (billingSection, error) {
	in, err := v.workspaceSection(tab)
	return billingSection{in}, err
}

// Tabs returns the billing pages that the person may see.
func (s billingSection) Tabs() []entry {
	tabs := []entry{{Path: billingPath, Label: "Your purchases", Here: s.Tab == ""}}
	for _, one := range []struct{ name, label, permission string }{
		{"prices", "Prices", "billing:read"},
		{"coupons", "Coupons", "billing:read"},
		{"payments", "Payments", "billing:read"},
		{"refunds", "Refunds", "billing:read"},
		{"told", "Processor events", "billing:read"},
	} {
		if s.May(one.permission) {
			tabs = append(tabs, entry{Path: billingPath + "/" + one.name, Label: one.label, Here: s.Tab == one.name})
		}
	}
	return tabs
}

// purchases shows the person's subscriptions and invoices.
func (v *visit) purchases() error {
	in, err := v.billingSection("")
	if err != nil {
		return err
	}
	var held list[subscription]
	if err := v.call("BILLING.SUBSCRIPTION_LIST", params{"limit": mostListed}, &held); err != nil {
		return err
	}
	const few = 20
	var invoices list[invoice]
	if err := v.call("BILLING.INVOICE_LIST", params{"limit": few}.text("cursor", v.cursor()), &invoices); err != nil {
		return err
	}
	for i := range held.Items {
		if held.Items[i].Product, err = v.planName(held.Items[i].ID); err != nil {
			return err
		}
	}
	var self struct {
		Portal bool `json:"portal"`
	}
	if len(invoices.Items) > 0 {
		if err := v.call("BILLING.CUSTOMER_GET", params{}, &self); err != nil {
			return err
		}
	}
	return v.show("billing", "Billing", purchasesData{in, held.Items, invoices.Items, invoices.NextCursor, self.Portal})
}

// planData is the data of the page of a subscription.
type planData struct {
	Plan     subscription `json:"subscription"`
	Price    price        `json:"price"`
	Upcoming *struct {
		amount

		At time.Time `json:"at"`
	} `json:"upcoming"`
	Product struct {
		Name string `json:"name"`
	} `json:"product"`

	Prices []price `json:"-"`
}

func (v *visit) somePlan(id string) (planData, error) {
	var found planData
	err := v.call("BILLING.SUBSCRIPTION_GET", params{"subscription_id": id}, &found)
	return found, err
}

func (v *visit) planName(id string) (string, error) {
	found, err := v.somePlan(id)
	return found.Product.Name, err
}

// plan shows a subscription and the prices it can be changed to.
func (v *visit) plan() error {
	data, err := v.somePlan(v.id("subscription_id"))
	if err != nil {
		return err
	}
	var sold list[price]
	if err := v.call("BILLING.PRICE_LIST", params{"product_id": data.Plan.ProductID, "active": true, "limit": mostListed}, &sold); err != nil {
		return err
	}
	for _, one := range sold.Items {
		if one.Interval != "once" {
			data.Prices = append(data.Prices, one)
		}
	}
	return v.show("plan", data.Product.Name, data)
}

func (v *visit) changePlan() error {
	p := params{"subscription_id": v.form.text("subscription_id")}.text("price_id", v.form.text("price_id")).text("coupon", v.form.text("coupon"))
	v.integers(p, "quantity")
	if err := v.call("BILLING.SUBSCRIPTION_UPDATE", p, nil); err != nil {
		return v.retry(err, (*visit).plan, "quantity", "coupon", "price_id")
	}
	return v.done("The plan was changed.", v.planPage())
}

func (v *visit) planPage() string {
	return billingPath + "/plans/" + url.PathEscape(v.form.text("subscription_id"))
}

// askCancel asks for confirmation before a subscription is canceled.
func (v *visit) askCancel() error {
	data, err := v.somePlan(v.r.PathValue("id"))
	if err != nil {
		return err
	}
	return v.show("question", "Cancel this subscription?", question{
		Name: data.Product.Name, Text: "The subscription continues until " + date(data.Plan.PeriodEnd) + " and is not renewed.",
		Action: billingPath + "/plans/cancel", Field: "subscription_id", Value: data.Plan.ID, Button: "Cancel subscription",
		Back: billingPath + "/plans/" + url.PathEscape(data.Plan.ID),
	})
}

func (v *visit) cancelPlan() error {
	return v.planCommand("BILLING.SUBSCRIPTION_CANCEL", "The subscription is canceled and ends with its current period.")
}

func (v *visit) resumePlan() error {
	return v.planCommand("BILLING.SUBSCRIPTION_RESUME", "The subscription is resumed.")
}

// planCommand executes a command on the subscription of a form.
func (v *visit) planCommand(command, said string) error {
	if err := v.call(command, params{"subscription_id": v.form.text("subscription_id")}, nil); err != nil {
		return v.retry(err, (*visit).plan)
	}
	return v.done(said, v.planPage())
}

// openPortal redirects to the customer portal of the payment processor.
func (v *visit) openPortal() error {
	var made struct {
		URL string `json:"url"`
	}
	if err := v.call("BILLING.PORTAL_CREATE", params{"return_url": v.site.Host + billingPath}, &made); err != nil {
		if err := v.refused(err); err != nil {
			return err
		}
		return v.wrong(v.form.Message, billingPath)
	}
	return v.redirect(made.URL)
}

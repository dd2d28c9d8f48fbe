package commerce

import (
	"net/url"
	"time"

	"gatehouse.internal/adapters/pages/kit"
	"gatehouse.internal/domain/money"
)

// billingPath is the page of a person's purchases.
const billingPath = kit.Account + "/billing"

// billingRoutes returns the billing pages of buyers and sellers.
func billingRoutes() []kit.Route {
	return []kit.Route{
		on("GET "+billingPath, kit.Person, (*visit).purchases),
		on("GET "+billingPath+"/invoices/{id}/pdf", kit.Person, (*visit).invoicePDF),
		on("GET "+billingPath+"/plans/{id}", kit.Person, (*visit).plan),
		on("POST "+billingPath+"/plans/change", kit.Person, (*visit).changePlan),
		on("GET "+billingPath+"/plans/{id}/cancel", kit.Person, (*visit).askCancel),
		on("POST "+billingPath+"/plans/cancel", kit.Person, (*visit).cancelPlan),
		on("POST "+billingPath+"/plans/resume", kit.Person, (*visit).resumePlan),
		on("GET "+billingPath+"/portal", kit.Person, (*visit).openPortal),

		on("GET "+billingPath+"/prices", kit.Person, (*visit).prices),
		on("GET "+billingPath+"/prices/new", kit.Person, (*visit).newPrice),
		on("POST "+billingPath+"/prices/new", kit.Person, (*visit).createPrice),
		on("POST "+billingPath+"/prices/switch", kit.Person, (*visit).switchPrice),
		on("GET "+billingPath+"/coupons", kit.Person, (*visit).coupons),
		on("GET "+billingPath+"/coupons/new", kit.Person, (*visit).newCoupon),
		on("POST "+billingPath+"/coupons/new", kit.Person, (*visit).createCoupon),
		on("POST "+billingPath+"/coupons/end", kit.Person, (*visit).endCoupon),
		on("GET "+billingPath+"/payments", kit.Person, (*visit).payments),
		on("GET "+billingPath+"/payments/{id}/refund", kit.Person, (*visit).newRefund),
		on("POST "+billingPath+"/payments/refund", kit.Person, (*visit).refund),
		on("GET "+billingPath+"/refunds", kit.Person, (*visit).refunds),
		on("GET "+billingPath+"/told", kit.Person, (*visit).processorEvents),
		on("POST "+billingPath+"/told/replay", kit.Person, (*visit).replayEvent),
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
type billingSection struct{ kit.Section }

func (v *visit) billingSection(tab string) (billingSection, error) {
	in, err := v.Section(tab)
	return billingSection{in}, err
}

// Tabs returns the billing pages that the person may see.
func (s billingSection) Tabs() []kit.Entry {
	tabs := []kit.Entry{{Path: billingPath, Label: "Your purchases", Here: s.Tab == ""}}
	for _, one := range []struct{ name, label, permission string }{
		{"prices", "Prices", "billing:read"},
		{"coupons", "Coupons", "billing:read"},
		{"payments", "Payments", "billing:read"},
		{"refunds", "Refunds", "billing:read"},
		{"told", "Processor events", "billing:read"},
	} {
		if s.May(one.permission) {
			tabs = append(tabs, kit.Entry{Path: billingPath + "/" + one.name, Label: one.label, Here: s.Tab == one.name})
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
	var held kit.List[subscription]
	if err := v.Call("BILLING.SUBSCRIPTION_LIST", kit.Params{"limit": kit.MostListed}, &held); err != nil {
		return err
	}
	const few = 20
	var invoices kit.List[invoice]
	if err := v.Call("BILLING.INVOICE_LIST", kit.Params{"limit": few}.Text("cursor", v.Cursor()), &invoices); err != nil {
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
		if err := v.Call("BILLING.CUSTOMER_GET", kit.Params{}, &self); err != nil {
			return err
		}
	}
	return v.Show("billing", "Billing", purchasesData{in, held.Items, invoices.Items, invoices.NextCursor, self.Portal})
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
	err := v.Call("BILLING.SUBSCRIPTION_GET", kit.Params{"subscription_id": id}, &found)
	return found, err
}

func (v *visit) planName(id string) (string, error) {
	found, err := v.somePlan(id)
	return found.Product.Name, err
}

// plan shows a subscription and the prices it can be changed to.
func (v *visit) plan() error {
	data, err := v.somePlan(v.ID("subscription_id"))
	if err != nil {
		return err
	}
	var sold kit.List[price]
	if err := v.Call("BILLING.PRICE_LIST", kit.Params{"product_id": data.Plan.ProductID, "active": true, "limit": kit.MostListed}, &sold); err != nil {
		return err
	}
	for _, one := range sold.Items {
		if one.Interval != "once" {
			data.Prices = append(data.Prices, one)
		}
	}
	return v.Show("plan", data.Product.Name, data)
}

func (v *visit) changePlan() error {
	p := kit.Params{"subscription_id": v.Form.Text("subscription_id")}.Text("price_id", v.Form.Text("price_id")).Text("coupon", v.Form.Text("coupon"))
	v.Integers(p, "quantity")
	if err := v.Call("BILLING.SUBSCRIPTION_UPDATE", p, nil); err != nil {
		return v.Retry(err, v.plan, "quantity", "coupon", "price_id")
	}
	return v.Done("The plan was changed.", v.planPage())
}

func (v *visit) planPage() string {
	return billingPath + "/plans/" + url.PathEscape(v.Form.Text("subscription_id"))
}

// askCancel asks for confirmation before a subscription is canceled.
func (v *visit) askCancel() error {
	data, err := v.somePlan(v.Request.PathValue("id"))
	if err != nil {
		return err
	}
	return v.Show("question", "Cancel this subscription?", kit.Question{
		Name: data.Product.Name, Text: "The subscription continues until " + kit.Date(data.Plan.PeriodEnd) + " and is not renewed.",
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
	if err := v.Call(command, kit.Params{"subscription_id": v.Form.Text("subscription_id")}, nil); err != nil {
		return v.Retry(err, v.plan)
	}
	return v.Done(said, v.planPage())
}

// openPortal redirects to the customer portal of the payment processor.
func (v *visit) openPortal() error {
	var made struct {
		URL string `json:"url"`
	}
	if err := v.Call("BILLING.PORTAL_CREATE", kit.Params{"return_url": v.Site.Host + billingPath}, &made); err != nil {
		if err := v.Refused(err); err != nil {
			return err
		}
		return v.Wrong(v.Form.Message, billingPath)
	}
	return v.Redirect(made.URL)
}

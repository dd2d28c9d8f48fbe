package commerce

import (
	"net/url"
	"time"

	"gatehouse.internal/adapters/client"
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
	Amount   int
	Currency string
}

func (s amount) String() string {
	return money.Of(int64(s.Amount), money.Currency(s.Currency)).String()
}

// price is a price with the name of its product.
type price struct {
	client.BillingPrice

	Product string
}

// Terms describes the price and its billing interval.
func (p price) Terms() string {
	said := amount{p.UnitAmount, p.Currency}.String()
	switch p.Model {
	case client.BillingPriceModelFlat:
	case "per_seat":
		said += " per seat"
	case "metered":
		said += " per use"
	case "tiered":
		said = "Tiered, in " + p.Currency
	}
	if p.Interval != "once" {
		said += ", every " + string(p.Interval)
	}
	return said
}

// subscription is a subscription with the name of its product.
type subscription struct {
	client.BillingSubscription

	Product string
}

// Good reports whether the subscription is active or on trial.
func (s subscription) Good() bool { return s.Status == "active" || s.Status == "trialing" }

// Ends reports whether the subscription ends with the current period.
func (s subscription) Ends() bool { return s.Status == "canceled" }

type invoice struct{ client.BillingInvoice }

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
	held, err := v.Me().BillingSubscriptionList(v.Context(), client.BillingSubscriptionListParams{Limit: new(kit.MostListed)})
	if err != nil {
		return err
	}
	const few = 20
	invoices, err := v.Me().BillingInvoiceList(v.Context(), client.BillingInvoiceListParams{Limit: new(few), Cursor: client.Given(v.Cursor())})
	if err != nil {
		return err
	}
	data := purchasesData{billingSection: in, Invoices: kit.Map(invoices.Items, func(one client.BillingInvoice) invoice { return invoice{one} }), More: invoices.NextCursor}
	for _, one := range held.Items {
		name, err := v.planName(one.ID)
		if err != nil {
			return err
		}
		data.Subscriptions = append(data.Subscriptions, subscription{one, name})
	}
	if len(invoices.Items) > 0 {
		self, err := v.Me().BillingCustomerGet(v.Context(), client.BillingCustomerGetParams{})
		if err != nil {
			return err
		}
		data.Portal = self.Portal
	}
	return v.Show("billing", "Billing", data)
}

// planData is the data of the page of a subscription.
type planData struct {
	Plan     subscription
	Price    price
	Upcoming *upcoming
	Product  client.BillingProduct
	Prices   []price
}

// upcoming is the next payment of a subscription.
type upcoming struct {
	amount

	At time.Time
}

func (v *visit) somePlan(id string) (planData, error) {
	found, err := v.Me().BillingSubscriptionGet(v.Context(), client.BillingSubscriptionGetParams{SubscriptionID: id})
	data := planData{Plan: subscription{BillingSubscription: found.Subscription}, Price: price{BillingPrice: found.Price}, Product: found.Product}
	if next := found.Upcoming; next != nil {
		data.Upcoming = &upcoming{amount{next.Amount, next.Currency}, next.At}
	}
	return data, err
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
	sold, err := v.Me().BillingPriceList(v.Context(), client.BillingPriceListParams{ProductID: new(data.Plan.ProductID), Active: new(true), Limit: new(kit.MostListed)})
	if err != nil {
		return err
	}
	for _, one := range sold.Items {
		if one.Interval != "once" {
			data.Prices = append(data.Prices, price{BillingPrice: one})
		}
	}
	return v.Show("plan", data.Product.Name, data)
}

func (v *visit) changePlan() error {
	p := kit.Params{"subscription_id": v.Form.Text("subscription_id")}.Text("price_id", v.Form.Text("price_id")).Text("coupon", v.Form.Text("coupon"))
	v.Integers(p, "quantity")
	if err := v.Me().Do(v.Context(), "BILLING.SUBSCRIPTION_UPDATE", p, nil); err != nil {
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
	_, err := v.Me().BillingSubscriptionCancel(v.Context(), client.BillingSubscriptionCancelParams{SubscriptionID: v.Form.Text("subscription_id")})
	return v.planChanged(err, "The subscription is canceled and ends with its current period.")
}

func (v *visit) resumePlan() error {
	_, err := v.Me().BillingSubscriptionResume(v.Context(), client.BillingSubscriptionResumeParams{SubscriptionID: v.Form.Text("subscription_id")})
	return v.planChanged(err, "The subscription is resumed.")
}

// planChanged continues after a change of the subscription of a form.
func (v *visit) planChanged(err error, said string) error {
	if err != nil {
		return v.Retry(err, v.plan)
	}
	return v.Done(said, v.planPage())
}

// openPortal redirects to the customer portal of the payment processor.
func (v *visit) openPortal() error {
	made, err := v.Me().BillingPortalCreate(v.Context(), client.BillingPortalCreateParams{ReturnURL: v.Site.Host + billingPath})
	if err != nil {
		if err := v.Refused(err); err != nil {
			return err
		}
		return v.Wrong(v.Form.Message, billingPath)
	}
	return v.Redirect(made.URL)
}

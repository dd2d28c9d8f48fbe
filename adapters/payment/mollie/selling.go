package mollie

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	api "github.com/VictorAvelar/mollie-api-go/v4/mollie"

	"gatehouse.internal/adapters/payment"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/money"
	ports "gatehouse.internal/ports/outbound/billing"
)

// longest is how long descriptions may be, in characters.
const longest = 255

// EnsurePrice returns the price itself: Mollie has none, and is told what is to be paid.
func (*Mollie) EnsurePrice(_ context.Context, _ ports.PriceOrder, key string) (string, error) {
	return key, nil
}

// EnsureCoupon is nothing that Mollie can do.
func (*Mollie) EnsureCoupon(context.Context, billing.CouponSnapshot, string) (string, error) {
	return "", billing.Unable(Name, billing.CanDiscount)
}

// CreateCheckout makes a payment: the first of a subscription leaves a mandate. One that was
// made when its key had expired already is a page that nobody saw, and expires.
func (m *Mollie) CreateCheckout(ctx context.Context, order ports.CheckoutOrder, key string) (billing.Fact, error) {
	of := order.Checkout
	buyer, err := m.customer(ctx, order)
	if err != nil {
		return billing.Fact{}, err
	}
	marks := m.marks(order)
	body := api.CreatePayment{
		Amount: written(of.Subtotal), Description: short(order.Product), RedirectURL: of.SuccessURL, CancelURL: of.CancelURL, WebhookURL: m.hook(), Metadata: marks,
	}
	body.CustomerID, body.SequenceType = buyer, api.OneOffSequence
	if order.Price.Recurring() {
		body.SequenceType = api.FirstSequence
	}
	if of.TrialDays > 0 {
		marks[trialKey] = strconv.Itoa(of.TrialDays)
		// These leave a mandate without a payment
		// (https://help.mollie.com/hc/en-us/articles/214072489).
		body.Amount, body.Method = written(money.Of(0, of.Subtotal.Currency)), []api.PaymentMethod{api.Cards, api.PayPal}
	}
	at := m.options.Clock.Now()
	by, got, err := m.api.Payments.Create(once(ctx, key, http.MethodPost, "payments"), body, nil)
	if err != nil {
		return billing.Fact{}, answered(by, err)
	}
	made, err := readCharge(got)
	return sale{at: at, checkout: of.CheckoutID, page: made}.began(), err
}

// marks say of a payment and of a subscription what of ours they are.
func (*Mollie) marks(order ports.CheckoutOrder) object {
	of := order.Checkout
	marks := object{
		checkoutKey: of.CheckoutID.String(), priceKey: order.PriceID, quantityKey: text(of.Quantity), subtotalKey: text(of.Subtotal.Minor),
	}
	if order.Price.Recurring() {
		marks[intervalKey] = string(order.Price.Interval)
	}
	return marks
}

// hook is where hooks about what is made are to be sent. Mollie refuses addresses that it does
// not reach: of what is sold from there, a sweep learns, or BILLING.SYNC.
func (m *Mollie) hook() string {
	at, err := url.Parse(m.options.Host)
	if err != nil || at.Hostname() == "localhost" || net.ParseIP(at.Hostname()).IsLoopback() {
		return ""
	}
	return m.options.Host + hookPath
}

// short returns a description that is as long as Mollie lets descriptions be.
func short(of string) string {
	if letters := []rune(of); len(letters) > longest {
		return string(letters[:longest])
	}
	return of
}

// customer returns the customer at Mollie that somebody is, who is made unless known.
func (m *Mollie) customer(ctx context.Context, of ports.CheckoutOrder) (string, error) {
	if of.CustomerID != "" {
		return of.CustomerID, nil
	}
	ours := of.Checkout.CustomerID.String()
	body := api.CreateCustomer{Name: of.Name, Email: of.Email, Metadata: object{customerKey: ours}}
	by, made, err := m.api.Customers.Create(once(ctx, ours, http.MethodPost, "customers"), body)
	return payment.Value(made).ID, answered(by, err)
}

// Complete makes the subscription that follows a first payment, unless it is there. It charges
// from the second period on, or from the end of the trial.
func (m *Mollie) Complete(ctx context.Context, order ports.CheckoutOrder, key string) ([]billing.Fact, error) {
	of, at := order.Checkout, m.options.Clock.Now()
	page, err := m.charge(ctx, of.Remote.ID)
	if err != nil {
		return nil, err
	}
	held, err := m.of(ctx, at, page)
	if err != nil {
		return nil, err
	}
	if page.paid() && page.SequenceType == api.FirstSequence && held.sub.ID == "" {
		if err := m.subscribe(ctx, &held, order, key); err != nil {
			return nil, err
		}
	}
	return m.all(ctx, held)
}

func (m *Mollie) subscribe(ctx context.Context, held *sale, order ports.CheckoutOrder, key string) error {
	due, err := order.Price.Upfront(order.Checkout.Quantity)
	if err != nil {
		return err
	}
	begins := held.trialEnd()
	if begins.IsZero() {
		paid := payment.Value(held.page.PaidAt)
		begins = order.Price.Interval.Next(paid, paid)
	}
	return m.charging(ctx, held, key, api.CreateSubscription{
		Amount: written(due), Interval: interval(order.Price.Interval), StartDate: m.date(begins), Metadata: m.marks(order),
		Description: label(order.Product, held.checkout), MandateID: held.page.MandateID,
	})
}

// charging makes a subscription of a sale.
func (m *Mollie) charging(ctx context.Context, held *sale, key string, body api.CreateSubscription) error {
	customer := held.page.CustomerID
	body.WebhookURL = m.hook()
	return m.change(held, customer, func() (*api.Response, *api.Subscription, error) {
		return m.api.Subscriptions.Create(once(ctx, key, http.MethodPost, customer), url.PathEscape(customer), body)
	})
}

// change makes, changes or ends the subscription of a sale.
func (m *Mollie) change(held *sale, customer string, call func() (*api.Response, *api.Subscription, error)) error {
	held.at = m.options.Clock.Now()
	by, made, err := call()
	if err != nil {
		return answered(by, err)
	}
	held.sub, err = readSubscription(customer, made)
	return err
}

// label returns a description that no other subscription of a customer has, as Mollie wants.
func label(product string, of billing.CheckoutID) string {
	letters := []rune(product)
	most := longest - len(" ()") - len(of)
	return string(letters[:min(len(letters), most)]) + " (" + of.String() + ")"
}

// interval returns an interval as Mollie has it.
func interval(of billing.Interval) string {
	if of == billing.Year {
		return "12 months"
	}
	return "1 month"
}

// east is how much later than by UTC it may be at Mollie, whose days begin in Amsterdam.
const east = 2 * time.Hour

// date returns a day that Mollie is told, which cannot be one that is over there.
func (m *Mollie) date(at time.Time) *api.ShortDate {
	if today := m.options.Clock.Now().UTC().Add(east); at.Before(today) {
		at = today
	}
	return &api.ShortDate{Time: at.UTC()}
}

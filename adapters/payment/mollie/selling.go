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
	"gatehouse.internal/ports/outbound/commerce"
)

// longest is the maximum length of a description, in characters.
const longest = 255

// EnsurePrice returns the key, because Mollie has no prices.
func (*Mollie) EnsurePrice(_ context.Context, _ commerce.PriceOrder, key string) (string, error) {
	return key, nil
}

// EnsureCoupon fails, because Mollie has no coupons.
func (*Mollie) EnsureCoupon(context.Context, billing.CouponSnapshot, string) (string, error) {
	return "", billing.Unable(Name, billing.CanDiscount)
}

// CreateCheckout creates a payment. That of a subscription also creates a mandate. If a retry creates another one
// after the idempotency key expired, the page of the first expires unused.
func (m *Mollie) CreateCheckout(ctx context.Context, order commerce.CheckoutOrder, key string) (billing.Fact, error) {
	of := order.Checkout
	buyer, err := m.customer(ctx, order)
	if err != nil {
		return billing.Fact{}, err
	}
	marks := m.marks(order)
	body := api.CreatePayment{
		Amount: apiAmount(of.Subtotal), Description: payment.Truncate(order.Product, longest), RedirectURL: of.SuccessURL, CancelURL: of.CancelURL, WebhookURL: m.webhookURL(), Metadata: marks,
	}
	body.CustomerID, body.SequenceType = buyer, api.OneOffSequence
	if order.Price.Recurring() {
		body.SequenceType = api.FirstSequence
	}
	if of.TrialDays > 0 {
		marks[trialKey] = strconv.Itoa(of.TrialDays)
		// These methods create a mandate without a payment
		// (https://help.mollie.com/hc/en-us/articles/214072489).
		body.Amount, body.Method = apiAmount(money.Of(0, of.Subtotal.Currency)), []api.PaymentMethod{api.Cards, api.PayPal}
	}
	at := m.options.Clock.Now()
	response, got, err := m.api.Payments.Create(once(ctx, key, http.MethodPost, "payments"), body, nil)
	if err != nil {
		return billing.Fact{}, apiError(response, err)
	}
	made, err := readCharge(got)
	return sale{at: at, checkout: of.CheckoutID, page: made}.checkoutFact(), err
}

// marks returns the metadata of a payment or subscription of an order.
func (*Mollie) marks(order commerce.CheckoutOrder) object {
	of := order.Checkout
	marks := object{
		checkoutKey: of.CheckoutID.String(), priceKey: order.PriceID, quantityKey: text(of.Quantity), subtotalKey: text(of.Subtotal.Minor),
	}
	if order.Price.Recurring() {
		marks[intervalKey] = string(order.Price.Interval)
	}
	return marks
}

// webhookURL returns the address for webhooks, "" for a loopback address, which Mollie refuses. Without webhooks
// changes are found by polling, or by BILLING.SYNC.
func (m *Mollie) webhookURL() string {
	at, err := url.Parse(m.options.Host)
	if err != nil || at.Hostname() == "localhost" || net.ParseIP(at.Hostname()).IsLoopback() {
		return ""
	}
	return m.options.Host + hookPath
}

// customer returns the identifier of the customer at Mollie, and creates one if the order has none.
func (m *Mollie) customer(ctx context.Context, of commerce.CheckoutOrder) (string, error) {
	if of.CustomerID != "" {
		return of.CustomerID, nil
	}
	ours := of.Checkout.CustomerID.String()
	body := api.CreateCustomer{Name: of.Name, Email: of.Email, Metadata: object{customerKey: ours}}
	response, made, err := m.api.Customers.Create(once(ctx, ours, http.MethodPost, "customers"), body)
	return payment.Value(made).ID, apiError(response, err)
}

// Complete creates the subscription after the first payment, unless there is one. It charges from the second
// period on, or from the end of the trial.
func (m *Mollie) Complete(ctx context.Context, order commerce.CheckoutOrder, key string) ([]billing.Fact, error) {
	of, at := order.Checkout, m.options.Clock.Now()
	page, err := m.charge(ctx, of.Remote.ID)
	if err != nil {
		return nil, err
	}
	held, err := m.saleOf(ctx, at, page)
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

func (m *Mollie) subscribe(ctx context.Context, held *sale, order commerce.CheckoutOrder, key string) error {
	due, err := order.Price.Upfront(order.Checkout.Quantity)
	if err != nil {
		return err
	}
	begins := held.trialEnd()
	if begins.IsZero() {
		paid := payment.Value(held.page.PaidAt)
		begins = order.Price.Interval.Next(paid, paid)
	}
	return m.createSubscription(ctx, held, key, api.CreateSubscription{
		Amount: apiAmount(due), Interval: interval(order.Price.Interval), StartDate: m.date(begins), Metadata: m.marks(order),
		Description: uniqueDescription(order.Product, held.checkout), MandateID: held.page.MandateID,
	})
}

// createSubscription creates a subscription of a sale.
func (m *Mollie) createSubscription(ctx context.Context, held *sale, key string, body api.CreateSubscription) error {
	customer := held.page.CustomerID
	body.WebhookURL = m.webhookURL()
	return m.change(held, customer, func() (*api.Response, *api.Subscription, error) {
		return m.api.Subscriptions.Create(once(ctx, key, http.MethodPost, customer), url.PathEscape(customer), body)
	})
}

// change calls Mollie, and stores the returned subscription in the sale.
func (m *Mollie) change(held *sale, customer string, call func() (*api.Response, *api.Subscription, error)) error {
	held.at = m.options.Clock.Now()
	response, made, err := call()
	if err != nil {
		return apiError(response, err)
	}
	held.sub, err = readSubscription(customer, made)
	return err
}

// uniqueDescription returns a description that no other subscription of a customer has, as Mollie requires.
func uniqueDescription(product string, of billing.CheckoutID) string {
	return payment.Truncate(product, longest-len(" ()")-len(of)) + " (" + of.String() + ")"
}

// interval returns an interval in the format of Mollie.
func interval(of billing.Interval) string {
	if of == billing.Year {
		return "12 months"
	}
	return "1 month"
}

// utcOffset is the maximum offset from UTC of the time zone of Mollie, Europe/Amsterdam.
const utcOffset = 2 * time.Hour

// date returns the date of a time, or the current date at Mollie if the time has passed.
func (m *Mollie) date(at time.Time) *api.ShortDate {
	if today := m.options.Clock.Now().UTC().Add(utcOffset); at.Before(today) {
		at = today
	}
	return &api.ShortDate{Time: at.UTC()}
}

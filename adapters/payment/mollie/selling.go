package mollie

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

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
	body := object{
		"amount": written(of.Subtotal), "description": short(order.Product), "redirectUrl": of.SuccessURL, "customerId": buyer, "sequenceType": oneOff,
		"metadata": marks,
	}
	if order.Price.Recurring() {
		body["sequenceType"] = first
	}
	if of.TrialDays > 0 {
		marks[trialKey] = strconv.Itoa(of.TrialDays)
		// These leave a mandate without a payment
		// (https://help.mollie.com/hc/en-us/articles/214072489).
		body["amount"], body["method"] = written(money.Of(0, of.Subtotal.Currency)), []string{"creditcard", "paypal"}
	}
	if of.CancelURL != "" {
		body["cancelUrl"] = of.CancelURL
	}
	m.hooked(body)
	at := m.options.Clock.Now()
	var made charge
	err = m.do(ctx, act{http.MethodPost, "payments", key, body}, &made)
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

// hooked lets hooks be sent about what is made. Mollie refuses addresses that it does not
// reach: of what is sold from there, a sweep learns, or BILLING.SYNC.
func (m *Mollie) hooked(body object) {
	at, err := url.Parse(m.options.Host)
	if err != nil || at.Hostname() == "localhost" || net.ParseIP(at.Hostname()).IsLoopback() {
		return
	}
	body["webhookUrl"] = m.options.Host + hookPath
}

// short is a description that is as long as Mollie lets descriptions be.
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
	body := object{"metadata": object{customerKey: ours}}
	if of.Name != "" {
		body["name"] = of.Name
	}
	if of.Email != "" {
		body["email"] = of.Email
	}
	var made named
	err := m.do(ctx, act{http.MethodPost, "customers", ours, body}, &made)
	return made.ID, err
}

// Complete makes the subscription that follows a first payment, unless it is there. It charges
// from the second period on, or from the end of the trial.
func (m *Mollie) Complete(ctx context.Context, order ports.CheckoutOrder, key string) ([]billing.Fact, error) {
	of, at := order.Checkout, m.options.Clock.Now()
	var page charge
	if err := m.get(ctx, "payments/"+url.PathEscape(of.Remote.ID), nil, &page); err != nil {
		return nil, err
	}
	held, err := m.of(ctx, at, page)
	if err != nil {
		return nil, err
	}
	if page.paid() && page.Sequence == first && held.sub.ID == "" {
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
		begins = order.Price.Interval.Next(held.page.PaidAt, held.page.PaidAt)
	}
	body := object{
		"amount": written(due), "interval": interval(order.Price.Interval), "startDate": m.date(begins), "metadata": m.marks(order),
		"description": label(order.Product, held.checkout),
	}
	if held.page.MandateID != "" {
		body["mandateId"] = held.page.MandateID
	}
	return m.charging(ctx, held, key, body)
}

// charging makes a subscription of a sale.
func (m *Mollie) charging(ctx context.Context, held *sale, key string, body object) error {
	m.hooked(body)
	return m.change(ctx, held, act{http.MethodPost, "customers/" + url.PathEscape(held.page.CustomerID) + "/subscriptions", key, body})
}

// change makes, changes or ends the subscription of a sale.
func (m *Mollie) change(ctx context.Context, held *sale, by act) error {
	held.at, held.sub = m.options.Clock.Now(), subscription{}
	return m.do(ctx, by, &held.sub)
}

// label is a description that no other subscription of a customer has, as Mollie wants.
func label(product string, of billing.CheckoutID) string {
	letters := []rune(product)
	most := longest - len(" ()") - len(of)
	return string(letters[:min(len(letters), most)]) + " (" + of.String() + ")"
}

// interval is an interval as Mollie has it.
func interval(of billing.Interval) string {
	if of == billing.Year {
		return "12 months"
	}
	return "1 month"
}

// east is how much later than by UTC it may be at Mollie, whose days begin in Amsterdam.
const east = 2 * time.Hour

// date is a day that Mollie is told, which cannot be one that is over there.
func (m *Mollie) date(at time.Time) string {
	if today := m.options.Clock.Now().UTC().Add(east); at.Before(today) {
		at = today
	}
	return at.UTC().Format(time.DateOnly)
}

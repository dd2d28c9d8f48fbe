package mollie

import (
	"fmt"

	api "github.com/VictorAvelar/mollie-api-go/v4/mollie"

	"gatehouse.internal/adapters/payment"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/money"
)

// The objects of the library, with what it leaves as text or unread. What is null or left out
// is the zero value.

// sum reads an amount; none is zero. It fails with payment.ErrAmount.
func sum(a *api.Amount) (money.Amount, error) {
	if a == nil {
		return money.Amount{}, nil
	}
	of, err := payment.OfDecimal(a.Value, a.Currency)
	if err != nil {
		return money.Amount{}, fmt.Errorf("read an amount of mollie: %w", err)
	}
	return of, nil
}

// written returns an amount as calls have it.
func written(a money.Amount) *api.Amount {
	return &api.Amount{Currency: string(a.Currency), Value: payment.Decimal(a)}
}

// href returns the address of a link; "" for none.
func href(of *api.URL) string { return payment.Value(of).Href }

// marked is an object that says what of ours it is.
type marked struct {
	Sum   money.Amount
	Marks payment.Marks
}

func read(amount *api.Amount, metadata any) (m marked, err error) {
	m.Marks = payment.MarksOf(metadata)
	m.Sum, err = sum(amount)
	return m, err
}

// sale returns the checkout that an object belongs to; "" for none.
func (m marked) sale() billing.CheckoutID { return billing.CheckoutID(m.Marks[checkoutKey]) }

// charge is a payment, or what is or was to be one.
type charge struct {
	api.Payment
	marked
}

func readCharge(p *api.Payment) (c charge, err error) {
	c.Payment = payment.Value(p)
	c.marked, err = read(c.Amount, c.Metadata)
	return c, err
}

func (c charge) paid() bool { return c.Status == "paid" }

// over reports whether a charge ended without a payment.
func (c charge) over() bool {
	return c.Status == "failed" || c.Status == "expired" || c.Status == "canceled"
}

// subscription charges a sum again and again.
type subscription struct {
	api.Subscription
	marked

	customer string
}

func readSubscription(customer string, of *api.Subscription) (s subscription, err error) {
	s.customer, s.Subscription = customer, payment.Value(of)
	s.marked, err = read(s.Amount, s.Metadata)
	return s, err
}

// whole returns the identifier of a subscription, which Mollie knows below its customer alone.
func (s subscription) whole() string { return s.customer + "/" + s.ID }

// live reports whether the subscription goes on, or is there at all.
func (s subscription) live() bool {
	return s.ID != "" && s.Status != api.SubscriptionStatusCanceled && s.Status != api.SubscriptionStatusCompleted
}

// back is a refund.
type back struct {
	api.Refund
	marked
}

func readBack(of *api.Refund) (b back, err error) {
	b.Refund = payment.Value(of)
	b.marked, err = read(b.Amount, b.Metadata)
	return b, err
}

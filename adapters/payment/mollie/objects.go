package mollie

import (
	"fmt"

	api "github.com/VictorAvelar/mollie-api-go/v4/mollie"

	"gatehouse.internal/adapters/payment"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/money"
)

// The types below add to the objects of the library the fields that it leaves undecoded. A field that is null or
// absent has the zero value.

// readAmount converts an amount; nil to zero. It fails with payment.ErrAmount.
func readAmount(a *api.Amount) (money.Amount, error) {
	if a == nil {
		return money.Amount{}, nil
	}
	of, err := payment.OfDecimal(a.Value, a.Currency)
	if err != nil {
		return money.Amount{}, fmt.Errorf("read an amount of mollie: %w", err)
	}
	return of, nil
}

// apiAmount returns an amount in the format of the API.
func apiAmount(a money.Amount) *api.Amount {
	return &api.Amount{Currency: string(a.Currency), Value: payment.Decimal(a)}
}

// href returns the address of a link; "" for none.
func href(of *api.URL) string { return payment.Value(of).Href }

// marked holds the amount of an object, and the metadata that links it to ours.
type marked struct {
	Sum   money.Amount
	Marks payment.Marks
}

func read(amount *api.Amount, metadata any) (m marked, err error) {
	m.Marks = payment.MarksOf(metadata)
	m.Sum, err = readAmount(amount)
	return m, err
}

// sale returns the checkout to which an object belongs; "" for none.
func (m marked) sale() billing.CheckoutID { return billing.CheckoutID(m.Marks[checkoutKey]) }

// charge is a payment of any status.
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

// over reports whether a charge ended without being paid.
func (c charge) over() bool {
	return c.Status == "failed" || c.Status == "expired" || c.Status == "canceled"
}

// subscription is a subscription with its customer.
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

// fullID returns the identifier of a subscription with that of its customer, without which Mollie does not find
// it.
func (s subscription) fullID() string { return s.customer + "/" + s.ID }

// live reports whether the subscription exists and has not ended.
func (s subscription) live() bool {
	return s.ID != "" && s.Status != api.SubscriptionStatusCanceled && s.Status != api.SubscriptionStatusCompleted
}

// refund is a refund.
type refund struct {
	api.Refund
	marked
}

func readRefund(of *api.Refund) (b refund, err error) {
	b.Refund = payment.Value(of)
	b.marked, err = read(b.Amount, b.Metadata)
	return b, err
}

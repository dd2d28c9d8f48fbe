package mollie

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"time"

	api "github.com/VictorAvelar/mollie-api-go/v4/mollie"

	"gatehouse.internal/adapters/payment"
	"gatehouse.internal/domain/billing"
)

const day = 24 * time.Hour

// sale holds the objects of a sale at Mollie, as fetched at a time.
type sale struct {
	at       time.Time
	checkout billing.CheckoutID
	// page is the charge whose payment page the buyer was sent to.
	page charge
	// charges are all charges, newest first, including page.
	charges []charge
	// sub is the live subscription, or else the latest one; zero for none.
	sub subscription
}

// saleOf returns the sale to which a charge belongs; one without a page if the charge is not ours.
func (m *Mollie) saleOf(ctx context.Context, at time.Time, found charge) (sale, error) {
	switch {
	case found.sale() == "":
		return sale{}, nil
	case found.SequenceType == api.OneOffSequence || found.CustomerID == "":
		return sale{at: at, checkout: found.sale(), page: found, charges: []charge{found}}, nil
	}
	held, err := m.subscriptionSale(ctx, at, found.CustomerID, found.sale())
	if err == nil && found.SequenceType == api.FirstSequence {
		held.page = found
	}
	return held, err
}

// subscriptionSale returns the sale of a subscription to a customer. If a call without a response created the page
// twice, it is the one that was paid.
func (m *Mollie) subscriptionSale(ctx context.Context, at time.Time, customer string, checkout billing.CheckoutID) (sale, error) {
	held := sale{at: at, checkout: checkout}
	charged, err := collect(m.charges(ctx, customer))
	if err != nil {
		return sale{}, err
	}
	subs, err := collect(m.subscriptions(ctx, customer))
	if err != nil {
		return sale{}, err
	}
	held.charges = slices.DeleteFunc(charged, func(one charge) bool { return one.sale() != checkout })
	for _, one := range held.charges {
		if one.SequenceType == api.FirstSequence && (held.page.ID == "" || one.paid()) {
			held.page = one
		}
	}
	for _, one := range subs {
		if one.sale() == checkout && (held.sub.ID == "" || (one.live() && !held.sub.live())) {
			held.sub = one
		}
	}
	return held, nil
}

// bySubscription returns the sale of a subscription.
func (m *Mollie) bySubscription(ctx context.Context, whole string) (held sale, err error) {
	at := m.options.Clock.Now()
	customer, id := splitID(whole)
	response, found, err := m.api.Subscriptions.Get(ctx, url.PathEscape(customer), url.PathEscape(id))
	if err != nil {
		return sale{}, apiError(response, err)
	}
	of, err := readSubscription(customer, found)
	if err != nil {
		return sale{}, err
	}
	return m.subscriptionSale(ctx, at, customer, of.sale())
}

// moment returns the time for a date of Mollie: the time of day at which the sale began.
func (s sale) moment(date *api.ShortDate) time.Time {
	if date == nil {
		return time.Time{}
	}
	began := payment.Value(s.page.PaidAt).UTC()
	return date.Add(began.Sub(began.Truncate(day)))
}

// next returns the end of the period that begins at a time.
func (s sale) next(from time.Time) time.Time {
	return billing.Interval(s.sub.Marks[intervalKey]).Next(from, from)
}

// trialEnd returns the end of the trial with which the sale began; zero for none.
func (s sale) trialEnd() time.Time {
	days, err := strconv.Atoi(s.page.Marks[trialKey])
	if err != nil {
		return time.Time{}
	}
	return payment.Value(s.page.PaidAt).AddDate(0, 0, days)
}

// period returns the current period, and reports whether its charge failed. The first period lasts until the
// subscription begins to charge, and each charge begins another. A manual charge by the mandate, with the
// metadata of the sale, pays for a charge that failed.
func (s sale) period() (start, end time.Time, due bool) {
	start, end = payment.Value(s.page.PaidAt), s.moment(s.sub.StartDate)
	for n, one := range s.renewals() {
		if n == 0 {
			due = one.over()
		}
		if one.SubscriptionID == "" {
			continue
		}
		start = payment.Value(one.CreatedAt)
		if one.SubscriptionID == s.sub.ID {
			end = s.next(start)
		}
		break
	}
	if next := s.moment(s.sub.NextPaymentDate); !next.IsZero() {
		end = next
	}
	return start, end, due
}

// renewals returns the charges that were made by the mandate, newest first.
func (s sale) renewals() (all []charge) {
	for _, one := range s.charges {
		if one.SequenceType == api.RecurringSequence {
			all = append(all, one)
		}
	}
	return all
}

package paypal

import (
	"slices"
	"strconv"
	"time"

	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/money"
)

// sale holds the objects of a sale at PayPal, an order or a subscription, as fetched at a time.
type sale struct {
	marks

	at    time.Time
	order order
	sub   subscription
	// charges are all charges, newest first.
	charges []charge
	backs   []refund
}

// charge is a capture of an order, or a transaction of a subscription.
type charge struct {
	id, status, failure string
	amount              money.Amount
	tax                 int64
	at                  time.Time
	label               string
}

func (c charge) paid() bool {
	return c.status == "COMPLETED" || c.status == "PARTIALLY_REFUNDED" || c.status == "REFUNDED"
}

// ofOrder returns the sale of an order; without marks if it is not ours.
func ofOrder(o order, at time.Time) sale {
	s := sale{at: at, order: o}
	for _, one := range o.Units {
		s.marks = marked(one.CustomID)
		for _, c := range one.Payments.Captures {
			s.charges = append(s.charges, charge{
				id: c.ID, status: c.Status, failure: c.StatusDetails.Reason, amount: c.Amount.Amount, at: c.CreatedAt, label: one.Description,
			})
		}
		s.backs = append(s.backs, one.Payments.Refunds...)
	}
	return s
}

// ofSubscription returns the sale of a subscription; without marks if it is not ours.
func ofSubscription(of subscription, made []transaction, at time.Time) sale {
	s := sale{at: at, sub: of, marks: marked(of.CustomID)}
	if of.Plan.PerSeat {
		s.quantity, _ = strconv.ParseInt(of.Quantity, 10, 64)
	}
	for _, t := range made {
		s.charges = append(s.charges, charge{
			id: t.ID, status: t.Status, failure: t.StatusDetails.Reason, amount: t.Amounts.Gross.Amount, tax: t.Amounts.Tax.Minor, at: t.Time, label: of.Plan.Name,
		})
	}
	slices.SortStableFunc(s.charges, func(a, b charge) int { return b.at.Compare(a.at) })
	return s
}

// trial reports whether the subscription has a trial: it starts later than it was created.
func (s sale) trial() bool { return s.sub.Start.Sub(s.sub.CreatedAt) > day/2 }

const day = 24 * time.Hour

// begun reports whether the subscription has begun: the buyer approved it, and paid unless it has a trial.
func (s sale) begun() bool {
	switch s.sub.Status {
	case "", "APPROVAL_PENDING", "APPROVED":
		return false
	}
	return s.trial() || s.lastPaid().paid() || !s.sub.Billing.Last.Time.IsZero()
}

// lastPaid returns the last charge that was paid; zero for none.
func (s sale) lastPaid() charge {
	for _, one := range s.charges {
		if one.paid() {
			return one
		}
	}
	return charge{}
}

// captured returns the sum of the charges that were paid.
func (s sale) captured() (sum int64) {
	for _, one := range s.charges {
		if one.paid() {
			sum += one.amount.Minor
		}
	}
	return sum
}

// due reports whether a failed charge has not been paid since.
func (s sale) due() bool { return s.sub.Billing.Failed > 0 || s.sub.Billing.Outstanding.Minor > 0 }

// leaving reports whether we suspended the subscription, so that it ends with its period.
func (s sale) leaving() bool { return s.sub.Status == "SUSPENDED" && s.sub.Note == endsNote }

// period returns the current period, which begins with a charge or the trial.
func (s sale) period() (start, end time.Time) {
	if len(s.charges) == 0 && s.at.Before(s.sub.Start) && s.trial() {
		return s.sub.CreatedAt, s.sub.Start
	}
	start = s.sub.Start
	if len(s.charges) > 0 {
		start = s.charges[0].at
	}
	if end = s.sub.Billing.Next; !end.After(start) {
		end = s.interval.Next(start, start)
	}
	return start, end
}

// paidUntil returns the end of the paid period, or of the trial.
func (s sale) paidUntil() time.Time {
	last := s.lastPaid()
	switch {
	case last.paid():
		return s.interval.Next(last.at, last.at)
	case !s.sub.Billing.Last.Time.IsZero():
		return s.interval.Next(s.sub.Billing.Last.Time, s.sub.Billing.Last.Time)
	}
	return s.sub.Start
}

// agreed returns the price of the sale before tax: the first charge, or else the price of the plan.
func (s sale) agreed() money.Amount {
	if s.interval == "" {
		for _, one := range s.order.Units {
			return one.Amount.Amount
		}
		return money.Amount{}
	}
	if n := len(s.charges); n > 0 && !s.trial() {
		first := s.charges[n-1]
		first.amount.Minor -= first.tax
		return first.amount
	}
	var due money.Amount
	for _, one := range s.sub.Plan.Cycles {
		if due = one.Scheme.Fixed.Amount; s.sub.Plan.PerSeat {
			due.Minor *= s.quantity
		}
	}
	return due
}

// status returns the status of the subscription, and when it ended.
func (s sale) status() (status billing.SubscriptionStatus, ended time.Time) {
	until := s.paidUntil()
	over := s.sub.Status == "CANCELLED" || s.sub.Status == "EXPIRED" || s.leaving()
	switch {
	case over && s.at.Before(until):
		return billing.Canceled, time.Time{}
	case over && s.leaving(), over && !s.sub.ChangedAt.After(until):
		return billing.Ended, until
	case over:
		return billing.Ended, s.sub.ChangedAt
	case s.due():
		return billing.PastDue, time.Time{}
	case s.sub.Status == "SUSPENDED":
		return billing.Paused, time.Time{}
	case s.trial() && s.at.Before(s.sub.Start):
		return billing.Trialing, time.Time{}
	}
	return billing.Active, time.Time{}
}

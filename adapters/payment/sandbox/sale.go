package sandbox

import (
	"fmt"
	"time"

	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/money"
)

// put stores the state of an object at a time.
func (s *Sale) put(id string, at time.Time, f billing.Fact) billing.Fact {
	f.ID, f.CheckoutID, f.At = id, s.CheckoutID, at
	s.At = at
	for i := range s.Facts {
		if s.Facts[i].ID == id {
			s.Facts[i] = f
			return f
		}
	}
	s.Facts = append(s.Facts, f)
	return f
}

// add stores a new object.
func (s *Sale) add(kind string, at time.Time, f billing.Fact) billing.Fact {
	return s.put(fmt.Sprintf("%s_%s%d", s.ID, kind, len(s.Facts)), at, f)
}

// find returns the object with an identifier; nil for none.
func (s *Sale) find(id string) *billing.Fact {
	for i := range s.Facts {
		if s.Facts[i].ID == id {
			return &s.Facts[i]
		}
	}
	return nil
}

// latest returns the last object that matches; nil for none.
func (s *Sale) latest(matches func(billing.Fact) bool) *billing.Fact {
	for i := len(s.Facts) - 1; i >= 0; i-- {
		if matches(s.Facts[i]) {
			return &s.Facts[i]
		}
	}
	return nil
}

func (s *Sale) subscription() *billing.Fact {
	return s.latest(func(f billing.Fact) bool { return f.Subscription != nil })
}

// paid returns the last successful payment; nil for none.
func (s *Sale) paid() *billing.Fact {
	return s.latest(func(f billing.Fact) bool { return f.Payment != nil && f.Payment.Status == billing.PaymentSucceeded })
}

// due returns the last open invoice; nil for none.
func (s *Sale) due() *billing.Fact {
	return s.latest(func(f billing.Fact) bool { return f.Invoice != nil && f.Invoice.Status == billing.InvoiceOpen })
}

// refunded returns the sum of the refunds of a payment, in minor units.
func (s *Sale) refunded(payment string) (sum int64) {
	for _, f := range s.Facts {
		if f.Refund != nil && f.Refund.PaymentID == payment && f.Refund.Status == billing.RefundSucceeded {
			sum += f.Refund.Amount.Minor
		}
	}
	return sum
}

// bill adds an invoice of an amount for a period, with a payment that succeeds or fails.
func (s *Sale) bill(amount money.Amount, from, until, now time.Time, pays bool) {
	invoice := billing.InvoiceFact{
		Status: billing.InvoiceOpen, Currency: amount.Currency, Subtotal: amount.Minor, Total: amount.Minor,
		Lines: []billing.Line{{Description: s.Product, Quantity: s.Quantity, Amount: amount.Minor}}, PeriodStart: from, PeriodEnd: until, IssuedAt: now,
	}
	if pays {
		invoice.Status, invoice.PaidAt = billing.InvoicePaid, now
	}
	written := s.add("inv", now, billing.Fact{Invoice: &invoice})
	if amount.Minor == 0 {
		return
	}
	payment := billing.PaymentFact{Status: billing.PaymentSucceeded, InvoiceID: written.ID, Amount: amount}
	if !pays {
		payment.Status, payment.Failure = billing.PaymentFailed, "The card was declined."
	}
	s.add("pay", now, billing.Fact{Payment: &payment})
}

// renewal returns the amount that is charged when a period begins at a time; for a metered sale, that of the usage in
// the previous period.
func (s *Sale) renewal(at time.Time) money.Amount {
	if s.Metered {
		// billing.Usage.Plus limits the usage, so that the product does not overflow.
		used := money.Of(s.Unit.Minor*s.Used, s.Unit.Currency)
		s.Used = 0
		return used
	}
	due := s.period(at)
	due.Minor += s.Carried
	s.Carried = 0
	return due
}

// period returns the price of a period that begins at a time.
func (s *Sale) period(at time.Time) money.Amount {
	const months = 12
	begun := (at.Year()-s.CreatedAt.Year())*months + int(at.Month()) - int(s.CreatedAt.Month())
	if s.Discount.Duration == billing.Forever || (s.Discount.Duration == billing.Repeating && begun < s.Discount.Months) {
		return s.First
	}
	return s.Later
}

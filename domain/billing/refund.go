package billing

import (
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/money"
)

// ErrNoRefund is returned if the refund does not exist, or the caller may not see it.
var ErrNoRefund = fault.New(fault.NotFound, "no such refund")

// RefundStatus is the state of a refund.
type RefundStatus string

// The states of refunds. A failed one frees its share of the payment.
const (
	RefundPending   RefundStatus = "pending"
	RefundSucceeded RefundStatus = "succeeded"
	RefundFailed    RefundStatus = "failed"
)

func (s RefundStatus) rank() int {
	return map[RefundStatus]int{RefundPending: 1, RefundSucceeded: 2, RefundFailed: 3}[s]
}

// RefundSnapshot is the stored state of a refund.
type RefundSnapshot struct {
	Sale

	ID     RefundID
	Remote Remote
	// PaymentID is ours; empty until the payment is known. Payment is the processor's.
	PaymentID PaymentID
	Payment   string
	Amount    money.Amount
	Status    RefundStatus
	Reason    string
	Failure   string
	CreatedAt time.Time
}

// Refund is money that goes back.
type Refund struct {
	root
	s RefundSnapshot
}

// GiveBack makes a refund that the processor is to be asked for.
func GiveBack(id RefundID, of PaymentSnapshot, amount money.Amount, reason string, now time.Time) *Refund {
	r := &Refund{s: RefundSnapshot{
		Sale: of.Sale, ID: id, PaymentID: of.ID, Payment: of.Remote.ID, Amount: amount, Status: RefundPending, Reason: reason, CreatedAt: now,
	}}
	r.Raise(RefundCreated{aboutRefund(r.s)})
	return r
}

// Given makes a refund that was made at the processor, and has no state before it takes a
// fact.
func Given(id RefundID, of Sale, now time.Time) *Refund {
	return &Refund{s: RefundSnapshot{Sale: of, ID: id, CreatedAt: now}}
}

// RestoreRefund returns the refund that was stored.
func RestoreRefund(s RefundSnapshot, version int64) *Refund {
	return &Refund{root: at(version), s: s}
}

// Snapshot returns the state to store.
func (r *Refund) Snapshot() RefundSnapshot { return r.s }

// Take takes a fact, and reports whether it changed anything. It fails with ErrLie for
// another currency than was agreed.
func (r *Refund) Take(f Fact, agreed money.Currency) (bool, error) {
	reported := *f.Refund
	if reported.Amount.Currency != agreed || reported.Amount.Minor < 0 || reported.Amount.Minor > money.Most {
		return false, ErrLie
	}
	had := r.s.Status.rank()
	if r.s.Remote.ID == "" {
		had = 0
	}
	if !r.s.Remote.take(f.ID, f.At, reported.Status.rank(), had) {
		return false, nil
	}
	before := r.s.Status
	r.s.Status, r.s.Amount, r.s.Failure, r.s.Payment = reported.Status, reported.Amount, reported.Failure, reported.PaymentID
	r.announce(before)
	return true, nil
}

// Fail ends a refund that the processor did not take.
func (r *Refund) Fail(why string) {
	if r.s.Status != RefundPending {
		return
	}
	r.s.Status, r.s.Failure = RefundFailed, why
	r.announce(RefundPending)
}

func (r *Refund) announce(before RefundStatus) {
	switch {
	case before == r.s.Status:
	case r.s.Status == RefundSucceeded:
		r.Raise(RefundSucceededEvent{aboutRefund(r.s)})
	case r.s.Status == RefundFailed:
		r.Raise(RefundFailedEvent{aboutRefund(r.s)})
	}
}

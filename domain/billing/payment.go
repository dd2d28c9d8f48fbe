package billing

import (
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/money"
)

// Errors of payments and refunds.
var (
	ErrNoPayment = fault.New(fault.NotFound, "no such payment")
	ErrNotPaid   = fault.New(fault.Validation, "there is no paid amount left to refund")
	errRefund    = fault.Unfit("/amount", "must not exceed the amount paid minus completed and pending refunds")
)

// PaymentStatus is the state of a payment.
type PaymentStatus string

// The states of payments.
const (
	PaymentPending   PaymentStatus = "pending"
	PaymentSucceeded PaymentStatus = "succeeded"
	PaymentFailed    PaymentStatus = "failed"
)

// Dispute is whether the buyer's bank took a payment back.
type Dispute string

// The states of disputes; empty for none.
const (
	DisputeOpen Dispute = "open"
	DisputeWon  Dispute = "won"
	DisputeLost Dispute = "lost"
)

func (s PaymentSnapshot) rank() int {
	const states = 4
	return map[PaymentStatus]int{PaymentPending: 1, PaymentFailed: 2, PaymentSucceeded: 3}[s.Status]*states +
		map[Dispute]int{DisputeOpen: 1, DisputeWon: 2, DisputeLost: 3}[s.Dispute]
}

// PaymentSnapshot is the stored state of a payment.
type PaymentSnapshot struct {
	Sale

	ID     PaymentID
	Remote Remote
	// Invoice is the processor's identifier of the invoice; empty for none.
	Invoice   string
	Status    PaymentStatus
	Amount    money.Amount
	Dispute   Dispute
	Failure   string
	CreatedAt time.Time
}

// Payment is one transfer of money, or the attempt.
type Payment struct {
	root
	s PaymentSnapshot
}

// Pay makes a payment of a sale, which has no state before it takes a fact.
func Pay(id PaymentID, of Sale, now time.Time) *Payment {
	return &Payment{s: PaymentSnapshot{Sale: of, ID: id, CreatedAt: now}}
}

// RestorePayment returns the payment that was stored.
func RestorePayment(s PaymentSnapshot, version int64) *Payment {
	return &Payment{root: at(version), s: s}
}

// Snapshot returns the state to store.
func (p *Payment) Snapshot() PaymentSnapshot { return p.s }

// Take takes a fact, and reports whether it changed anything. It fails with ErrLie for
// another currency than was agreed, and for a success of less than was due.
func (p *Payment) Take(f Fact, agreed money.Currency) (bool, error) {
	reported := *f.Payment
	if reported.Amount.Currency != agreed || reported.Amount.Minor < 0 || reported.Amount.Minor > money.Most {
		return false, ErrLie
	}
	if reported.Status == PaymentSucceeded && reported.Due.Minor > reported.Amount.Minor {
		return false, ErrLie
	}
	next := p.s
	next.Status, next.Amount, next.Dispute, next.Failure, next.Invoice = reported.Status, reported.Amount, reported.Dispute, reported.Failure, reported.InvoiceID
	if !next.Remote.take(f.ID, f.At, next.rank(), p.s.rank()) {
		return false, nil
	}
	before := p.s
	p.s = next
	if next.Status == PaymentFailed && before.Status != PaymentFailed {
		p.Raise(PaymentFailedEvent{aboutPayment(next)})
	}
	if next.Dispute != before.Dispute {
		p.Raise(PaymentDisputed{aboutPayment(next), next.Dispute})
	}
	return true, nil
}

// Refundable returns the amount of a refund; 0 stands for the rest of the payment. It
// fails if the amount exceeds the rest; given is the sum of completed and pending
// refunds.
func (s PaymentSnapshot) Refundable(amount, given int64) (money.Amount, error) {
	left := s.Amount.Minor - given
	switch {
	case s.Status != PaymentSucceeded || (amount == 0 && left <= 0):
		return money.Amount{}, ErrNotPaid
	case amount == 0:
		amount = left
	case amount < 0 || amount > left:
		return money.Amount{}, errRefund
	}
	return money.Of(amount, s.Amount.Currency), nil
}

package billing

import (
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/money"
)

// ErrNoInvoice is returned if the invoice does not exist, or the caller may not see it.
var ErrNoInvoice = fault.New(fault.NotFound, "no such invoice")

// ErrNoDocument is returned if the processor has no document of an invoice.
var ErrNoDocument = fault.New(fault.NotFound, "no such document")

// InvoiceStatus is the state of an invoice.
type InvoiceStatus string

// The states of invoices.
const (
	InvoiceOpen          InvoiceStatus = "open"
	InvoicePaid          InvoiceStatus = "paid"
	InvoiceVoid          InvoiceStatus = "void"
	InvoiceUncollectible InvoiceStatus = "uncollectible"
)

func (s InvoiceStatus) rank() int {
	return map[InvoiceStatus]int{InvoiceOpen: 1, InvoiceUncollectible: 2, InvoicePaid: 3, InvoiceVoid: 4}[s]
}

// InvoiceSnapshot is the stored state of an invoice.
type InvoiceSnapshot struct {
	Sale

	ID     InvoiceID
	Remote Remote
	// Number is the processor's, or ours where it has none.
	Number string
	Status InvoiceStatus
	// Total is the amount due: Subtotal less Discount, plus Tax.
	Total                   money.Amount
	Subtotal, Discount, Tax int64
	Lines                   []Line
	PeriodStart, PeriodEnd  time.Time
	IssuedAt, PaidAt        time.Time
	CreatedAt               time.Time
}

// Invoice is an invoice of a sale, or of one period of it.
type Invoice struct {
	root
	s InvoiceSnapshot
}

// Bill makes an invoice of a sale, which has no state before it takes a fact.
func Bill(id InvoiceID, of Sale, now time.Time) *Invoice {
	return &Invoice{s: InvoiceSnapshot{Sale: of, ID: id, CreatedAt: now}}
}

// RestoreInvoice returns the invoice that was stored.
func RestoreInvoice(s InvoiceSnapshot, version int64) *Invoice {
	return &Invoice{root: at(version), s: s}
}

// Snapshot returns the state to store.
func (i *Invoice) Snapshot() InvoiceSnapshot { return i.s }

// Take takes a fact, and reports whether it changed anything. It fails with ErrLie where the
// amounts do not add up, or are of another currency than was agreed.
func (i *Invoice) Take(f Fact, agreed money.Currency) (bool, error) {
	reported := *f.Invoice
	if reported.Currency != agreed || reported.Subtotal < 0 || reported.Tax < 0 || reported.Discount < 0 || reported.Total < 0 || reported.Total > money.Most ||
		reported.Subtotal-reported.Discount+reported.Tax != reported.Total {
		return false, ErrLie
	}
	if !i.s.Remote.take(f.ID, f.At, reported.Status.rank(), i.s.Status.rank()) {
		return false, nil
	}
	before := i.s.Status
	if reported.Number != "" {
		i.s.Number = reported.Number
	}
	i.s.Status, i.s.Total = reported.Status, money.Of(reported.Total, reported.Currency)
	i.s.Subtotal, i.s.Discount, i.s.Tax, i.s.Lines = reported.Subtotal, reported.Discount, reported.Tax, reported.Lines
	i.s.PeriodStart, i.s.PeriodEnd, i.s.IssuedAt, i.s.PaidAt = reported.PeriodStart, reported.PeriodEnd, reported.IssuedAt, reported.PaidAt
	switch {
	case before == reported.Status:
	case reported.Status == InvoicePaid:
		i.Raise(InvoicePaidEvent{aboutInvoice(i.s)})
	case before != "":
		i.Raise(InvoiceUpdated{aboutInvoice(i.s)})
	}
	return true, nil
}

// Call assigns a number to an invoice without one.
func (i *Invoice) Call(number string) {
	if i.s.Number == "" {
		i.s.Number = number
	}
}

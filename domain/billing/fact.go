package billing

import (
	"time"

	"gatehouse.internal/domain/money"
)

// Fact is the complete state of an object at a processor, at a time. One of the
// pointers is set. If only Named is set, the state is unknown and must be fetched.
type Fact struct {
	// CheckoutID is the sale of the object; empty if only Named is set.
	CheckoutID CheckoutID `json:"checkout_id,omitzero"`
	// ID is the object's own at the processor.
	ID string `json:"id"`
	// At is the time of this state.
	At time.Time `json:"at"`

	Checkout     *CheckoutFact     `json:"checkout,omitempty"`
	Subscription *SubscriptionFact `json:"subscription,omitempty"`
	Invoice      *InvoiceFact      `json:"invoice,omitempty"`
	Payment      *PaymentFact      `json:"payment,omitempty"`
	Refund       *RefundFact       `json:"refund,omitempty"`
	Named        *ObjectRef        `json:"named,omitempty"`
}

// ObjectRef is an object named by a processor.
type ObjectRef struct {
	Kind string `json:"kind"`
	// At is the time of the state; zero if unknown.
	At time.Time `json:"at,omitzero"`
	// Of are the objects that it belongs to, by their kind.
	Of map[string]string `json:"of,omitempty"`
}

// CheckoutFact is the state of a checkout.
type CheckoutFact struct {
	Status    CheckoutStatus `json:"status"`
	URL       string         `json:"url,omitempty"`
	ExpiresAt time.Time      `json:"expires_at,omitzero"`
	// PriceID and Quantity are the purchase; Subtotal is its amount after discounts and
	// before tax.
	PriceID  string       `json:"price_id,omitempty"`
	Quantity int64        `json:"quantity,omitempty"`
	Subtotal money.Amount `json:"subtotal,omitzero"`
	// CustomerID is the processor's.
	CustomerID string `json:"customer_id,omitempty"`
	// Agreed reports whether the buyer agreed to a checkout that is open, and the processor
	// waits to be asked to complete it.
	Agreed bool `json:"agreed,omitzero"`
}

// SubscriptionFact is the state of a subscription.
type SubscriptionFact struct {
	Status      SubscriptionStatus `json:"status"`
	PriceID     string             `json:"price_id,omitempty"`
	Quantity    int64              `json:"quantity"`
	PeriodStart time.Time          `json:"period_start,omitzero"`
	PeriodEnd   time.Time          `json:"period_end,omitzero"`
	TrialEnd    time.Time          `json:"trial_end,omitzero"`
	CanceledAt  time.Time          `json:"canceled_at,omitzero"`
	EndedAt     time.Time          `json:"ended_at,omitzero"`
}

// Line is one line of an invoice.
type Line struct {
	Description string `json:"description" doc:"Description of the line."`
	Quantity    int64  `json:"quantity" doc:"Quantity."`
	Amount      int64  `json:"amount" doc:"Amount of the line, in minor units."`
}

// InvoiceFact is the state of an invoice. All amounts are of one currency.
type InvoiceFact struct {
	Status InvoiceStatus `json:"status"`
	// Number is the processor's; empty where it has none.
	Number      string         `json:"number,omitempty"`
	Currency    money.Currency `json:"currency"`
	Subtotal    int64          `json:"subtotal"`
	Discount    int64          `json:"discount"`
	Tax         int64          `json:"tax"`
	Total       int64          `json:"total"`
	Lines       []Line         `json:"lines,omitempty"`
	PeriodStart time.Time      `json:"period_start,omitzero"`
	PeriodEnd   time.Time      `json:"period_end,omitzero"`
	IssuedAt    time.Time      `json:"issued_at"`
	PaidAt      time.Time      `json:"paid_at,omitzero"`
}

// PaymentFact is the state of a payment.
type PaymentFact struct {
	Status PaymentStatus `json:"status"`
	// InvoiceID is the processor's; empty for none.
	InvoiceID string       `json:"invoice_id,omitempty"`
	Amount    money.Amount `json:"amount"`
	// Due is what the processor asked for, where it may charge less; zero for as much as it
	// charged.
	Due     money.Amount `json:"due,omitzero"`
	Dispute Dispute      `json:"dispute,omitempty"`
	Failure string       `json:"failure,omitempty"`
}

// RefundFact is the state of a refund.
type RefundFact struct {
	// RefundID is ours; empty for one that was made at the processor.
	RefundID RefundID     `json:"refund_id,omitempty"`
	Status   RefundStatus `json:"status"`
	// PaymentID is the processor's.
	PaymentID string       `json:"payment_id"`
	Amount    money.Amount `json:"amount"`
	Failure   string       `json:"failure,omitempty"`
}

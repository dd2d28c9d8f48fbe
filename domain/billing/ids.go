package billing

import (
	"time"

	"gatehouse.internal/domain/id"
)

type (
	priceKind        struct{}
	couponKind       struct{}
	customerKind     struct{}
	checkoutKind     struct{}
	subscriptionKind struct{}
	invoiceKind      struct{}
	paymentKind      struct{}
	refundKind       struct{}
	eventKind        struct{}
)

func (priceKind) Prefix() string        { return "pri" }
func (couponKind) Prefix() string       { return "cpn" }
func (customerKind) Prefix() string     { return "cus" }
func (checkoutKind) Prefix() string     { return "chk" }
func (subscriptionKind) Prefix() string { return "sub" }
func (invoiceKind) Prefix() string      { return "bin" }
func (paymentKind) Prefix() string      { return "pay" }
func (refundKind) Prefix() string       { return "rfd" }
func (eventKind) Prefix() string        { return "pev" }

// PriceID identifies a price.
type PriceID = id.ID[priceKind]

// CouponID identifies a coupon, and is never shown: people know a coupon by its code.
type CouponID = id.ID[couponKind]

// CustomerID identifies a customer.
type CustomerID = id.ID[customerKind]

// CheckoutID identifies a checkout.
type CheckoutID = id.ID[checkoutKind]

// SubscriptionID identifies a subscription.
type SubscriptionID = id.ID[subscriptionKind]

// InvoiceID identifies an invoice.
type InvoiceID = id.ID[invoiceKind]

// PaymentID identifies a payment.
type PaymentID = id.ID[paymentKind]

// RefundID identifies a refund.
type RefundID = id.ID[refundKind]

// EventID identifies an event of a processor.
type EventID = id.ID[eventKind]

// NewPriceID mints the identifier of a price.
func NewPriceID(m id.Minter) PriceID { return id.New[priceKind](m) }

// NewCouponID mints the identifier of a coupon.
func NewCouponID(m id.Minter) CouponID { return id.New[couponKind](m) }

type intentKind struct{}

func (intentKind) Prefix() string { return "int" }

// IntentID identifies a pending call to a processor, and is its idempotency key.
type IntentID = id.ID[intentKind]

// NewCustomerID mints the identifier of a customer.
func NewCustomerID(m id.Minter) CustomerID { return id.New[customerKind](m) }

// NewCheckoutID mints the identifier of a checkout.
func NewCheckoutID(m id.Minter) CheckoutID { return id.New[checkoutKind](m) }

// NewSubscriptionID mints the identifier of a subscription.
func NewSubscriptionID(m id.Minter) SubscriptionID { return id.New[subscriptionKind](m) }

// NewInvoiceID mints the identifier of an invoice.
func NewInvoiceID(m id.Minter) InvoiceID { return id.New[invoiceKind](m) }

// NewPaymentID mints the identifier of a payment.
func NewPaymentID(m id.Minter) PaymentID { return id.New[paymentKind](m) }

// NewRefundID mints the identifier of a refund.
func NewRefundID(m id.Minter) RefundID { return id.New[refundKind](m) }

// NewEventID returns a new identifier of a processor event.
func NewEventID(m id.Minter) EventID { return id.New[eventKind](m) }

// NewIntentID mints the identifier of a call.
func NewIntentID(m id.Minter) IntentID { return id.New[intentKind](m) }

// EarliestInvoice returns the least identifier of invoices that are minted in the
// millisecond of a moment.
func EarliestInvoice(moment time.Time) InvoiceID { return id.Earliest[invoiceKind](moment) }

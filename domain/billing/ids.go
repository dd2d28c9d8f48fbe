package billing

import "gatehouse.internal/domain/id"

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

package commerce

import (
	"context"
	"io"
	"net/http"
	"time"

	"gatehouse.internal/domain/billing"
)

// Processor is a payment processor. Its results are facts, processed like those of its
// webhooks.
//
// Every call except a fetch has an idempotency key: repeated with the same key, it has
// no further effect. If a processor does not support such keys, or has forgotten one,
// its adapter searches for an object with the key in its metadata before creating one.
// A call fails with billing.ErrRefused if the processor rejected it, with
// billing.ErrWaiting if it must be made later (a refund after another one, or a call
// with an unknown result that must not be repeated), and with any other error if the
// result is unknown.
//
// Methods for abilities that are not among its Abilities are never called.
type Processor interface {
	// Account is the processor's account for sales.
	Account() billing.Account
	// Abilities returns the supported abilities.
	Abilities() []billing.Ability
	// Selling, Changing, Serving and Hooks are the other interfaces, by purpose.
	Selling() Selling
	Changing() Changing
	Serving() Serving
	Hooks() Hooks
}

// Mirroring creates our prices and coupons at the processor. The caller stores the
// returned identifiers, and calls again only if they are unknown.
type Mirroring interface {
	// EnsurePrice returns the processor's identifier of a price, and creates the price
	// if needed. The key is the identifier of the price.
	EnsurePrice(ctx context.Context, price PriceOrder, key string) (string, error)
	// EnsureCoupon returns the processor's identifier of a coupon, and creates the
	// coupon if needed. The key is the identifier of the coupon. Limits on its
	// redemption are enforced by billing.Coupon.Redeem, not by the processor.
	EnsureCoupon(ctx context.Context, coupon billing.CouponSnapshot, key string) (string, error)
}

// PriceOrder is a price to create.
type PriceOrder struct {
	Price billing.PriceSnapshot
	// Product is the display name.
	Product string
}

// Selling creates sales.
type Selling interface {
	Mirroring

	// CreateCheckout creates a payment page.
	CreateCheckout(ctx context.Context, order CheckoutOrder, key string) (billing.Fact, error)
	// Complete completes a sale after the buyer's approval, reported by
	// billing.CheckoutFact.Agreed: it captures an order, or creates the subscription
	// that follows a first payment. order.Checkout.Remote.ID is the processor's
	// identifier.
	Complete(ctx context.Context, order CheckoutOrder, key string) ([]billing.Fact, error)
	// Fetch returns everything that the processor knows of a sale; id is its identifier
	// of the checkout. For a deleted checkout it may report the expiry, without our
	// identifier.
	Fetch(ctx context.Context, id string) ([]billing.Fact, error)
}

// CheckoutOrder is a sale to create.
type CheckoutOrder struct {
	Checkout billing.CheckoutSnapshot
	Price    billing.PriceSnapshot
	// Product is the display name.
	Product string
	// PriceID and CouponID are the processor's identifiers; CouponID is empty if no
	// coupon is redeemed.
	PriceID, CouponID string
	// CustomerID is the processor's identifier of the customer; empty if there is none
	// yet.
	CustomerID string
	// Name and Email are those of the customer; empty if unknown.
	Name, Email string
}

// Changing changes subscriptions. Identifiers are the processor's.
type Changing interface {
	CancelSubscription(ctx context.Context, id string, atPeriodEnd bool, key string) (billing.Fact, error)
	ResumeSubscription(ctx context.Context, id, key string) (billing.Fact, error)
	// UpdateSubscription changes the price, quantity or coupon of a subscription. The
	// result contains at least the subscription.
	UpdateSubscription(ctx context.Context, change SubscriptionChange, key string) ([]billing.Fact, error)
	Refund(ctx context.Context, of billing.RefundSnapshot, key string) (billing.Fact, error)
}

// SubscriptionChange is a change of a subscription.
type SubscriptionChange struct {
	// Subscription is its current state.
	Subscription billing.SubscriptionSnapshot
	// Price and Quantity are the new values; PriceID is the processor's identifier of
	// the price.
	Price    billing.PriceSnapshot
	PriceID  string
	Quantity int64
	// Discount is the new discount, by the coupon CouponID at the processor; empty to
	// keep the current one.
	Discount billing.Discount
	CouponID string
	// Proration determines when the rest of the current period is charged.
	Proration billing.Proration
}

// Serving provides customer services. Identifiers are the processor's.
type Serving interface {
	// CreatePortal creates a page on which a customer manages payment methods and
	// addresses.
	CreatePortal(ctx context.Context, order PortalOrder, key string) (Portal, error)
	// UpdateCustomer updates the data on invoices: name, email, address and tax number
	// of the customer, whose ProcessorID must be set.
	UpdateCustomer(ctx context.Context, of billing.CustomerSnapshot, key string) error
	// ReportUsage sends usage that the processor does not know yet.
	ReportUsage(ctx context.Context, report UsageReport, key string) error
	// InvoicePDF returns an invoice document, which the caller must close. It fails
	// with billing.ErrNoDocument if the processor has none.
	InvoicePDF(ctx context.Context, id string) (io.ReadCloser, error)
}

// PortalOrder is a portal to create.
type PortalOrder struct {
	CustomerID string
	// ReturnURL is where the browser returns to.
	ReturnURL string
}

// Portal is a page of the processor for a customer.
type Portal struct {
	URL       string
	ExpiresAt time.Time
}

// UsageReport is usage of a metered subscription.
type UsageReport struct {
	// SubscriptionID and CustomerID are the processor's identifiers.
	SubscriptionID, CustomerID string
	Meter                      string
	// Quantity is the usage since the previous report, and Total that since the start
	// of the period.
	Quantity, Total int64
	// At is a time within the period.
	At time.Time
}

// Hooks reads webhooks of a processor.
type Hooks interface {
	// Read verifies a webhook and returns its content. It calls the processor only if
	// the webhook cannot be verified otherwise; objects named by an event are fetched
	// later, by Looking. It fails with billing.ErrSignature.
	Read(ctx context.Context, header http.Header, body []byte, now time.Time) ([]billing.ProcessorEvent, error)
}

// Looking is implemented by Hooks whose webhooks name objects without their state.
type Looking interface {
	// Look fetches the sale of an object that Read returned as billing.ObjectRef; nothing
	// if it is not ours. id is the processor's identifier.
	Look(ctx context.Context, id string, named billing.ObjectRef) ([]billing.Fact, error)
}

// SandboxSales stores the sales of the sandbox.
type SandboxSales interface {
	// Get returns the content and version of a sale; "" if it does not exist.
	Get(ctx context.Context, id string) (content string, version int64, err error)
	// Put stores a sale that was read at a version, 0 for a new one. It reports false
	// if the version has changed.
	Put(ctx context.Context, id, content string, version int64) (bool, error)
}

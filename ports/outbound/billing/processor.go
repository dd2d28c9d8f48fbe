package billing

import (
	"context"
	"io"
	"net/http"
	"time"

	"gatehouse.internal/domain/billing"
)

// Processor is who takes payments. What it answers of its objects is facts, which are taken
// like those that its hooks tell.
//
// Every call but a fetch carries a key: made again under it, a call has no further effect.
// Where a processor knows no such keys, or has forgotten one, its adapter looks for an object
// with the key in its metadata before it makes one. A call fails with billing.ErrRefused
// where the processor took it and will not do it, with billing.ErrWaiting where it is to be
// made later (a refund behind another one, or what cannot be told and must not be repeated),
// and with any other error where what came of it is not known.
//
// What a processor cannot do is not among its Abilities, and is never asked of it.
type Processor interface {
	// Account is where sales are made.
	Account() billing.Account
	// Abilities returns what it can do.
	Abilities() []billing.Ability
	// Selling, Changing, Serving and Hooks are the rest, parted by what they are for.
	Selling() Selling
	Changing() Changing
	Serving() Serving
	Hooks() Hooks
}

// Mirroring makes at the processor what is ours to decide. Whoever calls keeps what was
// returned, and asks again only where that is not known.
type Mirroring interface {
	// EnsurePrice returns the processor's identifier of a price, which it makes unless it is
	// there; the key is the identifier of the price.
	EnsurePrice(ctx context.Context, price PriceOrder, key string) (string, error)
	// EnsureCoupon returns the processor's identifier of a coupon, which it makes unless it
	// is there; the key is the identifier of the coupon. How often and until when it may be
	// redeemed is decided before (billing.Coupon.Redeem), not by the processor.
	EnsureCoupon(ctx context.Context, coupon billing.CouponSnapshot, key string) (string, error)
}

// PriceOrder is a price that is to be there.
type PriceOrder struct {
	Price billing.PriceSnapshot
	// Product is the name that people read.
	Product string
}

// Selling begins sales.
type Selling interface {
	Mirroring

	// CreateCheckout makes the page where somebody pays.
	CreateCheckout(ctx context.Context, order CheckoutOrder, key string) (billing.Fact, error)
	// Complete does what is left to do after the buyer agreed, which the processor told by
	// billing.CheckoutFact.Agreed: it captures an order, or makes the subscription that
	// follows a first payment. order.Checkout.Remote.ID is the processor's identifier.
	Complete(ctx context.Context, order CheckoutOrder, key string) ([]billing.Fact, error)
	// Fetch returns all that the processor knows of a sale; id is its own of the checkout. Of
	// one that it has no longer, it may tell that it expired, without our identifier.
	Fetch(ctx context.Context, id string) ([]billing.Fact, error)
}

// CheckoutOrder is a sale that is to be made.
type CheckoutOrder struct {
	Checkout billing.CheckoutSnapshot
	Price    billing.PriceSnapshot
	// Product is what people read on the page.
	Product string
	// PriceID and CouponID are the price and the coupon at the processor; CouponID is empty
	// where none is redeemed.
	PriceID, CouponID string
	// CustomerID is the customer at the processor; empty until it knows them.
	CustomerID string
	// Name and Email are those of the customer; empty where they are not known.
	Name, Email string
}

// Changing changes what was sold. Identifiers are the processor's.
type Changing interface {
	CancelSubscription(ctx context.Context, id string, atPeriodEnd bool, key string) (billing.Fact, error)
	ResumeSubscription(ctx context.Context, id, key string) (billing.Fact, error)
	// UpdateSubscription moves a subscription to another price, quantity or coupon. It
	// returns at least the subscription.
	UpdateSubscription(ctx context.Context, change SubscriptionChange, key string) ([]billing.Fact, error)
	Refund(ctx context.Context, of billing.RefundSnapshot, key string) (billing.Fact, error)
}

// SubscriptionChange is what a subscription is to become.
type SubscriptionChange struct {
	// Subscription is what it is now.
	Subscription billing.SubscriptionSnapshot
	// Price and Quantity are what it is to be, PriceID is that price at the processor.
	Price    billing.PriceSnapshot
	PriceID  string
	Quantity int64
	// Discount is what is taken off from now on, by the coupon that is CouponID at the
	// processor; empty leaves the discount as it is.
	Discount billing.Discount
	CouponID string
	// Proration says when the rest of the running period is charged.
	Proration billing.Proration
}

// Serving serves those who bought. Identifiers are the processor's.
type Serving interface {
	// CreatePortal makes a page where a customer sees to their cards and addresses.
	CreatePortal(ctx context.Context, order PortalOrder, key string) (Portal, error)
	// UpdateCustomer passes on what invoices show: name, email, address and tax
	// number of of, whose ProcessorID is set.
	UpdateCustomer(ctx context.Context, of billing.CustomerSnapshot, key string) error
	// ReportUsage passes on uses that the processor has not been told of.
	ReportUsage(ctx context.Context, report UsageReport, key string) error
	// InvoicePDF returns the document of an invoice as it is read; the caller closes it. It
	// fails with billing.ErrNoDocument where the processor has none of this one.
	InvoicePDF(ctx context.Context, id string) (io.ReadCloser, error)
}

// PortalOrder is a portal that is to be opened.
type PortalOrder struct {
	CustomerID string
	// ReturnURL is where the browser goes afterwards.
	ReturnURL string
}

// Portal is a page of the processor for one customer.
type Portal struct {
	URL       string
	ExpiresAt time.Time
}

// UsageReport is what was used of a metered subscription.
type UsageReport struct {
	// SubscriptionID and CustomerID are the processor's.
	SubscriptionID, CustomerID string
	Meter                      string
	// Quantity is what was used since the report before, Total since the period began.
	Quantity, Total int64
	// At lies within the period.
	At time.Time
}

// Hooks reads what a processor tells by itself.
type Hooks interface {
	// Read returns what a hook tells. It asks the processor only where nothing else says that
	// the hook is true: what an event names is fetched once it is stored, by Looking. It fails
	// with billing.ErrSignature.
	Read(ctx context.Context, header http.Header, body []byte, now time.Time) ([]billing.Told, error)
}

// Looking is what Hooks are too that tell of objects without their state.
type Looking interface {
	// Look fetches the sale that an object belongs to, which Read returned as billing.Named;
	// nothing for one that is not ours. id is the processor's.
	Look(ctx context.Context, id string, told billing.Named) ([]billing.Fact, error)
}

// SandboxSales keeps what the sandbox knows.
type SandboxSales interface {
	// Get returns the content of a sale and its version; "" where there is none.
	Get(ctx context.Context, id string) (content string, version int64, err error)
	// Put stores the content of a sale that was read at a version, 0 for none; it reports
	// whether it could.
	Put(ctx context.Context, id, content string, version int64) (bool, error)
}

package billing

import (
	"context"
	"net/http"
	"time"

	"gatehouse.internal/domain/billing"
)

// Processor is who takes payments. What it answers of its objects is facts, which are taken
// like those that its hooks tell. Every call but a fetch carries a key: made again under it,
// a call has no further effect. It fails with billing.ErrRefused where the processor took
// the call and will not do it, and with any other error where that is not known.
type Processor interface {
	// Account is where sales are made.
	Account() billing.Account
	// Abilities are what it can do.
	Abilities() []billing.Ability
	// Selling, Changing and Hooks are the rest, parted by what they are for.
	Selling() Selling
	Changing() Changing
	Hooks() Hooks
}

// Selling begins sales.
type Selling interface {
	// CreateCheckout makes the page where somebody pays.
	CreateCheckout(ctx context.Context, order CheckoutOrder, key string) (billing.Fact, error)
	// Fetch returns all that the processor knows of a sale; id is its own of the checkout.
	Fetch(ctx context.Context, id string) ([]billing.Fact, error)
}

// CheckoutOrder is a sale that is to be made.
type CheckoutOrder struct {
	Checkout billing.CheckoutSnapshot
	Price    billing.PriceSnapshot
	// Product is what people read on the page.
	Product string
	// PriceID is the price at the processor.
	PriceID string
	Email   string
}

// Changing changes what was sold. Identifiers are the processor's.
type Changing interface {
	CancelSubscription(ctx context.Context, id string, atPeriodEnd bool, key string) (billing.Fact, error)
	ResumeSubscription(ctx context.Context, id, key string) (billing.Fact, error)
	Refund(ctx context.Context, of billing.RefundSnapshot, key string) (billing.Fact, error)
}

// Hooks reads what a processor tells by itself.
type Hooks interface {
	// Read returns what a hook tells. It fails with billing.ErrSignature.
	Read(ctx context.Context, header http.Header, body []byte, now time.Time) ([]billing.Told, error)
}

// SandboxSales keeps what the sandbox knows.
type SandboxSales interface {
	// Get returns the content of a sale and its version; "" where there is none.
	Get(ctx context.Context, id string) (content string, version int64, err error)
	// Put stores the content of a sale that was read at a version, 0 for none; it reports
	// whether it could.
	Put(ctx context.Context, id, content string, version int64) (bool, error)
}

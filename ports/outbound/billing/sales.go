package billing

import (
	"context"
	"time"

	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/money"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// Customers stores customers, inside a unit of work.
type Customers interface {
	// ByID fails with billing.ErrNoCustomer.
	ByID(ctx context.Context, id billing.CustomerID) (*billing.Customer, error)
	// OfBuyer reads the customer that a buyer is to a workspace, and holds off whoever else
	// would change it. It fails with billing.ErrNoCustomer.
	OfBuyer(ctx context.Context, org workspace.ID, at billing.Account, buyer billing.Buyer) (*billing.Customer, error)
	Save(ctx context.Context, c *billing.Customer) error
}

// Checkouts stores checkouts, inside a unit of work.
type Checkouts interface {
	// ByID reads a checkout, and holds off whoever else would change it, or what hangs on
	// it, until the transaction ends. It fails with billing.ErrNoCheckout.
	ByID(ctx context.Context, id billing.CheckoutID) (*billing.Checkout, error)
	// Unfinished reads the checkouts of a customer that are pending or open, the newest
	// billing.MostUnfinished.
	Unfinished(ctx context.Context, of billing.CustomerID) ([]billing.CheckoutSnapshot, error)
	// Tried reports whether a customer had a trial of a product, or has a checkout with one that
	// is pending, open or completed.
	Tried(ctx context.Context, of billing.CustomerID, product product.ID) (bool, error)
	// Admitting reports whether another sale to the buyer of one gives a role, by its key, in
	// the workspace that sells, and whether the buyer is a member by such a sale.
	Admitting(ctx context.Context, besides billing.CheckoutSnapshot, role string) (found, joined bool, err error)
	Save(ctx context.Context, c *billing.Checkout) error
	// Look stores when the processor is asked about the sale; zero for never.
	Look(ctx context.Context, id billing.CheckoutID, at time.Time) error
}

// Subscriptions stores subscriptions, inside a unit of work that holds the checkout.
type Subscriptions interface {
	// ByID fails with billing.ErrNoSubscription.
	ByID(ctx context.Context, id billing.SubscriptionID) (*billing.Subscription, error)
	// OfCheckout fails with billing.ErrNoSubscription.
	OfCheckout(ctx context.Context, id billing.CheckoutID) (*billing.Subscription, error)
	Save(ctx context.Context, s *billing.Subscription) error
	// ByRemote reads a subscription by the processor's identifier. It fails with
	// billing.ErrNoSubscription.
	ByRemote(ctx context.Context, at billing.Account, id string) (*billing.Subscription, error)
	// Gives stores until when a subscription gives what it is for; zero for not now.
	Gives(ctx context.Context, id billing.SubscriptionID, until time.Time) error
}

// Invoices stores invoices, inside a unit of work that holds the checkout.
type Invoices interface {
	// ByRemote reads an invoice by the processor's identifier. It fails with
	// billing.ErrNoInvoice.
	ByRemote(ctx context.Context, at billing.Account, id string) (*billing.Invoice, error)
	// Next returns the next number of a workspace in a year, without gaps.
	Next(ctx context.Context, org workspace.ID, year int) (string, error)
	Save(ctx context.Context, i *billing.Invoice) error
}

// Payments stores payments and what goes back of them, inside a unit of work that holds the
// checkout.
type Payments interface {
	// ByRemote reads a payment by the processor's identifier. It fails with
	// billing.ErrNoPayment.
	ByRemote(ctx context.Context, at billing.Account, id string) (*billing.Payment, error)
	// Brought sums up what a sale brought.
	Brought(ctx context.Context, id billing.CheckoutID, in money.Currency) (billing.Money, error)
	Save(ctx context.Context, p *billing.Payment) error
}

// Refunds stores refunds, inside a unit of work that holds the checkout.
type Refunds interface {
	// ByID fails with billing.ErrNoRefund.
	ByID(ctx context.Context, id billing.RefundID) (*billing.Refund, error)
	// ByRemote reads a refund by the processor's identifier. It fails with
	// billing.ErrNoRefund.
	ByRemote(ctx context.Context, at billing.Account, id string) (*billing.Refund, error)
	// Given sums up what of a payment went back or is under way, in minor units.
	Given(ctx context.Context, at billing.Account, payment string) (int64, error)
	Save(ctx context.Context, r *billing.Refund) error
}

// SaleDirectory reads what was sold, outside any transaction.
type SaleDirectory interface {
	// Checkout fails with billing.ErrNoCheckout.
	Checkout(ctx context.Context, id billing.CheckoutID) (billing.CheckoutSnapshot, error)
	// Subscription fails with billing.ErrNoSubscription.
	Subscription(ctx context.Context, id billing.SubscriptionID) (billing.SubscriptionSnapshot, error)
	// Subscriptions, Invoices, Payments and Refunds list what matches, newest first.
	Subscriptions(ctx context.Context, query SaleQuery) ([]billing.SubscriptionSnapshot, error)
	Invoices(ctx context.Context, query SaleQuery) ([]billing.InvoiceSnapshot, error)
	Payments(ctx context.Context, query SaleQuery) ([]billing.PaymentSnapshot, error)
	Refunds(ctx context.Context, query SaleQuery) ([]billing.RefundSnapshot, error)
}

// SaleQuery narrows a list of what was sold; zero values do not narrow.
type SaleQuery struct {
	// ID is one of them.
	ID string
	// Seller and Buyer are whose sales are meant; either of them where both are set.
	Seller workspace.ID
	Buyer  billing.Buyer
	// User narrows the sales of the seller to those of a person.
	User     user.ID
	Checkout billing.CheckoutID
	Product  product.ID
	Customer billing.CustomerID
	// Invoice is the processor's identifier of the invoice that payments are for, Payment
	// that of the payment that refunds are of.
	Invoice, Payment string
	Status           string
	// Current leaves out subscriptions that are incomplete or ended.
	Current  bool
	Disputed *bool
	// From is the least id, Until the first one that is too great; Before is the last id of
	// the page before.
	From, Until, Before string
	Limit               int
}

package commerce

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
	// ByID returns a customer. It fails with billing.ErrNoCustomer.
	ByID(ctx context.Context, id billing.CustomerID) (*billing.Customer, error)
	// OfBuyer returns and locks the customer for a buyer at a workspace. It fails with
	// billing.ErrNoCustomer.
	OfBuyer(ctx context.Context, org workspace.ID, at billing.Account, buyer billing.Buyer) (*billing.Customer, error)
	Save(ctx context.Context, c *billing.Customer) error
}

// Checkouts stores checkouts, inside a unit of work.
type Checkouts interface {
	// ByID returns a checkout and locks it, and everything that belongs to it, until
	// the transaction ends. It fails with billing.ErrNoCheckout.
	ByID(ctx context.Context, id billing.CheckoutID) (*billing.Checkout, error)
	// Unfinished returns the pending and open checkouts of a customer, the newest
	// billing.MostUnfinished.
	Unfinished(ctx context.Context, of billing.CustomerID) ([]billing.CheckoutSnapshot, error)
	// Tried reports whether a customer had a trial of a product, or has a pending, open
	// or completed checkout with one.
	Tried(ctx context.Context, of billing.CustomerID, product product.ID) (bool, error)
	// Admitting reports whether another sale to the same buyer grants a role, by its
	// key, in the selling workspace, and whether the buyer became a member by such a
	// sale.
	Admitting(ctx context.Context, except billing.CheckoutSnapshot, role string) (found, joined bool, err error)
	Save(ctx context.Context, c *billing.Checkout) error
	// Look stores when the state of a sale is fetched from the processor; zero for
	// never.
	Look(ctx context.Context, id billing.CheckoutID, at time.Time) error
}

// Subscriptions stores subscriptions, inside a unit of work that holds the checkout.
type Subscriptions interface {
	// ByID returns a subscription. It fails with billing.ErrNoSubscription.
	ByID(ctx context.Context, id billing.SubscriptionID) (*billing.Subscription, error)
	// OfCheckout returns the subscription of a checkout. It fails with
	// billing.ErrNoSubscription.
	OfCheckout(ctx context.Context, id billing.CheckoutID) (*billing.Subscription, error)
	Save(ctx context.Context, s *billing.Subscription) error
	// ByRemote returns a subscription by the processor's identifier. It fails with
	// billing.ErrNoSubscription.
	ByRemote(ctx context.Context, at billing.Account, id string) (*billing.Subscription, error)
	// Gives stores until when a subscription provides its benefits; zero for not now.
	Gives(ctx context.Context, id billing.SubscriptionID, until time.Time) error
}

// Invoices stores invoices, inside a unit of work that holds the checkout.
type Invoices interface {
	// ByRemote returns an invoice by the processor's identifier. It fails with
	// billing.ErrNoInvoice.
	ByRemote(ctx context.Context, at billing.Account, id string) (*billing.Invoice, error)
	// Next returns the next number of a workspace in a year, without gaps.
	Next(ctx context.Context, org workspace.ID, year int) (string, error)
	Save(ctx context.Context, i *billing.Invoice) error
}

// Payments stores payments, inside a unit of work that holds the checkout.
type Payments interface {
	// ByRemote returns a payment by the processor's identifier. It fails with
	// billing.ErrNoPayment.
	ByRemote(ctx context.Context, at billing.Account, id string) (*billing.Payment, error)
	// Brought returns the sum of the payments of a sale.
	Brought(ctx context.Context, id billing.CheckoutID, in money.Currency) (billing.Money, error)
	Save(ctx context.Context, p *billing.Payment) error
}

// Refunds stores refunds, inside a unit of work that holds the checkout.
type Refunds interface {
	// ByID returns a refund. It fails with billing.ErrNoRefund.
	ByID(ctx context.Context, id billing.RefundID) (*billing.Refund, error)
	// ByRemote returns a refund by the processor's identifier. It fails with
	// billing.ErrNoRefund.
	ByRemote(ctx context.Context, at billing.Account, id string) (*billing.Refund, error)
	// Given returns the sum of the completed and pending refunds of a payment, in minor
	// units.
	Given(ctx context.Context, at billing.Account, payment string) (int64, error)
	Save(ctx context.Context, r *billing.Refund) error
}

// SaleDirectory reads sales, outside any transaction.
type SaleDirectory interface {
	// Checkout returns a checkout. It fails with billing.ErrNoCheckout.
	Checkout(ctx context.Context, id billing.CheckoutID) (billing.CheckoutSnapshot, error)
	// Subscription returns a subscription. It fails with billing.ErrNoSubscription.
	Subscription(ctx context.Context, id billing.SubscriptionID) (billing.SubscriptionSnapshot, error)
	// Subscriptions, Invoices, Payments and Refunds return those that match, newest
	// first.
	Subscriptions(ctx context.Context, query SaleQuery) ([]billing.SubscriptionSnapshot, error)
	Invoices(ctx context.Context, query SaleQuery) ([]billing.InvoiceSnapshot, error)
	Payments(ctx context.Context, query SaleQuery) ([]billing.PaymentSnapshot, error)
	Refunds(ctx context.Context, query SaleQuery) ([]billing.RefundSnapshot, error)
}

// SaleQuery narrows a list of sales; zero values do not narrow.
type SaleQuery struct {
	// ID selects one of them.
	ID string
	// Seller and Buyer select sales; if both are set, either suffices.
	Seller workspace.ID
	Buyer  billing.Buyer
	// User narrows the sales of the seller to those to a person.
	User     user.ID
	Checkout billing.CheckoutID
	Product  product.ID
	Customer billing.CustomerID
	// Invoice and Payment are the processor's identifiers of the invoice of payments,
	// and of the payment of refunds.
	Invoice, Payment string
	Status           string
	// Current excludes subscriptions that are incomplete or ended.
	Current  bool
	Disputed *bool
	// From is the inclusive and Until the exclusive bound of IDs; Before is the last ID
	// of the previous page.
	From, Until, Before string
	Limit               int
}

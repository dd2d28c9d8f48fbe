// Package billing implements the family BILLING: prices, coupons, checkouts,
// subscriptions, invoices, payments and refunds.
package billing

import (
	"context"
	"slices"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/instance"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/application/jobs"
	"gatehouse.internal/application/payment"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	domainbilling "gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/commerce"
	"gatehouse.internal/ports/outbound/licensing"
	"gatehouse.internal/ports/outbound/workspaces"
)

// The permissions of the family.
const (
	reading = "billing:read"
	writing = "billing:write"
	// readingProducts shows the prices of products that buyers do not see.
	readingProducts = "products:read"
)

var errNoSeller = fault.New(fault.Denied, "the workspace cannot sell with a real payment processor: ask a superadmin to add it to the setting billing_sellers")

// Repos holds the repositories of one unit of work.
type Repos struct {
	Products licensing.Products
	Prices   commerce.Prices
	Coupons  commerce.Coupons
}

// Service holds the dependencies of the family's commands.
type Service struct {
	Unit            outbound.Unit[Repos]
	Products        licensing.ProductDirectory
	Prices          commerce.PriceDirectory
	Coupons         commerce.CouponDirectory
	Sellers         commerce.Sellers
	Sales           commerce.SaleDirectory
	ProcessorEvents commerce.ProcessorEventDirectory
	Licenses        licensing.LicenseDirectory
	Customers       commerce.CustomerDirectory
	PendingSales    commerce.PendingSales
	Usage           commerce.UsageDirectory
	Jobs            jobs.Desk
	Printer         commerce.Printer
	// Workspaces reads the workspaces that sell; Host is the address of the service.
	Workspaces workspaces.WorkspaceDirectory
	Host       string
	// Payments calls the processors; Paying is a unit of its repositories.
	Payments *payment.Service
	// Abilities lists what each processor that products may name can do, configured or not.
	Abilities    map[product.Processor][]domainbilling.Ability
	Paying       outbound.Unit[payment.Repos]
	Transactions outbound.Transactions
	// ReturnURLs are the addresses to which the operator allows buyers to be sent back.
	ReturnURLs []string
	Instance   *instance.Current
	// AnySeller lets every workspace sell, in development.
	AnySeller bool
	Cursors   page.Cursors
	Clock     outbound.Clock
	IDs       outbound.IDs
}

// Commands lists the commands of the family.
func (s *Service) Commands() []command.Definition {
	return []command.Definition{
		s.priceCreate(),
		s.priceList(),
		s.priceUpdate(),
		s.couponCreate(),
		s.couponList(),
		s.couponDelete(),
		s.processorList(),
		s.processorEventList(),
		s.processorEventReplay(),
		s.checkoutCreate(),
		s.checkoutGet(),
		s.subscriptionList(),
		s.subscriptionGet(),
		s.subscriptionCancel(),
		s.subscriptionResume(),
		s.invoiceList(),
		s.paymentList(),
		s.refund(),
		s.refundList(),
		s.sync(),
		s.invoiceGet(),
		s.customerGet(),
		s.customerList(),
		s.customerUpdate(),
		s.portalCreate(),
		s.subscriptionUpdate(),
		s.usageRecord(),
		s.usageGet(),
	}
}

// PriceResult is a price after a change.
type PriceResult struct {
	Price view.Price `json:"price" doc:"The price after the change."`
}

// orgOf returns the workspace that a caller acts in. It fails with workspace.ErrNotFound.
func orgOf(caller access.Caller) (workspace.ID, error) {
	if caller.Org == "" {
		return "", workspace.ErrNotFound
	}
	return caller.Org, nil
}

// seller fails if a workspace may not sell by the processor of a product (spec/billing.md
// section 1).
func (s *Service) seller(ctx context.Context, of product.Snapshot) error {
	if of.Processor == "" || s.AnySeller {
		return nil
	}
	named := s.Instance.State().Settings.BillingSellers
	if len(named) > 0 {
		if !slices.Contains(named, of.OrgID) {
			return errNoSeller
		}
		return nil
	}
	owned, err := s.Sellers.Superadmins(ctx, of.OrgID)
	if err == nil && !owned {
		err = errNoSeller
	}
	return err
}

// ownProduct reads a product of the caller's workspace. It fails with product.ErrNotFound.
func ownProduct(ctx context.Context, tx Repos, caller access.Caller, ref product.Ref) (product.Snapshot, error) {
	found, err := tx.Products.ByRef(ctx, ref)
	switch {
	case err != nil:
		return product.Snapshot{}, err
	case !caller.Sees(found.Snapshot().OrgID):
		return product.Snapshot{}, product.ErrNotFound
	}
	return found.Snapshot(), nil
}

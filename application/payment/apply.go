package payment

import (
	"context"
	"errors"
	"slices"

	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/product"
)

// saleContext are inputs that no fact changes, read before the transaction.
type saleContext struct {
	product product.Snapshot
	price   billing.PriceSnapshot
	// prices are the seller's prices named by facts, by their current or previous
	// identifiers at the processor.
	prices map[string]billing.PriceRef
}

// around reads the surroundings of the sales that facts are about. Those that are not ours, or
// were made elsewhere than the facts come from, have none.
func (s *Service) around(ctx context.Context, at billing.Account, facts []billing.Fact) (map[billing.CheckoutID]saleContext, error) {
	found := map[billing.CheckoutID]saleContext{}
	for _, f := range facts {
		if _, known := found[f.CheckoutID]; known {
			continue
		}
		of, err := s.Sales.Checkout(ctx, f.CheckoutID)
		if errors.Is(err, billing.ErrNoCheckout) || (err == nil && of.Account != at) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if found[f.CheckoutID], err = s.surround(ctx, of); err != nil {
			return nil, err
		}
	}
	return found, s.priced(ctx, at, facts, found)
}

// priced finds the prices that facts name in the surroundings of their sales.
func (s *Service) priced(ctx context.Context, at billing.Account, facts []billing.Fact, around map[billing.CheckoutID]saleContext) error {
	for _, f := range facts {
		env, known := around[f.CheckoutID]
		if !known || f.Subscription == nil || env.prices[f.Subscription.PriceID].ID != "" {
			continue
		}
		own, err := s.Mirrors.Recurring(ctx, at, f.Subscription.PriceID, env.product.OrgID, env.product.ID)
		if err != nil {
			return err
		}
		env.prices[f.Subscription.PriceID] = own
	}
	return nil
}

func (s *Service) surround(ctx context.Context, of billing.CheckoutSnapshot) (saleContext, error) {
	price, err := s.Prices.Find(ctx, of.PriceID)
	if err != nil {
		return saleContext{}, err
	}
	remotes, err := s.Mirrors.Remotes(ctx, of.Account, price.ID.String())
	if err != nil {
		return saleContext{}, err
	}
	prices := map[string]billing.PriceRef{}
	for _, one := range remotes {
		prices[one] = billing.PriceRef{ID: price.ID, ProductID: of.ProductID}
	}
	sold, err := s.Products.Find(ctx, product.Ref(of.ProductID.String()))
	return saleContext{product: sold, price: price, prices: prices}, err
}

// sale is one sale while facts about it are taken.
type sale struct {
	saleContext

	checkout *billing.Checkout
	changed  bool
	// moved reports that the subscription was moved to another product.
	moved bool
	// bills are invoices that have yet to be numbered and stored.
	bills []*billing.Invoice
}

// Apply takes facts of an account, with all that hangs on them, in a transaction of the
// caller's. It reports whether they changed anything.
func (s *Service) Apply(
	ctx context.Context, tx Repos, at billing.Account, facts []billing.Fact, around map[billing.CheckoutID]saleContext,
) (changed bool, err error) {
	sales := map[billing.CheckoutID]*sale{}
	var inOrder []*sale
	for _, f := range facts {
		env, known := around[f.CheckoutID]
		if !known {
			continue
		}
		if sales[f.CheckoutID] == nil {
			held, err := tx.Checkouts.ByID(ctx, f.CheckoutID)
			if err != nil {
				return false, err
			}
			sales[f.CheckoutID] = &sale{saleContext: env, checkout: held}
			inOrder = append(inOrder, sales[f.CheckoutID])
		}
		of := sales[f.CheckoutID]
		if of.checkout.Snapshot().Account != at {
			continue
		}
		if err := s.take(ctx, tx, of, f); err != nil {
			return false, err
		}
	}
	return s.updateChanged(ctx, tx, inOrder)
}

// updateChanged updates access by the sales that changed, and reports whether there is any.
func (s *Service) updateChanged(ctx context.Context, tx Repos, sales []*sale) (changed bool, err error) {
	for _, of := range sales {
		if !of.changed {
			continue
		}
		changed = true
		if err := s.updateAccess(ctx, tx, of); err != nil {
			return false, err
		}
	}
	for _, of := range sales {
		if err := number(ctx, tx, of); err != nil {
			return false, err
		}
	}
	return changed, nil
}

// number numbers the new invoices of a sale, and stores them. That comes last: the next number
// of a seller is held for as long as it is not stored.
func number(ctx context.Context, tx Repos, of *sale) error {
	for _, invoice := range of.bills {
		is := invoice.Snapshot()
		next, err := tx.Invoices.Next(ctx, is.OrgID, is.IssuedAt.Year())
		if err != nil {
			return err
		}
		invoice.Call(next)
		if err := tx.Invoices.Save(ctx, invoice); err != nil {
			return err
		}
	}
	return nil
}

// take takes one fact.
func (s *Service) take(ctx context.Context, tx Repos, of *sale, f billing.Fact) error {
	var changed bool
	var err error
	switch {
	case f.Checkout != nil:
		changed, err = s.takeCheckout(ctx, tx, of, f)
	case f.Subscription != nil:
		changed, err = s.takeSubscription(ctx, tx, of, f)
	case f.Invoice != nil:
		changed, err = s.takeInvoice(ctx, tx, of, f)
	case f.Payment != nil:
		changed, err = s.takePayment(ctx, tx, of, f)
	case f.Refund != nil:
		changed, err = s.takeRefund(ctx, tx, of, f)
	}
	of.changed = of.changed || changed
	return err
}

// takeCheckout applies a fact about the checkout. If it ended without a purchase, its
// coupon is released.
func (s *Service) takeCheckout(ctx context.Context, tx Repos, of *sale, f billing.Fact) (bool, error) {
	was := of.checkout.Over()
	changed, err := of.checkout.Take(f, of.prices[f.Checkout.PriceID].ID)
	if err == nil && f.Checkout.Agreed && of.checkout.Snapshot().Status == billing.CheckoutOpen {
		err = s.complete(ctx, tx, of.checkout.Snapshot())
	}
	if err != nil || !changed {
		return false, err
	}
	if of.checkout.Over() && !was {
		if err := release(ctx, tx, of.checkout.Snapshot().Sale, of.checkout.Snapshot().Coupon); err != nil {
			return false, err
		}
	}
	if err := tx.Checkouts.Save(ctx, of.checkout); err != nil {
		return false, err
	}
	buyer, err := tx.Customers.ByID(ctx, of.checkout.Snapshot().CustomerID)
	if err != nil {
		return false, err
	}
	if buyer.Known(f.Checkout.CustomerID) {
		err = tx.Customers.Save(ctx, buyer)
	}
	return true, err
}

// complete has a checkout completed that the buyer agreed to, soon, unless that is intended
// already.
func (s *Service) complete(ctx context.Context, tx Repos, of billing.CheckoutSnapshot) error {
	_, intended, err := tx.Intents.OfCheckout(ctx, of.CheckoutID, billing.IntentComplete)
	if err != nil || intended {
		return err
	}
	now := s.Clock.Now()
	return tx.Intents.Put(ctx, billing.Intent{
		ID: billing.NewIntentID(s.IDs), Kind: billing.IntentComplete, CheckoutID: of.CheckoutID, Subject: of.CheckoutID.String(), Account: of.Account, CreatedAt: now,
	}, now)
}

// release frees the place of a coupon that a sale held; "" for none.
func release(ctx context.Context, tx Repos, of billing.Sale, code billing.Code) error {
	if code == "" {
		return nil
	}
	coupon, err := tx.Coupons.ByCode(ctx, of.OrgID, code)
	if err != nil {
		return err
	}
	coupon.Release()
	return tx.Coupons.Save(ctx, coupon)
}

func (s *Service) takeSubscription(ctx context.Context, tx Repos, of *sale, f billing.Fact) (bool, error) {
	sub, err := tx.Subscriptions.OfCheckout(ctx, f.CheckoutID)
	if errors.Is(err, billing.ErrNoSubscription) {
		sub, err = s.subscribe(ctx, tx, of, f)
	}
	if err != nil {
		return false, err
	}
	was := sub.Snapshot().ProductID
	changed, err := sub.Take(f, of.prices[f.Subscription.PriceID])
	if err != nil || !changed {
		return false, err
	}
	of.moved = of.moved || sub.Snapshot().ProductID != was
	return true, tx.Subscriptions.Save(ctx, sub)
}

// subscribe makes the subscription of a sale. It fails with billing.ErrLie for one that is known
// to be of another sale.
func (s *Service) subscribe(ctx context.Context, tx Repos, of *sale, f billing.Fact) (*billing.Subscription, error) {
	held := of.checkout.Snapshot()
	_, err := tx.Subscriptions.ByRemote(ctx, held.Account, f.ID)
	if err == nil {
		err = billing.ErrLie
	}
	if !errors.Is(err, billing.ErrNoSubscription) {
		return nil, err
	}
	return billing.Subscribe(billing.NewSubscriptionID(s.IDs), held, s.Clock.Now()), nil
}

func (s *Service) takeInvoice(ctx context.Context, tx Repos, of *sale, f billing.Fact) (bool, error) {
	held := of.checkout.Snapshot()
	invoice, err := s.invoiceOf(ctx, tx, of, f)
	if err == nil {
		err = belongs(invoice.Snapshot().Sale, held)
	}
	if err != nil {
		return false, err
	}
	changed, err := invoice.Take(f, held.Subtotal.Currency)
	switch {
	case err != nil || !changed:
		return false, err
	case invoice.Snapshot().Number != "":
		return true, tx.Invoices.Save(ctx, invoice)
	case !slices.Contains(of.bills, invoice):
		of.bills = append(of.bills, invoice)
	}
	return true, nil
}

// invoiceOf reads the invoice that a fact is about, or makes it.
func (s *Service) invoiceOf(ctx context.Context, tx Repos, of *sale, f billing.Fact) (*billing.Invoice, error) {
	for _, one := range of.bills {
		if one.Snapshot().Remote.ID == f.ID {
			return one, nil
		}
	}
	held := of.checkout.Snapshot()
	invoice, err := tx.Invoices.ByRemote(ctx, held.Account, f.ID)
	if errors.Is(err, billing.ErrNoInvoice) {
		return billing.Bill(billing.NewInvoiceID(s.IDs), held.Sale, s.Clock.Now()), nil
	}
	return invoice, err
}

func (s *Service) takePayment(ctx context.Context, tx Repos, of *sale, f billing.Fact) (bool, error) {
	held := of.checkout.Snapshot()
	payment, err := tx.Payments.ByRemote(ctx, held.Account, f.ID)
	if errors.Is(err, billing.ErrNoPayment) {
		payment, err = billing.Pay(billing.NewPaymentID(s.IDs), held.Sale, s.Clock.Now()), nil
	}
	if err == nil {
		err = belongs(payment.Snapshot().Sale, held)
	}
	if err != nil {
		return false, err
	}
	changed, err := payment.Take(f, held.Subtotal.Currency)
	if err != nil || !changed {
		return false, err
	}
	return true, tx.Payments.Save(ctx, payment)
}

func (s *Service) takeRefund(ctx context.Context, tx Repos, of *sale, f billing.Fact) (bool, error) {
	held := of.checkout.Snapshot()
	refund, err := s.refundOf(ctx, tx, held, f)
	if err == nil {
		err = belongs(refund.Snapshot().Sale, held)
	}
	if err != nil {
		return false, err
	}
	changed, err := refund.Take(f, held.Subtotal.Currency)
	if err != nil || !changed {
		return false, err
	}
	return true, tx.Refunds.Save(ctx, refund)
}

// belongs fails with billing.ErrLie for an object that is known to belong to another
// sale.
func belongs(object billing.Sale, to billing.CheckoutSnapshot) error {
	if object.CheckoutID != to.CheckoutID {
		return billing.ErrLie
	}
	return nil
}

// refundOf returns the refund of a fact: by the processor's identifier, by ours if the
// processor reports it, else a new one.
func (s *Service) refundOf(ctx context.Context, tx Repos, held billing.CheckoutSnapshot, f billing.Fact) (*billing.Refund, error) {
	refund, err := tx.Refunds.ByRemote(ctx, held.Account, f.ID)
	if errors.Is(err, billing.ErrNoRefund) && f.Refund.RefundID != "" {
		refund, err = tx.Refunds.ByID(ctx, f.Refund.RefundID)
		if err == nil && (refund.Snapshot().CheckoutID != held.CheckoutID || refund.Snapshot().Remote.ID != "") {
			err = billing.ErrNoRefund
		}
	}
	if errors.Is(err, billing.ErrNoRefund) {
		return billing.Given(billing.NewRefundID(s.IDs), held.Sale, s.Clock.Now()), nil
	}
	return refund, err
}

package payment

import (
	"context"
	"errors"
	"time"

	"gatehouse.internal/domain/billing"
)

// Order is a requested purchase.
type Order struct {
	Checkout billing.CheckoutSnapshot
	Price    billing.PriceSnapshot
	// Name and Email are those of the buyer, for the customer that they become.
	Name, Email string
}

// StartedCheckout is a checkout that can be continued.
type StartedCheckout struct {
	ID billing.CheckoutID
	// Intent is the call that makes it; only where it is Pending.
	Intent  billing.Intent
	Pending bool
}

// Begin stores a checkout, with the intent to have it made at the processor; Carry makes it.
// One that was begun for the same, and may still be paid, is taken again. A customer has one
// trial of a product: they buy without another. It fails like billing.Begin and with
// billing.ErrCouponOver and billing.ErrUnfinished.
func (s *Service) Begin(ctx context.Context, o Order) (begun StartedCheckout, err error) {
	now := s.Clock.Now()
	id, intent := billing.NewCheckoutID(s.IDs), billing.NewIntentID(s.IDs)
	err = s.Unit.Do(ctx, func(tx Repos) error {
		of := o.Checkout
		of.CheckoutID, of.PriceID = id, o.Price.ID
		earlier, found, err := s.meet(ctx, tx, &of, o, now)
		if err != nil || found {
			begun = earlier
			return err
		}
		if err := redeem(ctx, tx, &of, o.Price, now); err != nil {
			return err
		}
		made, err := billing.Begin(of, o.Price, now)
		if err != nil {
			return err
		}
		if err := tx.Checkouts.Save(ctx, made); err != nil {
			return err
		}
		begun = StartedCheckout{ID: id, Pending: true, Intent: billing.Intent{
			ID: intent, Kind: billing.IntentCheckout, CheckoutID: id, Subject: id.String(), Account: of.Account, CreatedAt: now,
		}}
		return tx.Intents.Put(ctx, begun.Intent, now.Add(billing.Lease))
	})
	return begun, err
}

// meet assigns the customer to a new checkout, limits trials to one for each product,
// and returns a pending checkout for the same purchase, if there is one.
func (s *Service) meet(ctx context.Context, tx Repos, of *billing.CheckoutSnapshot, o Order, now time.Time) (begun StartedCheckout, found bool, err error) {
	buyer, err := s.customer(ctx, tx, o, now)
	if err != nil {
		return begun, false, err
	}
	of.CustomerID = buyer.Snapshot().ID
	begun, found, err = again(ctx, tx, *of, now)
	if err != nil || found || of.TrialDays == 0 {
		return begun, found, err
	}
	tried, err := tx.Checkouts.Tried(ctx, of.CustomerID, of.ProductID)
	if err != nil || !tried {
		return begun, false, err
	}
	of.TrialDays = 0
	return again(ctx, tx, *of, now)
}

// again finds the checkout that was begun for the same, if there is one. It fails with
// billing.ErrUnfinished where another one would be too many.
func again(ctx context.Context, tx Repos, of billing.CheckoutSnapshot, now time.Time) (begun StartedCheckout, found bool, err error) {
	earlier, err := tx.Checkouts.Unfinished(ctx, of.CustomerID)
	if err != nil {
		return StartedCheckout{}, false, err
	}
	for _, one := range earlier {
		if !alike(one, of, now) {
			continue
		}
		begun.ID = one.CheckoutID
		if one.Status == billing.CheckoutPending {
			begun.Intent, begun.Pending, err = tx.Intents.OfCheckout(ctx, one.CheckoutID, billing.IntentCheckout)
		}
		return begun, true, err
	}
	if len(earlier) >= billing.MostUnfinished {
		err = billing.ErrUnfinished
	}
	return StartedCheckout{}, false, err
}

// alike reports whether a checkout is for the same as another would be, and may be paid.
func alike(one, other billing.CheckoutSnapshot, now time.Time) bool {
	if one.Status == billing.CheckoutOpen && !now.Before(one.ExpiresAt) {
		return false
	}
	return one.PriceID == other.PriceID && one.Quantity == other.Quantity && one.Coupon == other.Coupon && one.TrialDays == other.TrialDays &&
		one.SuccessURL == other.SuccessURL && one.CancelURL == other.CancelURL
}

// customer reads the customer that a buyer is, or makes one.
func (s *Service) customer(ctx context.Context, tx Repos, o Order, now time.Time) (*billing.Customer, error) {
	of := o.Checkout
	found, err := tx.Customers.OfBuyer(ctx, of.OrgID, of.Account, of.Buyer)
	if !errors.Is(err, billing.ErrNoCustomer) {
		return found, err
	}
	made := billing.Meet(billing.CustomerSnapshot{
		ID: billing.NewCustomerID(s.IDs), OrgID: of.OrgID, Account: of.Account, Buyer: of.Buyer, Name: o.Name, Email: o.Email,
	}, now)
	return made, tx.Customers.Save(ctx, made)
}

// redeem takes a place of the coupon that a checkout names.
func redeem(ctx context.Context, tx Repos, of *billing.CheckoutSnapshot, by billing.PriceSnapshot, now time.Time) error {
	found, err := Redeem(ctx, tx, of.Coupon, by, now)
	of.Discount = found
	return err
}

// Redeem reserves a coupon of the seller for a price, and returns its discount; "" is
// no coupon. It fails with billing.ErrCouponOver.
func Redeem(ctx context.Context, tx Repos, code billing.Code, by billing.PriceSnapshot, now time.Time) (billing.Discount, error) {
	if code == "" {
		return billing.Discount{}, nil
	}
	coupon, err := tx.Coupons.ByCode(ctx, by.OrgID, code)
	if errors.Is(err, billing.ErrNoCoupon) {
		err = billing.ErrCouponOver
	}
	if err == nil {
		err = coupon.Redeem(by, now)
	}
	if err != nil {
		return billing.Discount{}, err
	}
	return coupon.Snapshot().Discount, tx.Coupons.Save(ctx, coupon)
}

// Intend stores a call about a sale whose checkout is locked.
func (s *Service) Intend(ctx context.Context, tx Repos, i billing.Intent) (billing.Intent, error) {
	now := s.Clock.Now()
	i.ID, i.CreatedAt = billing.NewIntentID(s.IDs), now
	return i, tx.Intents.Put(ctx, i, now.Add(billing.Lease))
}

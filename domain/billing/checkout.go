package billing

import (
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/license"
	"gatehouse.internal/domain/money"
)

// MostUnfinished is how many checkouts a customer may have that are not paid yet: each holds
// its place of a coupon.
const MostUnfinished = 50

// Errors of checkouts.
var (
	ErrNoCheckout = fault.New(fault.NotFound, "no such checkout")
	ErrUnfinished = fault.LimitReached("open checkout", MostUnfinished, "complete one or wait until one expires")
	// ErrLie is returned if a processor's statement about a sale differs from the
	// agreement.
	ErrLie = fault.New(fault.Validation, "the payment processor reported a different price, quantity, amount or currency than agreed")
	// ErrRefused is returned if the processor rejected a call.
	ErrRefused = fault.New(fault.Validation, "the payment processor rejected the request")
	// ErrWaiting is returned if a call must be made later.
	ErrWaiting = fault.Outside("the payment processor cannot take the request yet: try again later")
)

// CheckoutStatus is the state of a checkout.
type CheckoutStatus string

// The states of checkouts.
const (
	CheckoutPending   CheckoutStatus = "pending"
	CheckoutOpen      CheckoutStatus = "open"
	CheckoutCompleted CheckoutStatus = "completed"
	CheckoutExpired   CheckoutStatus = "expired"
	CheckoutFailed    CheckoutStatus = "failed"
)

func (s CheckoutStatus) rank() int {
	return map[CheckoutStatus]int{CheckoutPending: 0, CheckoutOpen: 1, CheckoutExpired: 2, CheckoutFailed: 2, CheckoutCompleted: 3}[s]
}

// CheckoutSnapshot is the stored state of a checkout.
type CheckoutSnapshot struct {
	Sale

	Remote   Remote
	PriceID  PriceID
	Quantity int64
	// Subtotal is the agreed amount after the discount and before tax.
	Subtotal money.Amount
	// Coupon is the code of the coupon reserved by the checkout; empty for none.
	Coupon    Code
	Discount  Discount
	TrialDays int
	// SuccessURL and CancelURL are where the browser goes afterwards.
	SuccessURL, CancelURL string
	Status                CheckoutStatus
	// URL is the page of the processor.
	URL       string
	ExpiresAt time.Time
	// LicenseID is the license issued by the sale; empty for none yet.
	LicenseID license.ID
	// Role is the key of the role that it gave in the workspace that sells, "" for none;
	// Joined reports whether the buyer became a member by that.
	Role        string
	Joined      bool
	CompletedAt time.Time
	CreatedAt   time.Time
}

// Checkout is one sale.
type Checkout struct {
	root
	s CheckoutSnapshot
}

// Begin makes a checkout that the processor is to be asked for. It fails like
// PriceSnapshot.Upfront and with ErrCouponOver.
func Begin(s CheckoutSnapshot, by PriceSnapshot, now time.Time) (*Checkout, error) {
	total, err := by.Upfront(s.Quantity)
	if err != nil {
		return nil, err
	}
	if s.Coupon != "" {
		off, err := s.Discount.Off(total)
		if err != nil {
			return nil, ErrCouponOver
		}
		if total, err = total.Minus(off); err != nil {
			return nil, ErrCouponOver
		}
	}
	s.Subtotal, s.Status, s.CreatedAt, s.PriceID = total, CheckoutPending, now, by.ID
	c := &Checkout{s: s}
	c.Raise(CheckoutCreated{aboutSale(s.Sale), s.PriceID})
	return c, nil
}

// RestoreCheckout returns the checkout that was stored.
func RestoreCheckout(s CheckoutSnapshot, version int64) *Checkout {
	return &Checkout{root: at(version), s: s}
}

// Snapshot returns the state to store.
func (c *Checkout) Snapshot() CheckoutSnapshot { return c.s }

// Take applies a fact about the checkout, and reports whether it changed anything. The
// purchase must match the agreement: otherwise it fails with ErrLie. price is our price
// that the fact names; empty for none.
func (c *Checkout) Take(f Fact, price PriceID) (bool, error) {
	reported := *f.Checkout
	if !c.s.Remote.is(f.ID) {
		return false, ErrLie
	}
	if c.s.Status == CheckoutCompleted {
		return false, nil
	}
	bought := reported.Status == CheckoutCompleted || reported.Agreed
	if bought && (price != c.s.PriceID || reported.Quantity != c.s.Quantity || reported.Subtotal != c.s.Subtotal) {
		return false, ErrLie
	}
	if !c.s.Remote.take(f.ID, f.At, reported.Status.rank(), c.s.Status.rank()) {
		return false, nil
	}
	before := c.s.Status
	c.s.Status = reported.Status
	if reported.URL != "" {
		c.s.URL, c.s.ExpiresAt = reported.URL, reported.ExpiresAt
	}
	switch {
	case before == reported.Status:
	case reported.Status == CheckoutCompleted:
		c.s.CompletedAt = f.At
		c.Raise(CheckoutCompletedEvent{aboutSale(c.s.Sale), c.s.PriceID})
	case reported.Status == CheckoutExpired:
		c.Raise(CheckoutExpiredEvent{aboutSale(c.s.Sale), c.s.PriceID})
	}
	return true, nil
}

// Fail ends a checkout that the processor did not take, and reports whether it was to be
// made.
func (c *Checkout) Fail() bool {
	if c.s.Status != CheckoutPending {
		return false
	}
	c.s.Status = CheckoutFailed
	return true
}

// Over reports whether the checkout ended without a purchase.
func (c *Checkout) Over() bool { return c.s.Status == CheckoutExpired || c.s.Status == CheckoutFailed }

// Admit records the role that the sale grants in the selling workspace; "" for none.
func (c *Checkout) Admit(role string, joined bool) { c.s.Role, c.s.Joined = role, joined }

// Licensed notes the license that the sale gave.
func (c *Checkout) Licensed(id license.ID) { c.s.LicenseID = id }

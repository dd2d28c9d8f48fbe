// Package sandbox is the payment processor of development instances: nobody pays there, and
// everything else is as it is with a real one. What it knows of a sale stands in one row;
// its pages are at /dev/payments/, its hooks go over HTTP to the service itself
// (spec/billing.md section 1).
package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/mac"
	"gatehouse.internal/domain/money"
	"gatehouse.internal/ports/outbound"
	ports "gatehouse.internal/ports/outbound/billing"
)

// checkoutLife is how long somebody may think about a purchase.
const checkoutLife = 24 * time.Hour

// attempts is how often a change is tried that others come between. Each time one of those was
// stored, so that it is enough for as many as come at once.
const attempts = 100

// ErrNoSale says that the sandbox knows no such sale.
var ErrNoSale = errors.New("the sandbox knows no such sale")

// Sandbox is the processor, filled with a keyed literal.
type Sandbox struct {
	Store ports.SandboxSales
	// Key signs the hooks.
	Key mac.Key
	// Host is the address of the service.
	Host  string
	Clock outbound.Clock
	// Transport carries the hooks; nil: the one of the system.
	Transport http.RoundTripper
}

// Sale is all that the sandbox knows of one sale.
type Sale struct {
	ID         string             `json:"id"`
	CheckoutID billing.CheckoutID `json:"checkout_id"`
	Product    string             `json:"product"`
	PriceID    string             `json:"price_id"`
	Interval   billing.Interval   `json:"interval"`
	Quantity   int64              `json:"quantity"`
	// First is what the first payment is, Later what the full price is.
	First    money.Amount     `json:"first"`
	Later    money.Amount     `json:"later"`
	Discount billing.Discount `json:"discount"`
	// Metered sales cost Unit for each use; Used is what was used since the last renewal.
	Metered bool         `json:"metered,omitzero"`
	Unit    money.Amount `json:"unit,omitzero"`
	Used    int64        `json:"used,omitzero"`
	// Carried is what the next invoice charges beside its period, in minor units.
	Carried    int64     `json:"carried,omitzero"`
	TrialDays  int       `json:"trial_days"`
	SuccessURL string    `json:"success_url"`
	CancelURL  string    `json:"cancel_url"`
	CreatedAt  time.Time `json:"created_at"`
	// Facts are its objects: the checkout, then the subscription if there is one, and the
	// rest as it came.
	Facts []billing.Fact `json:"facts"`
	// Keys are those of the calls that were made, with what came of them.
	Keys map[string]billing.Fact `json:"keys,omitempty"`
	// Told counts the hooks.
	Told int       `json:"told"`
	At   time.Time `json:"at"`
}

// Account returns the sandbox, in test mode.
func (*Sandbox) Account() billing.Account {
	return billing.Account{Processor: billing.Sandbox, Mode: billing.Test}
}

// Abilities returns what the sandbox can do.
func (*Sandbox) Abilities() []billing.Ability {
	return []billing.Ability{
		billing.CanSubscribe, billing.CanTry, billing.CanDiscount, billing.CanRefund, billing.CanRefundPart, billing.CanCancel, billing.CanResume,
		billing.CanChange, billing.CanProrate, billing.CanWaive, billing.CanPortal, billing.CanMeter, billing.CanTier, billing.CanAddress,
	}
}

// Selling begins sales.
func (s *Sandbox) Selling() ports.Selling { return s }

// Changing changes what was sold.
func (s *Sandbox) Changing() ports.Changing { return s }

// Serving serves those who bought.
func (s *Sandbox) Serving() ports.Serving { return s }

// Hooks reads the hooks.
func (s *Sandbox) Hooks() ports.Hooks { return s }

// saleOf returns the identifier of the sale that an order with a key makes.
func saleOf(key string) string { return "sbx_" + key[strings.LastIndexByte(key, '_')+1:] }

// saleOfObject returns the identifier of the sale that an object belongs to.
func saleOfObject(id string) string {
	sale, _, _ := strings.Cut(strings.TrimPrefix(id, "sbx_"), "_")
	return "sbx_" + sale
}

// CreateCheckout makes the page of a sale, once for a key.
func (s *Sandbox) CreateCheckout(ctx context.Context, order ports.CheckoutOrder, key string) (billing.Fact, error) {
	of, now := order.Checkout, s.Clock.Now()
	later, err := order.Price.Upfront(of.Quantity)
	if err != nil {
		return billing.Fact{}, fmt.Errorf("%w: %w", billing.ErrRefused, err)
	}
	made := Sale{
		ID: saleOf(key), CheckoutID: of.CheckoutID, Product: order.Product, PriceID: order.PriceID, Interval: order.Price.Interval, Quantity: of.Quantity,
		First: of.Subtotal, Later: later, Discount: of.Discount,
		Metered: order.Price.Model == billing.Metered, Unit: order.Price.Unit, TrialDays: of.TrialDays, SuccessURL: of.SuccessURL, CancelURL: of.CancelURL, CreatedAt: now,
	}
	made.put(made.ID, now, billing.Fact{Checkout: &billing.CheckoutFact{
		Status: billing.CheckoutOpen, URL: s.Host + "/dev/payments/" + made.ID, ExpiresAt: now.Add(checkoutLife), PriceID: made.PriceID,
		Quantity: made.Quantity, Subtotal: made.First, CustomerID: "sbc_" + of.CustomerID.String(),
	}})
	content, err := json.Marshal(made)
	if err != nil {
		return billing.Fact{}, fmt.Errorf("encode a sale: %w", err)
	}
	stored, err := s.Store.Put(ctx, made.ID, string(content), 0)
	if err != nil {
		return billing.Fact{}, err
	}
	if !stored {
		earlier, _, err := s.read(ctx, made.ID)
		if err != nil {
			return billing.Fact{}, err
		}
		made = earlier
	}
	return made.Facts[0], nil
}

// Fetch returns all that is known of a sale. A page that nobody paid at expires.
func (s *Sandbox) Fetch(ctx context.Context, id string) ([]billing.Fact, error) {
	of, err := s.change(ctx, id, func(of *Sale, now time.Time) error {
		page := of.Facts[0].Checkout
		if page.Status == billing.CheckoutOpen && !now.Before(page.ExpiresAt) {
			page.Status = billing.CheckoutExpired
			of.put(of.ID, now, of.Facts[0])
		}
		return nil
	})
	return of.Facts, err
}

// CancelSubscription ends a subscription, now or with its period.
func (s *Sandbox) CancelSubscription(ctx context.Context, id string, atPeriodEnd bool, key string) (billing.Fact, error) {
	return s.changeSubscription(ctx, id, key, func(sub *billing.SubscriptionFact, now time.Time) error {
		if sub.Status == billing.Ended {
			return billing.ErrRefused
		}
		sub.Status, sub.CanceledAt = billing.Canceled, now
		if !atPeriodEnd {
			sub.Status, sub.EndedAt = billing.Ended, now
		}
		return nil
	})
}

// ResumeSubscription undoes a cancellation.
func (s *Sandbox) ResumeSubscription(ctx context.Context, id, key string) (billing.Fact, error) {
	return s.changeSubscription(ctx, id, key, func(sub *billing.SubscriptionFact, now time.Time) error {
		if sub.Status != billing.Canceled {
			return billing.ErrRefused
		}
		sub.Status, sub.CanceledAt = billing.Active, time.Time{}
		if now.Before(sub.TrialEnd) {
			sub.Status = billing.Trialing
		}
		return nil
	})
}

func (s *Sandbox) changeSubscription(
	ctx context.Context, id, key string, change func(*billing.SubscriptionFact, time.Time) error,
) (billing.Fact, error) {
	return s.once(ctx, id, key, func(of *Sale, now time.Time) (billing.Fact, error) {
		sub := of.subscription()
		if sub == nil {
			return billing.Fact{}, billing.ErrRefused
		}
		if err := change(sub.Subscription, now); err != nil {
			return billing.Fact{}, err
		}
		return of.put(sub.ID, now, *sub), nil
	})
}

// Refund lets money go back, at most what was paid.
func (s *Sandbox) Refund(ctx context.Context, of billing.RefundSnapshot, key string) (billing.Fact, error) {
	return s.once(ctx, of.Payment, key, func(sale *Sale, now time.Time) (billing.Fact, error) {
		paid := sale.find(of.Payment)
		if paid == nil || paid.Payment == nil || paid.Payment.Status != billing.PaymentSucceeded ||
			paid.Payment.Amount.Currency != of.Amount.Currency || paid.Payment.Amount.Minor < sale.refunded(of.Payment)+of.Amount.Minor {
			return billing.Fact{}, billing.ErrRefused
		}
		return sale.add("rfd", now, billing.Fact{Refund: &billing.RefundFact{
			RefundID: of.ID, Status: billing.RefundSucceeded, PaymentID: of.Payment, Amount: of.Amount,
		}}), nil
	})
}

// once changes the sale of an object, unless a call under the key did.
func (s *Sandbox) once(ctx context.Context, id, key string, change func(*Sale, time.Time) (billing.Fact, error)) (fact billing.Fact, err error) {
	_, err = s.change(ctx, saleOfObject(id), func(of *Sale, now time.Time) error {
		if earlier, made := of.Keys[key]; made {
			fact = earlier
			return nil
		}
		if fact, err = change(of, now); err != nil {
			return err
		}
		if of.Keys == nil {
			of.Keys = map[string]billing.Fact{}
		}
		of.Keys[key] = fact
		return nil
	})
	return fact, err
}

func (s *Sandbox) read(ctx context.Context, id string) (of Sale, version int64, err error) {
	content, version, err := s.Store.Get(ctx, id)
	if err != nil {
		return of, 0, err
	}
	if content == "" {
		return of, 0, ErrNoSale
	}
	if err := json.Unmarshal([]byte(content), &of); err != nil {
		return of, 0, fmt.Errorf("decode a sale: %w", err)
	}
	return of, version, nil
}

// change changes a sale. Each change has a time of its own.
func (s *Sandbox) change(ctx context.Context, id string, change func(of *Sale, now time.Time) error) (Sale, error) {
	for range attempts {
		of, version, err := s.read(ctx, id)
		if err != nil {
			return Sale{}, err
		}
		now := s.Clock.Now()
		if !now.After(of.At) {
			now = of.At.Add(time.Microsecond)
		}
		if err := change(&of, now); err != nil {
			return Sale{}, err
		}
		content, err := json.Marshal(of)
		if err != nil {
			return Sale{}, fmt.Errorf("encode a sale: %w", err)
		}
		stored, err := s.Store.Put(ctx, id, string(content), version)
		if err != nil || stored {
			return of, err
		}
	}
	return Sale{}, errors.New("too many changes of one sale at once")
}

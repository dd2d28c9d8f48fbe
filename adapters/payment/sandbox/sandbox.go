// Package sandbox is the payment processor of development instances. It moves no money, and otherwise behaves like a
// real one. It stores each sale in one row; its pages are at /dev/payments/, and it sends its webhooks over HTTP to
// the service itself (spec/billing.md section 1).
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
	"gatehouse.internal/ports/outbound/commerce"
)

// checkoutLife is how long a checkout is open.
const checkoutLife = 24 * time.Hour

// attempts is how often a change is tried. A try only fails if a concurrent change was stored, so that this many
// concurrent changes succeed.
const attempts = 100

// ErrNoSale says that the sandbox has no such sale.
var ErrNoSale = errors.New("unknown sandbox sale")

// Sandbox implements billing.Processor. All fields but Transport are required.
type Sandbox struct {
	Store commerce.SandboxSales
	// Key signs the webhooks.
	Key mac.Key
	// Host is the public address of the service.
	Host  string
	Clock outbound.Clock
	// Transport sends the webhooks; nil for http.DefaultTransport.
	Transport http.RoundTripper
}

// Sale is the stored state of a sale.
type Sale struct {
	ID         string             `json:"id"`
	CheckoutID billing.CheckoutID `json:"checkout_id"`
	Product    string             `json:"product"`
	PriceID    string             `json:"price_id"`
	Interval   billing.Interval   `json:"interval"`
	Quantity   int64              `json:"quantity"`
	// First is the amount of the first payment, and Later the full price of a period.
	First    money.Amount     `json:"first"`
	Later    money.Amount     `json:"later"`
	Discount billing.Discount `json:"discount"`
	// A metered sale costs Unit for each use; Used counts the uses since the last renewal.
	Metered bool         `json:"metered,omitzero"`
	Unit    money.Amount `json:"unit,omitzero"`
	Used    int64        `json:"used,omitzero"`
	// Carried is the amount that the next invoice adds to the price of its period, in minor units.
	Carried    int64     `json:"carried,omitzero"`
	TrialDays  int       `json:"trial_days"`
	SuccessURL string    `json:"success_url"`
	CancelURL  string    `json:"cancel_url"`
	CreatedAt  time.Time `json:"created_at"`
	// Facts are the objects of the sale: first the checkout, then the others in the order of
	// their creation.
	Facts []billing.Fact `json:"facts"`
	// Keys are the idempotency keys of calls, with their results.
	Keys map[string]billing.Fact `json:"keys,omitempty"`
	// HookCount counts the webhooks.
	HookCount int       `json:"told"`
	At        time.Time `json:"at"`
}

// Account returns the sandbox, in test mode.
func (*Sandbox) Account() billing.Account {
	return billing.Account{Processor: billing.Sandbox, Mode: billing.Test}
}

// Abilities returns the abilities of the sandbox.
func (*Sandbox) Abilities() []billing.Ability {
	return []billing.Ability{
		billing.CanSubscribe, billing.CanTry, billing.CanDiscount, billing.CanRefund, billing.CanRefundPart, billing.CanCancel, billing.CanResume,
		billing.CanChange, billing.CanProrate, billing.CanWaive, billing.CanPortal, billing.CanMeter, billing.CanTier, billing.CanAddress,
	}
}

// Selling returns the part of the port that begins sales.
func (s *Sandbox) Selling() commerce.Selling { return s }

// Changing returns the part of the port that changes and refunds sales.
func (s *Sandbox) Changing() commerce.Changing { return s }

// Serving returns the part of the port for customers and invoices.
func (s *Sandbox) Serving() commerce.Serving { return s }

// Hooks returns the part of the port that reads webhooks.
func (s *Sandbox) Hooks() commerce.Hooks { return s }

// saleOf returns the identifier of the sale that a call with a key creates.
func saleOf(key string) string { return "sbx_" + key[strings.LastIndexByte(key, '_')+1:] }

// saleOfObject returns the identifier of the sale to which an object belongs.
func saleOfObject(id string) string {
	sale, _, _ := strings.Cut(strings.TrimPrefix(id, "sbx_"), "_")
	return "sbx_" + sale
}

// CreateCheckout creates a sale, once for a key.
func (s *Sandbox) CreateCheckout(ctx context.Context, order commerce.CheckoutOrder, key string) (billing.Fact, error) {
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

// Fetch returns all facts of a sale. It lets an open checkout expire after checkoutLife.
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

// CancelSubscription cancels a subscription, now or at the end of its period.
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

// Refund refunds an amount of a payment. It fails with billing.ErrRefused for more than has not been refunded.
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

// once changes the sale of an object, once for a key; a repeated call returns the first result.
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

// change reads, changes and stores a sale, with a time after that of the previous change.
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
	return Sale{}, errors.New("too many concurrent changes of the sale")
}

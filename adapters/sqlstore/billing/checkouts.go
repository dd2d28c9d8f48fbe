package billing

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/license"
	"gatehouse.internal/domain/money"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/ports/outbound/commerce"
)

// Checkouts returns the repository of checkouts.
func Checkouts(tx *sqlstore.Tx) commerce.Checkouts { return checkouts{tx} }

type checkouts struct{ tx *sqlstore.Tx }

const checkoutColumns = `id AS checkout_id, ` + saleColumns + `, price_id, quantity, currency, subtotal, coupon, discount, trial_days, success_url,
	cancel_url, status, url, expires_at, license_id, role, joined, completed_at`

type checkoutRow struct {
	saleRow

	PriceID     billing.PriceID        `db:"price_id"`
	Quantity    int64                  `db:"quantity"`
	Currency    money.Currency         `db:"currency"`
	Subtotal    int64                  `db:"subtotal"`
	Coupon      billing.Code           `db:"coupon"`
	Discount    string                 `db:"discount"`
	TrialDays   int                    `db:"trial_days"`
	SuccessURL  string                 `db:"success_url"`
	CancelURL   string                 `db:"cancel_url"`
	Status      billing.CheckoutStatus `db:"status"`
	URL         string                 `db:"url"`
	ExpiresAt   sqlstore.Instant       `db:"expires_at"`
	LicenseID   license.ID             `db:"license_id"`
	Role        string                 `db:"role"`
	Joined      bool                   `db:"joined"`
	CompletedAt sqlstore.Instant       `db:"completed_at"`
}

func (r *checkoutRow) snapshot() (billing.CheckoutSnapshot, error) {
	s := billing.CheckoutSnapshot{
		Sale: r.sale(), Remote: r.remote(), PriceID: r.PriceID, Quantity: r.Quantity, Subtotal: money.Of(r.Subtotal, r.Currency), Coupon: r.Coupon,
		TrialDays: r.TrialDays, SuccessURL: r.SuccessURL, CancelURL: r.CancelURL, Status: r.Status, URL: r.URL, ExpiresAt: r.ExpiresAt.Time,
		LicenseID: r.LicenseID, Role: r.Role, Joined: r.Joined, CompletedAt: r.CompletedAt.Time, CreatedAt: r.CreatedAt.Time,
	}
	if err := json.Unmarshal([]byte(r.Discount), &s.Discount); err != nil {
		return s, fmt.Errorf("decode the checkout %s: %w", r.CheckoutID, err)
	}
	return s, nil
}

const readCheckout = `SELECT ` + checkoutColumns + ` FROM checkouts WHERE id = ?`

// ByID reads one checkout under a lock of its row, which serializes all changes of the sale. It fails
// with billing.ErrNoCheckout.
func (r checkouts) ByID(ctx context.Context, id billing.CheckoutID) (*billing.Checkout, error) {
	row, err := one[checkoutRow](ctx, r.tx.Queries, billing.ErrNoCheckout, readCheckout+` {for update}`, id.String())
	if err != nil {
		return nil, err
	}
	s, err := row.snapshot()
	return billing.RestoreCheckout(s, row.Version), err
}

// Unfinished reads the checkouts of a customer that may still be paid.
func (r checkouts) Unfinished(ctx context.Context, of billing.CustomerID) ([]billing.CheckoutSnapshot, error) {
	var found []checkoutRow
	err := r.tx.List(ctx, &found, `SELECT `+checkoutColumns+` FROM checkouts WHERE customer_id = ? AND status IN ('pending', 'open') ORDER BY id DESC LIMIT ?`,
		of.String(), billing.MostUnfinished)
	if err != nil {
		return nil, fmt.Errorf("list unfinished checkouts: %w", err)
	}
	return sqlstore.Map(found, (*checkoutRow).snapshot)
}

// Tried reports whether a customer had a trial of a product, or has a checkout with one that is
// pending, open or completed.
func (r checkouts) Tried(ctx context.Context, of billing.CustomerID, product product.ID) (bool, error) {
	var found []string
	err := r.tx.List(ctx, &found, `SELECT id FROM subscriptions WHERE customer_id = ? AND product_id = ? AND trial_end IS NOT NULL
		UNION ALL SELECT id FROM checkouts WHERE customer_id = ? AND status IN ('pending', 'open', 'completed') AND product_id = ? AND trial_days > 0
		LIMIT 1`, of.String(), product.String(), of.String(), product.String())
	if err != nil {
		return false, fmt.Errorf("look for a trial: %w", err)
	}
	return len(found) > 0, nil
}

// Admitting reports whether another sale to the same buyer grants a role, and whether the buyer became
// a member by such a sale.
func (r checkouts) Admitting(ctx context.Context, except billing.CheckoutSnapshot, role string) (found, joined bool, err error) {
	var all []bool
	err = r.tx.List(ctx, &all, `SELECT joined FROM checkouts WHERE org_id = ? AND user_id = ? AND role = ? AND role <> '' AND id <> ?`,
		except.OrgID.String(), except.Buyer.UserID.String(), role, except.CheckoutID.String())
	return len(all) > 0, slices.Contains(all, true), sqlstore.Wrap("look for a sale that grants a role", err)
}

// Save stores a checkout.
func (r checkouts) Save(ctx context.Context, c *billing.Checkout) error {
	s := c.Snapshot()
	discount, err := json.Marshal(s.Discount)
	if err != nil {
		return fmt.Errorf("encode the discount of a checkout: %w", err)
	}
	return r.tx.Save(ctx, "checkouts", sqlstore.Row{{"id", s.CheckoutID.String()}}, append(saleCells(s.Sale, s.Remote, sqlstore.At(s.CreatedAt)), sqlstore.Row{
		{"processor_id", s.Remote.ID},
		{"price_id", s.PriceID.String()},
		{"quantity", s.Quantity},
		{"currency", string(s.Subtotal.Currency)},
		{"subtotal", s.Subtotal.Minor},
		{"coupon", string(s.Coupon)},
		{"discount", string(discount)},
		{"trial_days", s.TrialDays},
		{"success_url", s.SuccessURL},
		{"cancel_url", s.CancelURL},
		{"status", string(s.Status)},
		{"url", s.URL},
		{"expires_at", sqlstore.At(s.ExpiresAt)},
		{"license_id", s.LicenseID.String()},
		{"role", s.Role},
		{"joined", s.Joined},
		{"completed_at", sqlstore.At(s.CompletedAt)},
	}...), c)
}

// Subscriptions returns the repository of subscriptions.
func Subscriptions(tx *sqlstore.Tx) commerce.Subscriptions { return subscriptions{tx} }

type subscriptions struct{ tx *sqlstore.Tx }

const subscriptionColumns = `id, checkout_id, ` + saleColumns + `, price_id, quantity, status, period_start, period_end, trial_end, canceled_at, ended_at,
	reason, discount, coupons`

type subscriptionRow struct {
	saleRow

	ID          billing.SubscriptionID     `db:"id"`
	PriceID     billing.PriceID            `db:"price_id"`
	Quantity    int64                      `db:"quantity"`
	Status      billing.SubscriptionStatus `db:"status"`
	PeriodStart sqlstore.Instant           `db:"period_start"`
	PeriodEnd   sqlstore.Instant           `db:"period_end"`
	TrialEnd    sqlstore.Instant           `db:"trial_end"`
	CanceledAt  sqlstore.Instant           `db:"canceled_at"`
	EndedAt     sqlstore.Instant           `db:"ended_at"`
	Reason      string                     `db:"reason"`
	Discount    string                     `db:"discount"`
	Coupons     string                     `db:"coupons"`
}

func (r *subscriptionRow) snapshot(store *sqlstore.Store) (billing.SubscriptionSnapshot, error) {
	open := store.RowOpener("subscriptions", r.ID.String())
	s := billing.SubscriptionSnapshot{
		Sale: r.sale(), ID: r.ID, Remote: r.remote(), PriceID: r.PriceID, Quantity: r.Quantity, Status: r.Status,
		PeriodStart: r.PeriodStart.Time, PeriodEnd: r.PeriodEnd.Time, TrialEnd: r.TrialEnd.Time, CanceledAt: r.CanceledAt.Time, EndedAt: r.EndedAt.Time,
		Reason: open.Value("reason", r.Reason), CreatedAt: r.CreatedAt.Time,
	}
	coupons, err := sqlstore.DecodeList[billing.Code](r.Coupons)
	s.Coupons = coupons
	if err := errors.Join(err, open.Err, json.Unmarshal([]byte(r.Discount), &s.Discount)); err != nil {
		return s, fmt.Errorf("decode the subscription %s: %w", r.ID, err)
	}
	return s, nil
}

func (r subscriptions) one(ctx context.Context, clause string, args ...any) (*billing.Subscription, error) {
	row, err := one[subscriptionRow](ctx, r.tx.Queries, billing.ErrNoSubscription, `SELECT `+subscriptionColumns+` FROM subscriptions`+clause, args...)
	if err != nil {
		return nil, err
	}
	s, err := row.snapshot(r.tx.Store())
	return billing.RestoreSubscription(s, row.Version), err
}

// ByID reads one subscription. It fails with billing.ErrNoSubscription.
func (r subscriptions) ByID(ctx context.Context, id billing.SubscriptionID) (*billing.Subscription, error) {
	return r.one(ctx, ` WHERE id = ?`, id.String())
}

// OfCheckout reads the subscription of a sale. It fails with billing.ErrNoSubscription.
func (r subscriptions) OfCheckout(ctx context.Context, id billing.CheckoutID) (*billing.Subscription, error) {
	return r.one(ctx, ` WHERE checkout_id = ?`, id.String())
}

// ByRemote reads a subscription by the processor's identifier. It fails with
// billing.ErrNoSubscription.
func (r subscriptions) ByRemote(ctx context.Context, at billing.Account, id string) (*billing.Subscription, error) {
	return r.one(ctx, whereRemote, remoteArgs(at, id)...)
}

// Gives stores until when a subscription entitles its buyer to the features of the product.
func (r subscriptions) Gives(ctx context.Context, id billing.SubscriptionID, until time.Time) error {
	_, err := r.tx.Exec(ctx, `UPDATE subscriptions SET gives_until = ? WHERE id = ? AND gives_until IS DISTINCT FROM ?`, sqlstore.At(until), id.String(), sqlstore.At(until))
	return sqlstore.Wrap("store the end of what a subscription entitles to", err)
}

// Save stores a subscription.
func (r subscriptions) Save(ctx context.Context, sub *billing.Subscription) error {
	s := sub.Snapshot()
	discount, err := json.Marshal(s.Discount)
	if err != nil {
		return fmt.Errorf("encode the discount of a subscription: %w", err)
	}
	coupons, err := sqlstore.EncodeList(s.Coupons)
	if err != nil {
		return fmt.Errorf("encode the coupons of a subscription: %w", err)
	}
	return r.tx.Save(ctx, "subscriptions", sqlstore.Row{{"id", s.ID.String()}}, append(saleCells(s.Sale, s.Remote, sqlstore.At(s.CreatedAt)), sqlstore.Row{
		{"checkout_id", s.CheckoutID.String()},
		{"processor_id", s.Remote.ID},
		{"price_id", s.PriceID.String()},
		{"quantity", s.Quantity},
		{"status", string(s.Status)},
		{"period_start", sqlstore.At(s.PeriodStart)},
		{"period_end", sqlstore.At(s.PeriodEnd)},
		{"trial_end", sqlstore.At(s.TrialEnd)},
		{"canceled_at", sqlstore.At(s.CanceledAt)},
		{"ended_at", sqlstore.At(s.EndedAt)},
		{"reason", r.tx.Store().RowSealer("subscriptions", s.ID.String())("reason", s.Reason)},
		{"discount", string(discount)},
		{"coupons", coupons},
	}...), sub)
}

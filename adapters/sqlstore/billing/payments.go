package billing

import (
	"context"
	"fmt"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/money"
	"gatehouse.internal/ports/outbound/commerce"
)

// Payments returns the repository of payments.
func Payments(tx *sqlstore.Tx) commerce.Payments { return payments{tx} }

type payments struct{ tx *sqlstore.Tx }

const paymentColumns = `id, checkout_id, ` + saleColumns + `, invoice, status, currency, amount, dispute, failure`

type paymentRow struct {
	saleRow

	ID       billing.PaymentID     `db:"id"`
	Invoice  string                `db:"invoice"`
	Status   billing.PaymentStatus `db:"status"`
	Currency money.Currency        `db:"currency"`
	Amount   int64                 `db:"amount"`
	Dispute  billing.Dispute       `db:"dispute"`
	Failure  string                `db:"failure"`
}

func (r *paymentRow) snapshot() (billing.PaymentSnapshot, error) {
	return billing.PaymentSnapshot{
		Sale: r.sale(), ID: r.ID, Remote: r.remote(), Invoice: r.Invoice, Status: r.Status, Amount: money.Of(r.Amount, r.Currency),
		Dispute: r.Dispute, Failure: r.Failure, CreatedAt: r.CreatedAt.Time,
	}, nil
}

// ByRemote reads a payment by the processor's identifier. It fails with billing.ErrNoPayment.
func (r payments) ByRemote(ctx context.Context, at billing.Account, id string) (*billing.Payment, error) {
	row, err := one[paymentRow](ctx, r.tx.Queries, billing.ErrNoPayment, `SELECT `+paymentColumns+` FROM payments`+whereRemote, remoteArgs(at, id)...)
	if err != nil {
		return nil, err
	}
	s, err := row.snapshot()
	return billing.RestorePayment(s, row.Version), err
}

// Brought sums up the successful payments and refunds of a sale, and reports whether a dispute is open or
// lost.
func (r payments) Brought(ctx context.Context, id billing.CheckoutID, in money.Currency) (billing.Money, error) {
	var sums struct {
		Paid     int64 `db:"paid"`
		Payments int   `db:"payments"`
		Open     int   `db:"open"`
		Lost     int   `db:"lost"`
		Refunded int64 `db:"refunded"`
	}
	err := r.tx.Get(ctx, &sums, `SELECT CAST(COALESCE(SUM(amount), 0) AS BIGINT) AS paid, COUNT(*) AS payments,
			COUNT(CASE WHEN dispute = 'open' THEN 1 END) AS open, COUNT(CASE WHEN dispute = 'lost' THEN 1 END) AS lost,
			(SELECT CAST(COALESCE(SUM(r.amount), 0) AS BIGINT) FROM refunds r WHERE r.checkout_id = ? AND r.status = 'succeeded') AS refunded
		FROM payments WHERE checkout_id = ? AND status = 'succeeded'`, id.String(), id.String())
	if err != nil {
		return billing.Money{}, fmt.Errorf("sum up the payments of a sale: %w", err)
	}
	return billing.Money{
		Paid: money.Of(sums.Paid, in), Refunded: money.Of(sums.Refunded, in), Payments: sums.Payments, Open: sums.Open > 0, Lost: sums.Lost > 0,
	}, nil
}

// Save stores a payment.
func (r payments) Save(ctx context.Context, p *billing.Payment) error {
	s := p.Snapshot()
	return r.tx.Save(ctx, "payments", sqlstore.Row{{"id", s.ID.String()}}, append(saleCells(s.Sale, s.Remote, sqlstore.At(s.CreatedAt)), sqlstore.Row{
		{"checkout_id", s.CheckoutID.String()},
		{"processor_id", s.Remote.ID},
		{"invoice", s.Invoice},
		{"status", string(s.Status)},
		{"currency", string(s.Amount.Currency)},
		{"amount", s.Amount.Minor},
		{"dispute", string(s.Dispute)},
		{"failure", s.Failure},
	}...), p)
}

// Refunds returns the repository of refunds.
func Refunds(tx *sqlstore.Tx) commerce.Refunds { return refunds{tx} }

type refunds struct{ tx *sqlstore.Tx }

const refundColumns = `id, checkout_id, ` + saleColumns + `, payment, currency, amount, status, reason, failure,
	COALESCE((SELECT p.id FROM payments p WHERE p.processor = refunds.processor AND p.mode = refunds.mode AND p.processor_id = refunds.payment), '') AS payment_id`

type refundRow struct {
	saleRow

	ID        billing.RefundID     `db:"id"`
	PaymentID billing.PaymentID    `db:"payment_id"`
	Payment   string               `db:"payment"`
	Currency  money.Currency       `db:"currency"`
	Amount    int64                `db:"amount"`
	Status    billing.RefundStatus `db:"status"`
	Reason    string               `db:"reason"`
	Failure   string               `db:"failure"`
}

func (r *refundRow) snapshot(store *sqlstore.Store) (billing.RefundSnapshot, error) {
	open := store.RowOpener("refunds", r.ID.String())
	return billing.RefundSnapshot{
		Sale: r.sale(), ID: r.ID, Remote: r.remote(), PaymentID: r.PaymentID, Payment: r.Payment, Amount: money.Of(r.Amount, r.Currency),
		Status: r.Status, Reason: open.Value("reason", r.Reason), Failure: r.Failure, CreatedAt: r.CreatedAt.Time,
	}, open.Err
}

func (r refunds) one(ctx context.Context, clause string, args ...any) (*billing.Refund, error) {
	row, err := one[refundRow](ctx, r.tx.Queries, billing.ErrNoRefund, `SELECT `+refundColumns+` FROM refunds`+clause, args...)
	if err != nil {
		return nil, err
	}
	s, err := row.snapshot(r.tx.Store())
	return billing.RestoreRefund(s, row.Version), err
}

// ByID reads one refund. It fails with billing.ErrNoRefund.
func (r refunds) ByID(ctx context.Context, id billing.RefundID) (*billing.Refund, error) {
	return r.one(ctx, ` WHERE id = ?`, id.String())
}

// ByRemote reads a refund by the processor's identifier. It fails with billing.ErrNoRefund.
func (r refunds) ByRemote(ctx context.Context, at billing.Account, id string) (*billing.Refund, error) {
	return r.one(ctx, whereRemote, remoteArgs(at, id)...)
}

// Given sums up the refunds of a payment that have not failed, in minor units.
func (r refunds) Given(ctx context.Context, at billing.Account, payment string) (given int64, err error) {
	err = r.tx.Get(ctx, &given, `SELECT CAST(COALESCE(SUM(amount), 0) AS BIGINT) FROM refunds
		WHERE processor = ? AND mode = ? AND payment = ? AND status <> 'failed'`, remoteArgs(at, payment)...)
	if err != nil {
		return 0, fmt.Errorf("sum up refunds: %w", err)
	}
	return given, nil
}

// Save stores a refund.
func (r refunds) Save(ctx context.Context, refund *billing.Refund) error {
	s := refund.Snapshot()
	return r.tx.Save(ctx, "refunds", sqlstore.Row{{"id", s.ID.String()}}, append(saleCells(s.Sale, s.Remote, sqlstore.At(s.CreatedAt)), sqlstore.Row{
		{"checkout_id", s.CheckoutID.String()},
		{"processor_id", sqlstore.Optional(s.Remote.ID)},
		{"payment", s.Payment},
		{"currency", string(s.Amount.Currency)},
		{"amount", s.Amount.Minor},
		{"status", string(s.Status)},
		{"reason", r.tx.Store().RowSealer("refunds", s.ID.String())("reason", s.Reason)},
		{"failure", s.Failure},
	}...), refund)
}

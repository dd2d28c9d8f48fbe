package billing

import (
	"context"
	"fmt"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/money"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/commerce"
)

// Invoices returns the repository of invoices.
func Invoices(tx *sqlstore.Tx) commerce.Invoices { return invoices{tx} }

type invoices struct{ tx *sqlstore.Tx }

const invoiceColumns = `id, checkout_id, ` + saleColumns + `, number, status, currency, subtotal, discount, tax, total, lines, period_start, period_end,
	issued_at, paid_at`

type invoiceRow struct {
	saleRow

	ID          billing.InvoiceID     `db:"id"`
	Number      string                `db:"number"`
	Status      billing.InvoiceStatus `db:"status"`
	Currency    money.Currency        `db:"currency"`
	Subtotal    int64                 `db:"subtotal"`
	Discount    int64                 `db:"discount"`
	Tax         int64                 `db:"tax"`
	Total       int64                 `db:"total"`
	Lines       string                `db:"lines"`
	PeriodStart sqlstore.Instant      `db:"period_start"`
	PeriodEnd   sqlstore.Instant      `db:"period_end"`
	IssuedAt    sqlstore.Instant      `db:"issued_at"`
	PaidAt      sqlstore.Instant      `db:"paid_at"`
}

func (r *invoiceRow) snapshot() (billing.InvoiceSnapshot, error) {
	s := billing.InvoiceSnapshot{
		Sale: r.sale(), ID: r.ID, Remote: r.remote(), Number: r.Number, Status: r.Status, Total: money.Of(r.Total, r.Currency),
		Subtotal: r.Subtotal, Discount: r.Discount, Tax: r.Tax, PeriodStart: r.PeriodStart.Time, PeriodEnd: r.PeriodEnd.Time,
		IssuedAt: r.IssuedAt.Time, PaidAt: r.PaidAt.Time, CreatedAt: r.CreatedAt.Time,
	}
	var err error
	if s.Lines, err = sqlstore.DecodeList[billing.Line](r.Lines); err != nil {
		return s, fmt.Errorf("decode the invoice %s: %w", r.ID, err)
	}
	return s, nil
}

// ByRemote reads an invoice by the processor's identifier. It fails with billing.ErrNoInvoice.
func (r invoices) ByRemote(ctx context.Context, at billing.Account, id string) (*billing.Invoice, error) {
	row, err := one[invoiceRow](ctx, r.tx.Queries, billing.ErrNoInvoice, `SELECT `+invoiceColumns+` FROM invoices`+whereRemote, remoteArgs(at, id)...)
	if err != nil {
		return nil, err
	}
	s, err := row.snapshot()
	return billing.RestoreInvoice(s, row.Version), err
}

// Next returns the next invoice number of a workspace in a year. Concurrent transactions get theirs one
// after the other, and a number that is rolled back is assigned again, so that there are no gaps.
func (r invoices) Next(ctx context.Context, org workspace.ID, year int) (string, error) {
	var made struct {
		Slug string `db:"slug"`
		Last int64  `db:"last"`
	}
	err := r.tx.Get(ctx, &made, `INSERT INTO invoice_numbers (org_id, year, last) VALUES (?, ?, 1)
		ON CONFLICT (org_id, year) DO UPDATE SET last = invoice_numbers.last + 1
		RETURNING last, (SELECT w.slug FROM workspaces w WHERE w.id = invoice_numbers.org_id) AS slug`, org.String(), year)
	if err != nil {
		return "", fmt.Errorf("number an invoice: %w", err)
	}
	return fmt.Sprintf("%s-%d-%d", made.Slug, year, made.Last), nil
}

// Save stores an invoice.
func (r invoices) Save(ctx context.Context, i *billing.Invoice) error {
	s := i.Snapshot()
	lines, err := sqlstore.EncodeList(s.Lines)
	if err != nil {
		return fmt.Errorf("encode the lines of an invoice: %w", err)
	}
	return r.tx.Save(ctx, "invoices", sqlstore.Row{{"id", s.ID.String()}}, append(saleCells(s.Sale, s.Remote, sqlstore.At(s.CreatedAt)), sqlstore.Row{
		{"checkout_id", s.CheckoutID.String()},
		{"processor_id", s.Remote.ID},
		{"number", s.Number},
		{"status", string(s.Status)},
		{"currency", string(s.Total.Currency)},
		{"subtotal", s.Subtotal},
		{"discount", s.Discount},
		{"tax", s.Tax},
		{"total", s.Total.Minor},
		{"lines", lines},
		{"period_start", sqlstore.At(s.PeriodStart)},
		{"period_end", sqlstore.At(s.PeriodEnd)},
		{"issued_at", sqlstore.At(s.IssuedAt)},
		{"paid_at", sqlstore.At(s.PaidAt)},
	}...), i)
}

package billing

import (
	"context"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/label"
	"gatehouse.internal/ports/outbound/commerce"
)

// Usage returns the repository of the usage of metered subscriptions.
func Usage(tx *sqlstore.Tx) commerce.Usage { return usage{tx} }

type usage struct{ tx *sqlstore.Tx }

const usageColumns = `subscription_id, meter, period_start, period_end, total, reported`

type usageRow struct {
	SubscriptionID billing.SubscriptionID `db:"subscription_id"`
	Meter          string                 `db:"meter"`
	PeriodStart    sqlstore.Instant       `db:"period_start"`
	PeriodEnd      sqlstore.Instant       `db:"period_end"`
	Total          int64                  `db:"total"`
	Reported       int64                  `db:"reported"`
}

func (r *usageRow) usage() (billing.Usage, error) {
	return billing.Usage{
		SubscriptionID: r.SubscriptionID, Meter: r.Meter, PeriodStart: r.PeriodStart.Time, PeriodEnd: r.PeriodEnd.Time, Total: r.Total, Reported: r.Reported,
	}, nil
}

// Used reads one counter under a lock of its row; one without a row is at 0.
func (r usage) Used(ctx context.Context, u billing.Usage) (billing.Usage, error) {
	var found []usageRow
	err := r.tx.List(ctx, &found, `SELECT `+usageColumns+` FROM subscription_usage WHERE subscription_id = ? AND period_start = ? AND meter = ? {for update}`,
		u.SubscriptionID.String(), sqlstore.At(u.PeriodStart), u.Meter)
	if err != nil || len(found) == 0 {
		return u, sqlstore.Wrap("read usage", err)
	}
	return found[0].usage()
}

// Note stores the name of a use until a time, and reports whether it is new or the stored one had
// expired.
func (r usage) Note(ctx context.Context, of billing.SubscriptionID, name string, until time.Time) (bool, error) {
	now := sqlstore.At(r.tx.Store().Clock().Now())
	n, err := r.tx.Exec(ctx, `INSERT INTO subscription_uses (subscription_id, digest, expires_at) VALUES (?, ?, ?)
		ON CONFLICT (subscription_id, digest) DO UPDATE SET expires_at = excluded.expires_at WHERE subscription_uses.expires_at <= ?`,
		of.String(), r.tx.Store().Index(label.SubscriptionUse, name), sqlstore.At(until), now)
	return n > 0, sqlstore.Wrap("note a use", err)
}

// Save stores one counter.
func (r usage) Save(ctx context.Context, u billing.Usage, report time.Time) error {
	_, err := r.tx.Exec(ctx, `INSERT INTO subscription_usage (subscription_id, period_start, meter, period_end, total, reported, due_at) VALUES (?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (subscription_id, period_start, meter) DO UPDATE SET total = excluded.total, reported = excluded.reported,
			due_at = CASE WHEN excluded.due_at IS NULL THEN NULL ELSE COALESCE(subscription_usage.due_at, excluded.due_at) END`,
		u.SubscriptionID.String(), sqlstore.At(u.PeriodStart), u.Meter, sqlstore.At(u.PeriodEnd), u.Total, u.Reported, sqlstore.At(report))
	return sqlstore.Wrap("store usage", err)
}

// Due reads the counters that are due to be reported to the processor.
func (r usage) Due(ctx context.Context, most int, now time.Time) ([]billing.Usage, error) {
	var found []usageRow
	err := r.tx.List(ctx, &found, `SELECT `+usageColumns+` FROM subscription_usage WHERE due_at <= ? ORDER BY due_at LIMIT ? {skip locked}`, sqlstore.At(now), most)
	if err != nil {
		return nil, sqlstore.Wrap("read usage to report", err)
	}
	return sqlstore.Map(found, (*usageRow).usage)
}

// UsageDirectory returns the directory of the usage of subscriptions.
func UsageDirectory(store *sqlstore.Store) commerce.UsageDirectory { return usageDirectory{store} }

type usageDirectory struct{ store *sqlstore.Store }

// List reads the counters of the periods that began in a range of time.
func (d usageDirectory) List(ctx context.Context, of billing.SubscriptionID, from, until time.Time) ([]billing.Usage, error) {
	f := sqlstore.Filter{}
	f.Where("subscription_id = ?", of.String())
	f.Unless(from.IsZero(), "period_start >= ?", sqlstore.At(from))
	f.Unless(until.IsZero(), "period_start < ?", sqlstore.At(until))
	var found []usageRow
	err := d.store.Reader(ctx).List(ctx, &found, `SELECT `+usageColumns+` FROM subscription_usage`+f.String()+` ORDER BY period_start, meter`, f.Args...)
	if err != nil {
		return nil, sqlstore.Wrap("list usage", err)
	}
	return sqlstore.Map(found, (*usageRow).usage)
}

package signin

import (
	"context"
	"fmt"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/loginevent"
	"gatehouse.internal/ports/outbound/signin"
)

// LoginFailures returns the counts of failed logins.
func LoginFailures(tx *sqlstore.Tx) signin.LoginFailures { return loginFailures{tx} }

type loginFailures struct{ tx *sqlstore.Tx }

// MinuteOf numbers the minutes of the Unix epoch.
func MinuteOf(t time.Time) int64 { return t.Unix() / 60 }

// Count adds one failure to a minute.
func (r loginFailures) Count(ctx context.Context, minute time.Time) (int, error) {
	var total int
	err := r.tx.Get(ctx, &total, `
		INSERT INTO login_failures (minute, count) VALUES (?, 1)
		ON CONFLICT (minute) DO UPDATE SET count = login_failures.count + 1 RETURNING count`, MinuteOf(minute))
	if err != nil {
		return 0, fmt.Errorf("count a failed login: %w", err)
	}
	return total, nil
}

// Total sums the failures of minutes.
func (r loginFailures) Total(ctx context.Context, from, to time.Time) (int, error) {
	var total int
	err := r.tx.Get(ctx, &total, `SELECT COALESCE(SUM(count), 0) FROM login_failures WHERE minute >= ? AND minute < ?`,
		MinuteOf(from), MinuteOf(to))
	if err != nil {
		return 0, fmt.Errorf("sum failed logins: %w", err)
	}
	return total, nil
}

// Spike reads the guard and locks it, so that one replica judges at a time.
func (r loginFailures) Spike(ctx context.Context) (loginevent.Spike, error) {
	var found struct {
		StartedAt sqlstore.Instant `db:"spike_started_at"`
		Until     sqlstore.Instant `db:"spike_until"`
	}
	if err := r.tx.Get(ctx, &found, `SELECT spike_started_at, spike_until FROM instance WHERE id = 1 {for update}`); err != nil {
		return loginevent.Spike{}, fmt.Errorf("read the spike guard: %w", err)
	}
	return loginevent.Spike{StartedAt: found.StartedAt.Time, Until: found.Until.Time}, nil
}

// SetSpike stores the guard.
func (r loginFailures) SetSpike(ctx context.Context, spike loginevent.Spike) error {
	_, err := r.tx.Exec(ctx, `UPDATE instance SET spike_started_at = ?, spike_until = ?, revision = revision + 1 WHERE id = 1`,
		sqlstore.At(spike.StartedAt), sqlstore.At(spike.Until))
	if err != nil {
		return fmt.Errorf("store the spike guard: %w", err)
	}
	return nil
}

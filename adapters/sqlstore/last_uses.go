package sqlstore

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"gatehouse.internal/adapters/sqlstore/batch"
	"gatehouse.internal/ports/outbound/machines"
)

// usePause is the interval within which repeated uses of a credential are not recorded again.
const usePause = time.Minute

// LastUses records when credentials were used.
func (s *Store) LastUses() machines.LastUses { return s.lastUses }

type lastUses struct {
	store *Store
	group batch.Group[string, struct{}]

	mu sync.Mutex
	// noted is when a use was last recorded, as far as this process knows, so that a busy
	// credential asks the store once a minute.
	noted map[string]time.Time
}

// noted is a use as it is stored.
type noted struct {
	Subject string  `db:"subject"`
	UsedAt  Instant `db:"used_at"`
}

func newLastUses(s *Store) *lastUses {
	u := &lastUses{store: s, noted: map[string]time.Time{}}
	u.group.Run = u.run
	return u
}

// Touch records a use, batched with concurrent ones, or in the transaction around the command.
func (u *lastUses) Touch(ctx context.Context, subject string) error {
	var err error
	if tx, ok := u.store.ambient(ctx); ok {
		err = tx.Savepoint(ctx, func(inner *Tx) error { return u.write(ctx, inner.Queries, []string{subject}) })
	} else if u.due(subject) {
		err = u.store.Aside(ctx, func(ctx context.Context) error {
			_, err := u.group.Do(ctx, subject)
			return err
		})
	}
	if err != nil {
		return fmt.Errorf("note the use of a credential: %w", err)
	}
	return nil
}

// due reports whether this process has recorded no use within the last minute.
func (u *lastUses) due(subject string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	since := u.store.clock.Now().Sub(u.noted[subject])
	return since < 0 || since >= usePause
}

// keep remembers the uses that were recorded earlier or now.
func (u *lastUses) keep(before []noted, subjects []string, now time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, one := range before {
		put(u.noted, one.Subject, one.UsedAt.Time)
	}
	for _, subject := range subjects {
		put(u.noted, subject, now)
	}
}

// run records a batch of uses. It reads first, and writes nothing for uses that were recorded
// less than a minute ago.
func (u *lastUses) run(ctx context.Context, subjects []string) ([]batch.Outcome[struct{}], error) {
	var fresh []noted
	now := u.store.clock.Now()
	err := u.store.hotReader().List(ctx, &fresh, `SELECT subject, used_at FROM last_uses WHERE subject {any subject text} AND used_at > ?`,
		OneColumn(subjects), At(now.Add(-usePause)))
	if err != nil {
		return nil, fmt.Errorf("read last uses: %w", err)
	}
	due := without(subjects, fresh)
	if len(due) > 0 {
		err = u.store.retry(ctx, func() error { return u.write(ctx, &Queries{pool: u.store.hot}, due) })
	}
	if err == nil {
		u.keep(fresh, due, now)
	}
	return make([]batch.Outcome[struct{}], len(subjects)), err
}

// without returns the subjects without duplicates and without those to leave out, in an order
// that all batches share to avoid deadlocks.
func without(subjects []string, leaveOut []noted) []string {
	seen := make(map[string]bool, len(subjects))
	for _, one := range leaveOut {
		seen[one.Subject] = true
	}
	var rest []string
	for _, subject := range subjects {
		if !seen[subject] {
			seen[subject] = true
			rest = append(rest, subject)
		}
	}
	slices.Sort(rest)
	return rest
}

// write records uses in one statement. A later time, from a replica whose clock is ahead, is
// kept.
func (u *lastUses) write(ctx context.Context, q *Queries, subjects []string) error {
	now, noted := u.store.clock.Now(), make(Rows, len(subjects))
	for i, subject := range subjects {
		noted[i] = []any{subject, At(now)}
	}
	_, err := q.Exec(ctx, `
		INSERT INTO last_uses (subject, used_at) SELECT r.subject, r.used_at FROM {rows subject text, used_at time} WHERE TRUE
		ON CONFLICT (subject) DO UPDATE SET used_at = excluded.used_at WHERE last_uses.used_at <= ?`,
		noted, At(now.Add(-usePause)))
	return err
}

// ForgetUses removes the recorded uses of credentials that were deleted.
func (t *Tx) ForgetUses(ctx context.Context, subjects []string) error {
	if len(subjects) == 0 {
		return nil
	}
	if _, err := t.Exec(ctx, `DELETE FROM last_uses WHERE subject {any subject text}`, OneColumn(subjects)); err != nil {
		return fmt.Errorf("forget the use of credentials: %w", err)
	}
	return nil
}

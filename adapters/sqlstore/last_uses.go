package sqlstore

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gatehouse.internal/adapters/sqlstore/batch"
	"gatehouse.internal/ports/outbound"
)

// usePause is how long a credential is used before that is recorded again.
const usePause = time.Minute

// LastUses records when credentials were used.
func (s *Store) LastUses() outbound.LastUses { return s.lastUses }

type lastUses struct {
	store *Store
	group batch.Group[string, struct{}]
}

func newLastUses(s *Store) *lastUses {
	u := &lastUses{store: s}
	u.group.Run = u.run
	return u
}

// Touch notes a use together with those that wait at the same time, or in the
// transaction around the command.
func (u *lastUses) Touch(ctx context.Context, subject string) error {
	var err error
	if tx, ok := u.store.ambient(ctx); ok {
		err = tx.savepoint(ctx, func(inner *Tx) error { return u.write(ctx, inner.q, []string{subject}) })
	} else {
		_, err = u.group.Do(ctx, subject)
	}
	if err != nil {
		return fmt.Errorf("note the use of a credential: %w", err)
	}
	return nil
}

// run notes a batch of uses. What was noted less than a minute ago is found out by
// reading, so that nothing is written for it.
func (u *lastUses) run(ctx context.Context, subjects []string) ([]batch.Outcome[struct{}], error) {
	var fresh []string
	err := u.store.hotReader().list(ctx, &fresh, `SELECT subject FROM last_uses WHERE subject {any subject text} AND used_at > ?`,
		column(subjects), at(u.store.clock.Now().Add(-usePause)))
	if err != nil {
		return nil, fmt.Errorf("read last uses: %w", err)
	}
	due := without(subjects, fresh)
	if len(due) > 0 {
		err = u.store.retry(ctx, func() error { return u.write(ctx, &queries{pool: u.store.hot}, due) })
	}
	return make([]batch.Outcome[struct{}], len(subjects)), err
}

// without gives each of the subjects once, but for those to leave out, in an order
// that all batches share, so that none waits for one which waits for it.
func without(subjects, leaveOut []string) []string {
	seen := make(map[string]bool, len(subjects))
	for _, subject := range leaveOut {
		seen[subject] = true
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

// write notes uses, in one statement. A replica whose clock is ahead may have
// noted a later one, which stays.
func (u *lastUses) write(ctx context.Context, q *queries, subjects []string) error {
	now, noted := u.store.clock.Now(), make(rows, len(subjects))
	for i, subject := range subjects {
		noted[i] = []any{subject, at(now)}
	}
	_, err := q.exec(ctx, `
		INSERT INTO last_uses (subject, used_at) SELECT r.subject, r.used_at FROM {rows subject text, used_at time} WHERE TRUE
		ON CONFLICT (subject) DO UPDATE SET used_at = excluded.used_at WHERE last_uses.used_at <= ?`,
		noted, at(now.Add(-usePause)))
	return err
}

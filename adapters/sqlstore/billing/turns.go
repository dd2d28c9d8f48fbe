package billing

import (
	"context"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/ports/outbound/commerce"
)

// Turns returns the turns of those who make something at a processor.
func Turns(store *sqlstore.Store) commerce.Turns { return turns{store} }

type turns struct{ store *sqlstore.Store }

// Take takes a turn until a time, unless somebody has it whose time has not passed.
func (t turns) Take(ctx context.Context, subject, holder string, now, until time.Time) (taken bool, err error) {
	err = t.store.AtOnce(ctx, func(tx *sqlstore.Tx) error {
		n, err := tx.Exec(ctx, `INSERT INTO processor_turns (subject, holder, expires_at) VALUES (?, ?, ?)
			ON CONFLICT (subject) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at WHERE processor_turns.expires_at <= ?`,
			subject, holder, sqlstore.At(until), sqlstore.At(now))
		taken = n > 0
		return err
	})
	return taken, sqlstore.Wrap("take a turn at a processor", err)
}

// Leave ends the turn of a holder, unless somebody else has it by now.
func (t turns) Leave(ctx context.Context, subject, holder string) error {
	return sqlstore.Wrap("leave a turn at a processor", t.store.AtOnce(ctx, func(tx *sqlstore.Tx) error {
		_, err := tx.Exec(ctx, `DELETE FROM processor_turns WHERE subject = ? AND holder = ?`, subject, holder)
		return err
	}))
}

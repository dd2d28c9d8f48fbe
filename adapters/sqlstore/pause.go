package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// around is what a transaction around a command holds besides its connection.
type around struct {
	store   *Store
	entered bool
	// claimed is the key that was claimed, and when; parted tells that the claim was
	// committed before the answer was there.
	claimed   string
	claimedAt time.Time
	parted    bool
	// countedFor is the workspace that the row of the key counts for already: it was
	// that of an answer which has expired.
	countedFor string
}

// enter waits for a place among the transactions around commands.
func (a *around) enter(ctx context.Context) error {
	if err := a.store.commands.Acquire(ctx, 1); err != nil {
		return fmt.Errorf("wait for a transaction around a command: %w", err)
	}
	a.entered = true
	return nil
}

func (a *around) leave() {
	if a.entered {
		a.store.commands.Release(1)
		a.entered = false
	}
}

// unclaimWithin is how long giving a key back may take.
const unclaimWithin = 5 * time.Second

// unclaim returns a key back that is held by a claim without a transaction: nothing
// came of the command. Where that fails, the claim ends with its life.
func (a *around) unclaim(ctx context.Context) {
	if !a.parted || a.claimed == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), unclaimWithin)
	defer cancel()
	_, err := (&Queries{pool: a.store.write}).Exec(ctx,
		`UPDATE idempotency SET expires_at = created_at WHERE key = ? AND body = '' AND created_at = ?`, a.claimed, At(a.claimedAt))
	if err != nil {
		a.store.log.WarnContext(ctx, "an idempotency key could not be given back", "cause", err)
	}
}

// Pause commits the transaction around the command before it waits, and opens
// another afterwards.
func (s *Store) Pause(ctx context.Context, wait func() error) error {
	outer, ok := s.ambient(ctx)
	if !ok || outer.around == nil {
		return wait()
	}
	if err := outer.flush(ctx); err != nil {
		return err
	}
	if err := outer.commit(ctx); err != nil {
		return err
	}
	outer.kinds, outer.last, outer.mailed = nil, nil, false
	outer.around.parted = true
	outer.around.leave()
	failed := wait()
	if err := outer.resume(ctx); err != nil {
		return errors.Join(failed, err)
	}
	return failed
}

// resume opens another transaction in place of the one that was committed.
func (t *Tx) resume(ctx context.Context) error {
	if err := t.around.enter(ctx); err != nil {
		return err
	}
	again, err := t.store.write.db.BeginTxx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin a transaction: %w", err)
	}
	t.tx, t.stood = again, false
	return nil
}

package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// around is the state of a transaction around a command besides its connection.
type around struct {
	store   *Store
	entered bool
	// claimed is the key that was claimed, and when; parted reports whether the claim was
	// committed before the answer existed.
	claimed   string
	claimedAt time.Time
	parted    bool
	// countedFor is the workspace that an expired answer under the same key is still counted
	// for.
	countedFor string
}

// enter waits until one more transaction around a command may begin.
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

// unclaimWithin is how long releasing a claim may take.
const unclaimWithin = 5 * time.Second

// unclaim releases a committed claim of a command that came to nothing. If that fails, the
// claim ends by its expiry.
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
	outer.end()
	outer.around.leave()
	failed := wait()
	if err := outer.resume(ctx); err != nil {
		return errors.Join(failed, err)
	}
	return failed
}

// resume begins another transaction in place of the one that was committed.
func (t *Tx) resume(ctx context.Context) error {
	if err := t.around.enter(ctx); err != nil {
		return err
	}
	t.stood = false
	return t.begin(ctx)
}

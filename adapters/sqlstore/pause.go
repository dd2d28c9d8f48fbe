package sqlstore

import (
	"context"
	"fmt"
	"time"

	"gatehouse.internal/ports/outbound"
)

// around is the state of a transaction around a command besides its connection.
type around struct {
	store   *Store
	entered bool
	// wanted is the key to claim as soon as the transaction begins; overtaken is why it may not
	// begin any more: another call claimed the key first.
	wanted    string
	overtaken error
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

// claims reports whether the transaction claims a key once it begins.
func (a *around) claims() bool { return a.wanted != "" && a.claimed == "" }

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

// Pause commits the transaction around the command before it waits. Afterwards the command goes
// on in another one.
func (s *Store) Pause(ctx context.Context, wait func() error) error {
	outer, ok := s.ambient(ctx)
	if !ok || outer.around == nil {
		return wait()
	}
	if outer.around.claims() {
		if err := outer.enter(ctx); err != nil {
			return err
		}
	}
	if outer.tx != nil {
		if err := outer.part(ctx); err != nil {
			return err
		}
	}
	return wait()
}

// part commits what the transaction has, and has the next use begin another one.
func (t *Tx) part(ctx context.Context) error {
	if err := t.flush(ctx); err != nil {
		return err
	}
	if err := t.commit(ctx); err != nil {
		return err
	}
	t.kinds, t.last, t.mailed = nil, nil, false
	t.around.parted = true
	t.drop() // rolls nothing back: it was committed
	return nil
}

// resume begins the transaction, or another one in place of that which was committed. What
// claims a key does so first.
func (t *Tx) resume(ctx context.Context) error {
	if t.around.overtaken != nil {
		return t.around.overtaken
	}
	if err := t.around.enter(ctx); err != nil {
		return err
	}
	t.credentialChecked = false
	if err := t.begin(ctx); err != nil {
		t.around.leave()
		return err
	}
	t.open = nil
	if !t.around.claims() {
		return nil
	}
	claimed, err := t.claim(ctx, t.around.wanted)
	if err == nil && !claimed {
		t.around.overtaken = outbound.ErrAnswerPending
		err = t.around.overtaken
	}
	if err != nil {
		t.drop()
	}
	return err
}

// drop rolls back what the transaction has, and has the next use begin another one.
func (t *Tx) drop() {
	t.end()
	t.around.leave()
	t.tx, t.open = nil, t.resume
}

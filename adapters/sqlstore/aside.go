package sqlstore

import (
	"context"
	"errors"
	"time"

	"gatehouse.internal/ports/outbound"
)

// asideWait is how long a read waits for a change that it brings along.
const asideWait = 500 * time.Millisecond

// Aside makes a change that a read brings along, and that somebody makes later if it comes to
// nothing. Where a single connection writes, the read does not wait for whoever holds it: after
// asideWait it goes on without the change, and as long as the connection stays held, further
// reads do not even ask for theirs.
func (s *Store) Aside(ctx context.Context, change func(ctx context.Context) error) error {
	ctx = outbound.WithReading(ctx, false)
	if s.write.turns == nil {
		return change(ctx)
	}
	if s.write.stalled.Load() {
		return nil
	}
	made, patient := make(chan error, 1), context.WithoutCancel(ctx)
	s.asides.Go(func() { made <- change(patient) })
	ctx, cancel := context.WithTimeout(ctx, asideWait)
	defer cancel()
	select {
	case err := <-made:
		if errors.Is(err, errBusy) {
			return nil
		}
		return err
	case <-ctx.Done():
		s.write.stalled.Store(errors.Is(ctx.Err(), context.DeadlineExceeded))
		return nil
	}
}

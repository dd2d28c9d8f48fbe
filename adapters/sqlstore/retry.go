package sqlstore

import (
	"context"
	"encoding/binary"
	"errors"
	"time"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/wait"
)

// A change that lost a race is retried. The pauses double up to the longest. All together take
// about four seconds, which is enough for fifty concurrent changes of one row on a busy
// machine.
const (
	tries        = 22
	firstPause   = 2 * time.Millisecond
	longestPause = 400 * time.Millisecond
)

// innerTries is how often a savepoint is tried after a deadlock. The transaction around it
// keeps its locks, so the same deadlock may occur again, and each time costs the second after
// which PostgreSQL detects it.
const innerTries = 2

// retry runs a change again while it loses races; after too many it fails with
// aggregate.ErrConflict. A change that fails because its parent row was deleted is run once
// more, so that it can find out and return a better error; else it fails with
// aggregate.ErrBereft.
func (s *Store) retry(ctx context.Context, change func() error) error {
	pause, bereft := firstPause, false
	for try := 1; ; try++ {
		err := change()
		if err == nil || !s.lostRace(err) {
			return err
		}
		orphan := s.dialect.Failure(err) == Orphan
		switch {
		case orphan && bereft:
			return aggregate.ErrBereft.Because(err)
		case try >= s.patience(ctx, err):
			return aggregate.ErrConflict.Because(err)
		}
		bereft = orphan
		if err := s.rest(ctx, pause); err != nil {
			return err
		}
		pause = min(2*pause, longestPause)
	}
}

// patience returns how often a change that fails with an error is tried.
func (s *Store) patience(ctx context.Context, err error) int {
	if _, inner := s.ambient(ctx); inner && s.dialect.Failure(err) == Transient {
		return innerTries
	}
	return tries
}

// lostRace reports whether running the change again may resolve an error.
func (s *Store) lostRace(err error) bool {
	if errors.Is(err, errBusy) {
		return false
	}
	failure := s.dialect.Failure(err)
	return errors.Is(err, aggregate.ErrConflict) || ((failure == Transient || failure == Orphan) && !errors.Is(err, errCommit))
}

// rest waits for a random time between half and all of a pause, so that changes that collided
// do not collide again.
func (s *Store) rest(ctx context.Context, pause time.Duration) error {
	jitter := time.Duration(binary.LittleEndian.Uint16(s.random.Bytes(2)))
	return wait.For(ctx, pause/2+pause*jitter/(1<<17))
}

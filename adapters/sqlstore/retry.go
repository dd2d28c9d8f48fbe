package sqlstore

import (
	"context"
	"encoding/binary"
	"errors"
	"time"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/wait"
)

// A change that loses a race is tried again. The pauses double up to the longest;
// all together take about four seconds: fifty who guess at one password at once are
// all counted, also by a busy machine.
const (
	tries        = 22
	firstPause   = 2 * time.Millisecond
	longestPause = 400 * time.Millisecond
)

// innerTries is how often a savepoint is tried that met a deadlock. What the
// transaction around it holds is held on, so that the same two may meet again and
// again, and each time costs the second after which PostgreSQL looks for a deadlock.
const innerTries = 2

// retry runs a change again while it loses races. What goes on for too long ends
// as aggregate.ErrConflict. Of a row that belongs to nothing the change gets one more
// try, to read what is gone and say so; else it ends as aggregate.ErrBereft.
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

// patience is how often a change is tried that fails like this.
func (s *Store) patience(ctx context.Context, err error) int {
	if _, inner := s.ambient(ctx); inner && s.dialect.Failure(err) == Transient {
		return innerTries
	}
	return tries
}

// lostRace reports whether an error passes when the change runs again.
func (s *Store) lostRace(err error) bool {
	failure := s.dialect.Failure(err)
	return errors.Is(err, aggregate.ErrConflict) || ((failure == Transient || failure == Orphan) && !errors.Is(err, errCommit))
}

// rest waits for between half and all of a pause, so that those who met once do
// not meet again.
func (s *Store) rest(ctx context.Context, pause time.Duration) error {
	jitter := time.Duration(binary.LittleEndian.Uint16(s.random.Bytes(2)))
	return wait.For(ctx, pause/2+pause*jitter/(1<<17))
}

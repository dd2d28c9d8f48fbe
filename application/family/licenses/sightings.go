package licenses

import (
	"context"
	"sync"
	"time"

	"gatehouse.internal/domain/license"
)

// How often validations of one license and machine are written, and how many of them are
// kept apart.
const (
	sightingPause = time.Minute
	mostSightings = 100_000
)

// Sightings counts validations, so that a program which asks often costs the store one
// write a minute on each replica. The zero value is ready.
type Sightings struct {
	mu      sync.Mutex
	tallies map[validationKey]*tally
}

// validationKey identifies a counter of validations.
type validationKey struct {
	license license.ID
	machine license.MachineID
	holds   bool
}

// tally counts validations since the last that was written.
type tally struct {
	times   int
	written time.Time
}

// due counts a validation, and returns how many are to be written; 0 for none yet.
func (s *Sightings) due(of validationKey, now time.Time) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tallies == nil || len(s.tallies) >= mostSightings {
		s.tallies = map[validationKey]*tally{}
	}
	one := s.tallies[of]
	if one == nil {
		one = &tally{}
		s.tallies[of] = one
	}
	one.times++
	if since := now.Sub(one.written); since >= 0 && since < sightingPause {
		return 0
	}
	times := one.times
	one.times, one.written = 0, now
	return times
}

// note writes a validation down, unless one of the license and machine was lately.
func (s *Service) note(ctx context.Context, of license.State, code license.Code) error {
	now := s.now()
	times := s.Sightings.due(validationKey{of.License.ID, of.Machine, code.Holds()}, now)
	if times == 0 {
		return nil
	}
	return s.Unit.Do(ctx, func(tx Repos) error {
		if code.Holds() {
			if err := tx.Licenses.RecordValidation(ctx, of.License.ID, now); err != nil {
				return err
			}
		}
		return tx.Events.Record(ctx, license.Verdict(of.License, of.Machine, code, times))
	})
}

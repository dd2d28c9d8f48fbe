// Package jwtkeys implements the family JWT_KEY: the signing keys of tokens, and their
// rotation.
package jwtkeys

import (
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/instance"
	"gatehouse.internal/application/keys"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/signingkey"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/ops"
)

// defaultOverlap is how many hours a key that was replaced stays accepted.
const defaultOverlap = 24

// Repos holds the repositories of one unit of work.
type Repos struct {
	Keys ops.KeyRing
}

// Service holds the dependencies of the family's commands.
type Service struct {
	Unit     outbound.Unit[Repos]
	Instance *instance.Current
	Keys     *keys.Rack
	Clock    outbound.Clock
}

// Commands lists the commands of the family.
func (s *Service) Commands() []command.Definition {
	return []command.Definition{
		s.list(),
		s.rotate(),
		s.revoke(),
		s.setSchedule(),
	}
}

// Schedule is when keys rotate by themselves, in results.
type Schedule struct {
	EveryDays    int                  `json:"every_days" doc:"Days between rotations."`
	Algorithm    signingkey.Algorithm `json:"algorithm" doc:"Algorithm of future keys."`
	OverlapHours int                  `json:"overlap_hours" doc:"Hours the old key stays valid for verification."`
	NextAt       *time.Time           `json:"next_at" doc:"Time the next rotation is due. Every rotation postpones it."`
}

// schedule shows when keys rotate by themselves; nil is never.
func schedule(ring signingkey.Snapshot) *Schedule {
	planned := ring.Schedule
	if planned.EveryDays == 0 {
		return nil
	}
	return &Schedule{
		EveryDays: planned.EveryDays, Algorithm: planned.Algorithm, OverlapHours: planned.OverlapHours,
		NextAt: view.Time(ring.RotateAt),
	}
}

// either returns the value given, or the default.
func either[T any](given *T, absent T) T {
	if given == nil {
		return absent
	}
	return *given
}

// Package signingkey holds the keys that access tokens and license files are signed with,
// and their rotation (contract section 3). A key is next, then active, then
// overlapping, then retired; it may be revoked at any time.
package signingkey

import (
	"slices"
	"time"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/fault"
)

// ErrNotFound is returned if no accepted or pending key has the kid.
var ErrNotFound = fault.New(fault.NotFound, "no such active signing key")

// Algorithm is a JWS algorithm (RFC 7518).
type Algorithm string

// The algorithms that tokens may be signed with.
const (
	ES256 Algorithm = "ES256"
	RS256 Algorithm = "RS256"
)

// EdDSA signs license files (spec/licenses.md section 3), and no token: those keys are kept
// apart from the others, with an active one and a next one of their own.
const EdDSA Algorithm = "EdDSA"

// Files reports whether keys of the algorithm sign license files.
func (a Algorithm) Files() bool { return a == EdDSA }

// ForTokens lists the algorithms that tokens may be signed with.
func ForTokens() []Algorithm { return []Algorithm{ES256, RS256} }

// SchemaFragment describes the algorithm in a JSON Schema.
func (Algorithm) SchemaFragment() map[string]any {
	return map[string]any{"type": "string", "enum": []any{string(ES256), string(RS256)}}
}

// State is where a key is in its life.
type State string

// The states of a key.
const (
	Next        State = "next"
	Active      State = "active"
	Overlapping State = "overlapping"
	Retired     State = "retired"
	Revoked     State = "revoked"
)

// Key is one key of the ring.
type Key struct {
	KID       string    `audit:"kid"`
	Algorithm Algorithm `audit:"algorithm"`
	// Private is the key as PKCS #8 DER; the store keeps it sealed.
	Private      []byte    `audit:"-"`
	CreatedAt    time.Time `audit:"created_at"`
	ActivatedAt  time.Time `audit:"activated_at"`
	OverlapUntil time.Time `audit:"overlap_until"`
	RevokedAt    time.Time `audit:"revoked_at"`
}

// State returns the state of the key at a time.
func (k Key) State(now time.Time) State {
	switch {
	case !k.RevokedAt.IsZero():
		return Revoked
	case k.ActivatedAt.IsZero():
		return Next
	case k.OverlapUntil.IsZero():
		return Active
	case now.Before(k.OverlapUntil):
		return Overlapping
	}
	return Retired
}

// Accepted reports whether tokens under the key hold at a time.
func (k Key) Accepted(now time.Time) bool {
	state := k.State(now)
	return state == Active || state == Overlapping
}

// signs reports whether the key is active, which no moment alters.
func (k Key) signs() bool {
	return k.RevokedAt.IsZero() && !k.ActivatedAt.IsZero() && k.OverlapUntil.IsZero()
}

// Schedule is when keys rotate by themselves; EveryDays 0 is never.
type Schedule struct {
	EveryDays    int       `json:"every_days"`
	Algorithm    Algorithm `json:"algorithm"`
	OverlapHours int       `json:"overlap_hours"`
}

// Snapshot is the stored state of the ring.
type Snapshot struct {
	Keys []Key `audit:"keys"`
	// Signs is the algorithm of access tokens.
	Signs    Algorithm `audit:"signs"`
	Schedule Schedule  `audit:"schedule"`
	// RotateAt is when the schedule is due; zero without one.
	RotateAt time.Time `audit:"rotate_at"`
}

// Ring is all keys together. Of each algorithm in use exactly one is active: of that of access
// tokens, of another where apps have their ID tokens signed by it, and of that of license files
// once some were signed. Exactly one is next of those for tokens, and one of those for files.
type Ring struct {
	aggregate.Root
	s Snapshot
}

// NewRing makes the first ring out of two fresh keys.
func NewRing(active, next Key, now time.Time) *Ring {
	active.ActivatedAt = now
	return &Ring{s: Snapshot{Keys: []Key{active, next}, Signs: active.Algorithm, Schedule: Schedule{Algorithm: ES256, OverlapHours: 24}}}
}

// Restore returns the ring that was stored.
func Restore(s Snapshot, version int64) *Ring {
	r := &Ring{Root: aggregate.At(version), s: s}
	r.Track(&r.s)
	return r
}

// Snapshot returns the state to store.
func (r *Ring) Snapshot() Snapshot { return r.s }

// Active returns the key that signs access tokens.
func (r *Ring) Active() Key { return r.s.Keys[r.signing()] }

// ActiveOf returns the key that signs by an algorithm; false where none was needed yet.
func (r *Ring) ActiveOf(a Algorithm) (Key, bool) {
	at := r.activeOf(a)
	if at < 0 {
		return Key{}, false
	}
	return r.s.Keys[at], true
}

func (r *Ring) activeOf(a Algorithm) int {
	return slices.IndexFunc(r.s.Keys, func(k Key) bool { return k.Algorithm == a && k.signs() })
}

// signing finds the key of access tokens. A release that knew one active key only may have
// rotated to another algorithm without a word about it.
func (r *Ring) signing() int {
	if at := r.activeOf(r.s.Signs); at >= 0 {
		return at
	}
	return slices.IndexFunc(r.s.Keys, func(k Key) bool { return !k.Algorithm.Files() && k.signs() })
}

// FoundFiles adds the first keys for license files, unless there are some. It reports
// whether it did.
func (r *Ring) FoundFiles(active, next Key, now time.Time) bool {
	if r.activeOf(EdDSA) >= 0 {
		return false
	}
	active.ActivatedAt = now
	r.s.Keys = append(slices.Clone(r.s.Keys), active, next)
	return true
}

// Provide activates a fresh key for tokens of an algorithm without one. It reports
// whether it did.
func (r *Ring) Provide(fresh Key, now time.Time) bool {
	if fresh.Algorithm.Files() || r.activeOf(fresh.Algorithm) >= 0 {
		return false
	}
	r.s.Keys = slices.Clone(r.s.Keys)
	r.promote(fresh, now)
	return true
}

// indexOf finds a key in a state among those that sign license files, or tokens.
func (r *Ring) indexOf(want State, files bool, now time.Time) int {
	return slices.IndexFunc(r.s.Keys, func(k Key) bool { return k.Algorithm.Files() == files && k.State(now) == want })
}

// Rotation is the outcome of a rotation.
type Rotation struct {
	KID          string
	Algorithm    Algorithm
	PreviousKID  string
	OverlapUntil time.Time
}

// Rotate activates another key, and lets the old one overlap. If the pending key has
// the algorithm of the fresh one, it becomes active and the fresh one pending, so that
// verifiers have known the new key for long; else the fresh one becomes active at once.
// Its algorithm becomes that of access tokens. Keys of other algorithms, of ID tokens,
// overlap as well: if apps still need one, a fresh key replaces it (Provide). Keys of
// license files, if there are any (FoundFiles), rotate separately, without effect on
// the schedule.
func (r *Ring) Rotate(fresh Key, overlap time.Duration, now time.Time) Rotation {
	files, until := fresh.Algorithm.Files(), now.Add(overlap)
	old := r.signing()
	if files {
		old = r.activeOf(fresh.Algorithm)
	}
	r.s.Keys = slices.Clone(r.s.Keys)
	for i, k := range r.s.Keys {
		if k.Algorithm.Files() == files && k.signs() {
			r.s.Keys[i].OverlapUntil = until
		}
	}
	kid := r.promote(fresh, now)
	if !files {
		r.s.Signs = fresh.Algorithm
		r.plan(now)
	}
	r.Raise(Rotated{KID: kid, PreviousKID: r.s.Keys[old].KID, Algorithm: string(fresh.Algorithm)})
	return Rotation{KID: kid, Algorithm: fresh.Algorithm, PreviousKID: r.s.Keys[old].KID, OverlapUntil: until}
}

// promote activates the waiting key when it has the algorithm of the fresh one, which waits
// then, else the fresh one.
func (r *Ring) promote(fresh Key, now time.Time) string {
	waiting := r.indexOf(Next, fresh.Algorithm.Files(), now)
	if r.s.Keys[waiting].Algorithm != fresh.Algorithm {
		fresh.ActivatedAt = now
		r.s.Keys = append(r.s.Keys, fresh)
		return fresh.KID
	}
	r.s.Keys[waiting].ActivatedAt = now
	r.s.Keys = append(r.s.Keys, fresh)
	return r.s.Keys[waiting].KID
}

// Revoke throws a key out at once. When it was an active one, the waiting one takes over if
// it has its algorithm, and the fresh key handed in waits, which has it too; else the fresh one
// takes over. It answers the kid of the key that took over, or "". It fails with ErrNotFound.
func (r *Ring) Revoke(kid, reason string, fresh Key, now time.Time) (string, error) {
	at := slices.IndexFunc(r.s.Keys, func(k Key) bool { return k.KID == kid })
	if at < 0 || r.s.Keys[at].State(now) == Retired || r.s.Keys[at].State(now) == Revoked {
		return "", ErrNotFound
	}
	state := r.s.Keys[at].State(now)
	r.s.Keys = slices.Clone(r.s.Keys)
	r.s.Keys[at].RevokedAt, r.s.Keys[at].OverlapUntil = now, time.Time{}
	successor := ""
	switch state {
	case Active:
		successor = r.promote(fresh, now)
	case Next:
		r.s.Keys = append(r.s.Keys, fresh)
	case Overlapping, Retired, Revoked:
	}
	r.Raise(WasRevoked{KID: kid, Reason: reason, NewKID: successor})
	return successor, nil
}

// SetSchedule plans rotations by themselves. A fresh key of the schedule's algorithm is
// handed in, which waits in place of one of another algorithm, so that verifiers know
// the key of the next rotation long before.
func (r *Ring) SetSchedule(s Schedule, fresh Key, now time.Time) {
	r.s.Schedule = s
	r.plan(now)
	if waiting := r.indexOf(Next, false, now); s.EveryDays > 0 && r.s.Keys[waiting].Algorithm != s.Algorithm {
		r.s.Keys = slices.Clone(r.s.Keys)
		r.s.Keys[waiting] = fresh
	}
	r.Raise(ScheduleSet(s))
}

func (r *Ring) plan(now time.Time) {
	r.s.RotateAt = time.Time{}
	if r.s.Schedule.EveryDays > 0 {
		r.s.RotateAt = now.AddDate(0, 0, r.s.Schedule.EveryDays)
	}
}

// Due reports whether the schedule requires a rotation.
func (r *Ring) Due(now time.Time) bool {
	return !r.s.RotateAt.IsZero() && !now.Before(r.s.RotateAt)
}

// Forget deletes keys that were retired or revoked long ago, and raises jwt_key.retired
// for those whose overlap ended. It reports whether any was deleted.
func (r *Ring) Forget(after time.Duration, now time.Time) bool {
	before := len(r.s.Keys)
	r.s.Keys = slices.DeleteFunc(slices.Clone(r.s.Keys), func(k Key) bool {
		switch k.State(now) {
		case Retired:
			if now.Sub(k.OverlapUntil) < after {
				return false
			}
			r.Raise(WasRetired{KID: k.KID})
			return true
		case Revoked:
			return now.Sub(k.RevokedAt) >= after
		case Next, Active, Overlapping:
		}
		return false
	})
	return len(r.s.Keys) < before
}

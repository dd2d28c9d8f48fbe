package sqlstore

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync/atomic"

	"gatehouse.internal/adapters/counting"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/ports/outbound"
)

// Presumer admits calls that are counted with what they store; nil where the
// database cannot do both in one statement.
func (s *Store) Presumer() outbound.Presumer {
	if !s.database.ChangesInWith {
		return nil
	}
	return presumer{s}
}

type presumer struct{ store *Store }

// presumption is an admission that counts with what is stored under its context.
type presumption struct {
	ask     outbound.AdmissionAsk
	answer  outbound.AdmissionAnswer
	counted atomic.Bool
}

// Answer is what is presumed.
func (p *presumption) Answer() outbound.AdmissionAnswer { return p.answer }

// Counted reports whether it was counted.
func (p *presumption) Counted() bool { return p.counted.Load() }

// presumedKey is where a context carries the presumption of its call.
type presumedKey struct{ store *Store }

// presumed returns the presumption of a context that is still to be counted, if any.
func (s *Store) presumed(ctx context.Context) *presumption {
	p, _ := ctx.Value(presumedKey{s}).(*presumption)
	if p == nil || p.Counted() {
		return nil
	}
	return p
}

// Presume answers from memory.
func (r presumer) Presume(ctx context.Context, ask outbound.AdmissionAsk) (context.Context, outbound.Presumption) {
	s := r.store
	found, known := s.memory.client(ask)
	answer := outbound.AdmissionAnswer{Revision: ask.Revision, Client: &found}
	if !known || !counting.Proven(ask, answer) {
		return ctx, nil
	}
	if now := s.clock.Now(); !s.memory.alone(ask.Checks, now) || !s.memory.admit(ask.Checks, now) {
		return ctx, nil
	}
	p := &presumption{ask: ask, answer: answer}
	return context.WithValue(ctx, presumedKey{s}, p), p
}

var errPresumed = errors.New("what was presumed of the limits or the configuration does not hold")

const (
	// countPresumed leaves out the counters that somebody else changed meanwhile.
	countPresumed = `
UPDATE rate_limits SET state = r.state, version = r.version, expires_at = r.expires_at
FROM {rows key text, state bytes, version bigint, expires_at time}
WHERE rate_limits.key {any key text} AND rate_limits.key = r.key AND rate_limits.version = r.version - 1
RETURNING rate_limits.key`

	// presumedWrongly fails the statement as Unmet, so that it writes nothing, where a
	// counter was left out or the configuration moved; else it is false.
	presumedWrongly = `1 / (CASE WHEN (SELECT COUNT(*) FROM counted) = ?
	AND (SELECT i.revision FROM instance i WHERE i.id = 1) <= ? THEN 1 ELSE 0 END) = 0`
)

// presumedBatch are asks that one statement counts with what else it does, as they
// are judged by the counters that this process remembers.
type presumedBatch struct {
	// admitted and refused are the indices of those that the limits admit, and of the
	// others; verdicts are those of all asks.
	admitted, refused []int
	verdicts          [][]limit.Verdict
	changed           []*counter
	versions          []int64
	// revision is the oldest that an ask was made at.
	revision int64
}

// judge judges asks of which all counters are remembered.
func (s *Store) judge(asks []outbound.AdmissionAsk) *presumedBatch {
	judged := s.memory.recall(asks, s.clock.Now())
	b := &presumedBatch{verdicts: make([][]limit.Verdict, len(asks)), revision: math.MaxInt64}
	for i, ask := range asks {
		b.revision = min(b.revision, ask.Revision)
		b.verdicts[i] = judged.Judge(ask.Checks)
		if slices.ContainsFunc(b.verdicts[i], func(v limit.Verdict) bool { return !v.Allowed }) {
			b.refused = append(b.refused, i)
		} else {
			b.admitted = append(b.admitted, i)
		}
	}
	b.changed = judged.Changed()
	b.versions = make([]int64, len(b.changed))
	for i, one := range b.changed {
		b.versions[i] = one.Base + 1
	}
	return b
}

// around puts the parameters of countPresumed before, and those of presumedWrongly
// behind, the others of a statement.
func (b *presumedBatch) around(args ...any) []any {
	counted, keys := make(Rows, len(b.changed)), make(Rows, len(b.changed))
	for i, one := range b.changed {
		counted[i] = []any{one.Key, one.State, b.versions[i], At(one.Expires)}
		keys[i] = []any{one.Key}
	}
	return append(append([]any{counted, keys}, args...), int64(len(counted)), b.revision)
}

// confirm reports by the outcome of the statement whether what was presumed held. Where
// it did not, nothing was written.
func (s *Store) confirm(b *presumedBatch, err error) (held bool, _ error) {
	if failure := s.dialect.Failure(err); failure == Unmet || failure == Transient || failure == Orphan {
		s.memory.doubt(b.changed)
		return false, nil
	}
	if err == nil {
		s.memory.wrote(b.changed, b.versions)
	}
	return err == nil, err
}

// remembered parts asks into those that may be counted as they are remembered, and the
// others. Who shares a counter with one of the others is one of them.
func (s *Store) remembered(asks []outbound.AdmissionAsk) (known, others []int) {
	strange := map[string]bool{}
	drop := func(i int) bool {
		others = append(others, i)
		for _, checks := range [][]outbound.LimitCheck{asks[i].Checks, asks[i].Failed} {
			for _, check := range checks {
				strange[check.Key] = true
			}
		}
		return true
	}
	for i, ask := range asks {
		if s.database.ChangesInWith && ask.Revision != 0 && len(ask.Checks) > 0 &&
			s.memory.bearsOut(ask) && s.memory.alone(ask.Checks, s.clock.Now()) {
			known = append(known, i)
		} else {
			drop(i)
		}
	}
	for before := -1; len(strange) > 0 && before != len(known); {
		before = len(known)
		known = slices.DeleteFunc(known, func(i int) bool { return touches(asks[i].Checks, strange) && drop(i) })
	}
	return known, others
}

package sqlstore

import (
	"context"
	"math"
	"slices"
	"sync/atomic"

	"gatehouse.internal/domain/limit"
	"gatehouse.internal/ports/outbound"
)

// pending is an admission that was answered from memory and is yet to be counted.
type pending struct {
	store *Store
	ask   outbound.AdmissionAsk
	// admitted reports whether the call has been counted, or admitted again.
	admitted atomic.Bool
}

// pendingKey is the context key of the pending admission.
type pendingKey struct{ store *Store }

// pending returns the admission of a context that is yet to be counted, if any.
func (s *Store) pending(ctx context.Context) *pending {
	p, _ := ctx.Value(pendingKey{s}).(*pending)
	if p == nil || p.admitted.Load() {
		return nil
	}
	return p
}

// Under returns a context that carries the pending admission.
func (p *pending) Under(ctx context.Context) context.Context {
	return context.WithValue(ctx, pendingKey{p.store}, p)
}

// Admit admits the call again unless it has been counted.
func (p *pending) Admit(ctx context.Context) error {
	if p.admitted.Load() {
		return nil
	}
	_, err := p.again(ctx)
	return err
}

// again admits the call again.
func (p *pending) again(ctx context.Context) (outbound.AdmissionAnswer, error) {
	p.admitted.Store(true)
	return p.ask.Again(ctx)
}

// recall answers from memory if the database can count a call in the statement that stores its
// result, and the memory confirms the client and has room for the call within its limits.
func (s *Store) recall(ask outbound.AdmissionAsk) (answer outbound.AdmissionAnswer, pends bool) {
	if !s.database.ChangesInWith || ask.Again == nil || ask.Wants == nil || ask.Proven == nil || ask.Revision == 0 || len(ask.Checks) == 0 {
		return answer, false
	}
	found, known := s.memory.client(ask)
	answer = outbound.AdmissionAnswer{Revision: ask.Revision, Client: &found}
	if !known || !ask.Proven(answer) {
		return answer, false
	}
	if now := s.clock.Now(); !s.memory.alone(ask.Checks, now) || !s.memory.admit(ask.Checks, now) {
		return answer, false
	}
	answer.Pending = &pending{store: s, ask: ask}
	return answer, true
}

const (
	// countPresumed updates the counters that nobody else has changed meanwhile.
	countPresumed = `
UPDATE rate_limits SET state = r.state, version = r.version, expires_at = r.expires_at
FROM {rows key text, state bytes, version bigint, expires_at time}
WHERE rate_limits.key {any key text} AND rate_limits.key = r.key AND rate_limits.version = r.version - 1
RETURNING rate_limits.key`

	// failIfOutdated makes the statement fail as ConditionFailed, and so write nothing, if a counter
	// was changed by somebody else or the configuration has changed; otherwise it is false.
	failIfOutdated = `1 / (CASE WHEN (SELECT COUNT(*) FROM counted) = ?
	AND (SELECT i.revision FROM instance i WHERE i.id = 1) <= ? THEN 1 ELSE 0 END) = 0`
)

// presumedBatch holds asks that were judged from memory, to be counted by the statement that
// stores their results.
type presumedBatch struct {
	// admitted and refused are the indices of the asks that the limits admit and refuse;
	// verdicts are those of all asks.
	admitted, refused []int
	verdicts          [][]limit.Verdict
	changed           []*counter
	versions          []int64
	// revision is the oldest revision of the configuration that an ask was made at.
	revision int64
}

// judge judges asks whose counters are all in memory.
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

// around returns the parameters of a whole statement: those of countPresumed, the given ones,
// and those of failIfOutdated.
func (b *presumedBatch) around(args ...any) []any {
	counted, keys := make(Rows, len(b.changed)), make(Rows, len(b.changed))
	for i, one := range b.changed {
		counted[i] = []any{one.Key, one.State, b.versions[i], At(one.Expires)}
		keys[i] = []any{one.Key}
	}
	return append(append([]any{counted, keys}, args...), int64(len(counted)), b.revision)
}

// confirm reports from the outcome of the statement whether the memory was right. If it was
// not, nothing has been written.
func (s *Store) confirm(b *presumedBatch, err error) (held bool, _ error) {
	if failure := s.dialect.Failure(err); failure == ConditionFailed || failure == Transient || failure == Orphan {
		s.memory.doubt(b.changed)
		return false, nil
	}
	if err == nil {
		s.memory.wrote(b.changed, b.versions)
	}
	return err == nil, err
}

// remembered splits asks into those that can be judged from memory and the others. An ask that
// shares a counter with one of the others is among the others.
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
			s.memory.confirms(ask) && s.memory.alone(ask.Checks, s.clock.Now()) {
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

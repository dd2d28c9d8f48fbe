package sqlstore

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"

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

// Counted tells whether it was counted.
func (p *presumption) Counted() bool { return p.counted.Load() }

// presumedKey is where a context carries the presumption of its call.
type presumedKey struct{ store *Store }

// presumed gives the presumption of a context that is still to be counted, if any.
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
	found, known := s.memory.client(ask.Client)
	if !known || !s.memory.admits(ask.Checks, s.clock.Now()) {
		return ctx, nil
	}
	p := &presumption{ask: ask, answer: outbound.AdmissionAnswer{Revision: ask.Revision, Client: &found}}
	return context.WithValue(ctx, presumedKey{s}, p), p
}

var errPresumed = errors.New("what was presumed of the limits or the configuration does not hold")

const (
	// countPresumed leaves out the counters that somebody else changed meanwhile.
	countPresumed = `
UPDATE rate_limits SET state = r.state, version = r.version, expires_at = r.expires_at
FROM {rows key text, state bytes, version bigint, expires_at time}
WHERE rate_limits.key = r.key AND rate_limits.version = r.version - 1
RETURNING rate_limits.key`

	// unlessPresumed fails the statement as Unmet, so that it writes nothing, where a
	// counter was left out or the configuration moved. It gives no row.
	unlessPresumed = `SELECT '' WHERE 1 / (CASE WHEN (SELECT COUNT(*) FROM counted) = ?
	AND (SELECT i.revision FROM instance i WHERE i.id = 1) <= ? THEN 1 ELSE 0 END) = 0`
)

// presumedCount is what a statement counts besides.
type presumedCount struct {
	// rows are the parameter of countPresumed, count and revision of unlessPresumed.
	rows            rows
	count, revision int64
}

func refused(v limit.Verdict) bool { return !v.Allowed }

// countAlong judges the presumptions of a batch and has it stored: store gets the
// indices of those that the limits admit, and what its statement has to count. The
// others, or all when what was presumed does not hold, are left to ask anew.
func (s *Store) countAlong(presumed []*presumption, store func(admitted []int, along presumedCount) error) error {
	s.memory.turn.Lock()
	defer s.memory.turn.Unlock()
	judged := s.memory.recall(presumed, s.clock.Now())
	var admitted []int
	along := presumedCount{revision: presumed[0].ask.Revision}
	for i, p := range presumed {
		along.revision = min(along.revision, p.ask.Revision)
		if !slices.ContainsFunc(judged.Judge(p.ask.Checks), refused) {
			admitted = append(admitted, i)
		}
	}
	if len(admitted) == 0 {
		return nil
	}
	changed := judged.Changed()
	versions := make([]int64, len(changed))
	along.rows, along.count = make(rows, len(changed)), int64(len(changed))
	for i, one := range changed {
		versions[i] = one.Base + 1
		along.rows[i] = []any{one.Key, one.State, versions[i], at(one.Expires)}
	}
	err := store(admitted, along)
	if failure := s.dialect.Failure(err); failure == Unmet || failure == Transient {
		s.memory.doubt(changed)
		return nil
	}
	if err != nil {
		return err
	}
	s.memory.wrote(changed, versions)
	for _, i := range admitted {
		presumed[i].counted.Store(true)
	}
	return nil
}

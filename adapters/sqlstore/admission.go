package sqlstore

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"gatehouse.internal/adapters/sqlstore/batch"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/ports/outbound"
)

// admissionTime bounds how long a request waits for its admission.
const admissionTime = 3 * time.Second

// Admission returns the port that requests ask before their commands run.
func (s *Store) Admission() outbound.Admission { return s.admission }

// admission answers concurrent requests together: one statement reads for all of them, and one
// counts if there is anything to count. It never runs in the transaction around a command, so
// what was counted stays counted when that is rolled back.
type admission struct {
	store   *Store
	lookUps [credentialKinds]lookUp
	// targets is the look-up of clients if some of the asks name an audience.
	targets lookUp
	group   batch.Group[outbound.AdmissionAsk, admitted]
	// wishes batches the asks of clients for tokens. Its batches are serialized with those
	// that count a call together with its token, so that within one process they do not
	// invalidate each other's counters.
	wishes batch.Group[outbound.AdmissionAsk, admitted]
	// failing is set when a batch has failed and no probe has succeeded since.
	failing atomic.Bool
}

// admitted is the stored form of the answer to one ask.
type admitted struct {
	revision int64
	found    credentialRow
	// audience is the holder of the audience that was asked for.
	audience credentialRow
	verdicts []limit.Verdict
}

func newAdmission(s *Store) *admission {
	a := &admission{store: s, lookUps: newLookUps(), targets: newTargetLookUp()}
	a.group.Run, a.group.Timeout = a.run, admissionTime
	a.wishes.Timeout = admissionTime
	a.wishes.Run = func(ctx context.Context, asks []outbound.AdmissionAsk) ([]batch.Outcome[admitted], error) {
		s.memory.turn.Lock()
		defer s.memory.turn.Unlock()
		return a.run(ctx, asks)
	}
	return a
}

// Admit answers one request.
func (a *admission) Admit(ctx context.Context, ask outbound.AdmissionAsk) (outbound.AdmissionAnswer, error) {
	if answer, pends := a.store.recall(ask); pends {
		return answer, nil
	}
	answered, err := a.ask(ctx, ask)
	if err != nil {
		return outbound.AdmissionAnswer{}, err
	}
	answer := outbound.AdmissionAnswer{Revision: answered.revision, Verdicts: answered.verdicts}
	for _, row := range []credentialRow{answered.found, answered.audience} {
		if row == nil {
			continue
		}
		if err := row.answer(a.store, &answer); err != nil {
			return outbound.AdmissionAnswer{}, err
		}
	}
	if err := a.trace(ctx, answer.Grant); err != nil {
		return outbound.AdmissionAnswer{}, err
	}
	if err := a.impersonation(ctx, answer.Identity); err != nil {
		return outbound.AdmissionAnswer{}, err
	}
	if ask.Client != "" {
		a.store.memory.rememberClient(ask, answer.Client)
	}
	return answer, nil
}

// trace finds the grant that another one came from by an exchange, and so on.
func (a *admission) trace(ctx context.Context, g *outbound.GrantIdentity) error {
	if g == nil || g.Grant.Source == "" {
		return nil
	}
	source, err := a.Admit(ctx, outbound.AdmissionAsk{Grant: g.Grant.Source})
	g.Source = source.Grant
	return err
}

// impersonation reads the impersonation of a session in which somebody else acts as the person. Of a login
// nothing is read.
func (a *admission) impersonation(ctx context.Context, i *outbound.Identity) (err error) {
	if i != nil && i.Session.ActedBy != "" {
		i.Impersonation, err = a.store.ImpersonationOf(ctx, i.Session.ID)
	}
	return err
}

// ask waits for the batch that answers the ask.
func (a *admission) ask(ctx context.Context, ask outbound.AdmissionAsk) (admitted, error) {
	ctx, cancel := context.WithTimeout(ctx, admissionTime)
	defer cancel()
	group := &a.group
	if ask.Wants != nil && len(ask.Checks) > 0 {
		group = &a.wishes
	}
	answered, err := group.Do(ctx, ask)
	if err != nil {
		return admitted{}, fmt.Errorf("ask the store for admission: %w", err)
	}
	return answered, nil
}

// Probe reports whether the store accepts writes. It writes only after requests have failed,
// and fails until a write succeeds.
func (s *Store) Probe(ctx context.Context) error { return s.admission.probe(ctx) }

// probe counts a call at a key of its own if requests have failed; it fails until that
// succeeds.
func (a *admission) probe(ctx context.Context) error {
	if !a.failing.Load() {
		return nil
	}
	// Only the write matters here, not whether the limit admits the call.
	check := outbound.LimitCheck{Key: "probe", Rule: limit.Rule{Limit: limit.MaxLimit, Window: limit.MinWindow}}
	if _, err := a.ask(ctx, outbound.AdmissionAsk{Checks: []outbound.LimitCheck{check}}); err != nil {
		return err
	}
	a.failing.Store(false)
	return nil
}

// behind looks a credential up: batched with concurrent requests, or in the transaction around
// the command. If the call was admitted from memory and is yet to be counted, it is admitted
// again, which looks up the same.
func (s *Store) behind(ctx context.Context, ask outbound.AdmissionAsk) (outbound.AdmissionAnswer, error) {
	if p := s.pending(ctx); p != nil && p.ask.Client == ask.Client && p.ask.Target() == ask.Target() {
		return p.again(ctx)
	}
	tx, around := s.ambient(ctx)
	if !around {
		return s.admission.Admit(ctx, ask)
	}
	state, err := s.admission.read(ctx, tx.Queries, []outbound.AdmissionAsk{ask}, nil, nil)
	if err != nil {
		return outbound.AdmissionAnswer{}, err
	}
	answer := outbound.AdmissionAnswer{Revision: state.revision}
	for _, of := range []credentialKey{credentialOf(ask), audienceOf(ask)} {
		if found := state.found[of]; found != nil && err == nil {
			err = found.answer(s, &answer)
		}
	}
	return answer, err
}

// run answers a batch. Asks whose counters were changed by another replica meanwhile are
// counted again with the counters locked.
func (a *admission) run(ctx context.Context, asks []outbound.AdmissionAsk) (outcomes []batch.Outcome[admitted], err error) {
	defer func() {
		if err != nil {
			a.failing.Store(true)
		}
	}()
	outcomes = make([]batch.Outcome[admitted], len(asks))
	state, rest, err := a.readAndCount(ctx, asks, outcomes)
	if err != nil {
		return nil, err
	}
	judged := counters{Now: a.store.clock.Now(), ByKey: state.counters}
	for i, ask := range asks {
		outcomes[i].Answer.revision, outcomes[i].Answer.found = state.revision, state.found[credentialOf(ask)]
		outcomes[i].Answer.audience = state.found[audienceOf(ask)]
	}
	due := make([][]outbound.LimitCheck, len(asks))
	for _, i := range rest {
		due[i], outcomes[i].Err = state.due(a.store, asks[i])
		outcomes[i].Answer.verdicts = judged.Judge(due[i])
	}
	lost, err := a.count(ctx, &judged)
	if err != nil {
		return nil, err
	}
	if len(lost) > 0 {
		which := slices.DeleteFunc(rest, func(i int) bool { return !touches(due[i], lost) })
		err = a.recount(ctx, due, which, outcomes)
	}
	return outcomes, err
}

// readAndCount reads for a batch and, in the same statement, counts the asks whose counters
// are known from memory. It returns the indices of the asks that are yet to be counted.
func (a *admission) readAndCount(
	ctx context.Context, asks []outbound.AdmissionAsk, outcomes []batch.Outcome[admitted],
) (state *admissionState, rest []int, err error) {
	known, others := a.store.remembered(asks)
	if len(known) > 0 {
		state, rest, err = a.countKnown(ctx, asks, known, others, outcomes)
	}
	if state == nil && err == nil {
		rest = append(others, known...)
		state, err = a.read(ctx, a.store.hotReader(), asks, rest, nil)
	}
	return state, rest, err
}

// countKnown is readAndCount if counters are known from memory. It returns no state if the
// memory was outdated; nothing has been counted then.
func (a *admission) countKnown(
	ctx context.Context, asks []outbound.AdmissionAsk, known, others []int, outcomes []batch.Outcome[admitted],
) (state *admissionState, rest []int, err error) {
	presumed := make([]outbound.AdmissionAsk, len(known))
	for n, i := range known {
		presumed[n] = asks[i]
	}
	judged := a.store.judge(presumed)
	if len(judged.admitted) == 0 {
		return nil, nil, nil
	}
	rest = slices.Clone(others)
	for _, n := range judged.refused {
		rest = append(rest, known[n])
	}
	state, err = a.read(ctx, a.store.hotReader(), asks, rest, judged)
	held, err := a.store.confirm(judged, err)
	if !held {
		return nil, nil, err
	}
	for _, n := range judged.admitted {
		outcomes[known[n]].Answer.verdicts = judged.verdicts[n]
	}
	return state, rest, nil
}

// Committed returns queries that see only committed data, even inside the transaction around a
// command.
func (s *Store) Committed() *Queries { return s.hotReader() }

// hotReader returns the queries for look-ups that requests share. Where a single connection
// writes, they use the pool for reading.
func (s *Store) hotReader() *Queries {
	if s.hot == s.write {
		return &Queries{pool: s.read}
	}
	return &Queries{pool: s.hot}
}

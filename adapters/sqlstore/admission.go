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

// Admission answers what requests ask before their commands run.
func (s *Store) Admission() outbound.Admission { return s.admission }

// admission lets all that ask at once share one statement that reads, and one
// that counts where there is something to count. It keeps out of the transaction
// around a command: what is counted stays counted, whatever becomes of that.
type admission struct {
	store   *Store
	lookUps [credentialKinds]lookUp
	// targets is the look-up of clients where some ask for an audience.
	targets lookUp
	group   batch.Group[outbound.AdmissionAsk, admitted]
	// wishes gathers the asks of clients that want tokens. They take turns with the calls
	// that are counted with their tokens, so that within one process none overtakes another.
	wishes batch.Group[outbound.AdmissionAsk, admitted]
	// failing reports that a batch failed, and no probe has succeeded since.
	failing atomic.Bool
}

// admitted is the answer to one ask as it is stored.
type admitted struct {
	revision int64
	found    credentialRow
	// audience is who has the audience that was asked for.
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

// Admit asks for one request.
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
	if ask.Client != "" {
		a.store.memory.meet(ask, answer.Client)
	}
	return answer, nil
}

// ask waits for the answer of the batch that the ask leaves with.
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

// Probe writes to the store once requests have failed; it fails as long as they do.
func (s *Store) Probe(ctx context.Context) error { return s.admission.probe(ctx) }

// probe counts a call of nobody's once requests have failed: it fails as long as they do.
func (a *admission) probe(ctx context.Context) error {
	if !a.failing.Load() {
		return nil
	}
	// Whether the call is admitted does not matter, but that it is counted.
	check := outbound.LimitCheck{Key: "probe", Rule: limit.Rule{Limit: limit.MaxLimit, Window: limit.MinWindow}}
	if _, err := a.ask(ctx, outbound.AdmissionAsk{Checks: []outbound.LimitCheck{check}}); err != nil {
		return err
	}
	a.failing.Store(false)
	return nil
}

// behind returns what stands behind a credential: with those that others ask for at
// the same time, or in the transaction around the command. A call that is still to be
// counted is admitted again with that.
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

// run answers a batch. Asks that lost a race for a counter to another replica are
// counted again, this time with the counters held.
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

// readAndCount reads for a batch, and in the same statement counts the asks whose
// counters this process knows. It returns those that are still to be counted.
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

// countKnown is readAndCount where there is something to presume; it returns no state
// where that did not hold.
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

// Committed runs queries that see what is committed alone, also under the transaction
// around a command.
func (s *Store) Committed() *Queries { return s.hotReader() }

// hotReader runs the queries that requests share; where one connection writes,
// they need not wait for it.
func (s *Store) hotReader() *Queries {
	if s.hot == s.write {
		return &Queries{pool: s.read}
	}
	return &Queries{pool: s.hot}
}

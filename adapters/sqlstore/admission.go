package sqlstore

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gatehouse.internal/adapters/sqlstore/batch"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/domain/workspace"
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
	store *Store
	text  string
	group batch.Group[outbound.AdmissionAsk, admitted]
}

// admitted is the answer to one ask as it is stored. What is sealed in it is
// opened by the caller, so that a batch is not as slow as all of its openings.
type admitted struct {
	revision int64
	found    *identityRow
	verdicts []limit.Verdict
}

func newAdmission(s *Store) *admission {
	a := &admission{store: s, text: admissionText()}
	a.group.Run, a.group.Timeout = a.run, admissionTime
	return a
}

// Admit asks for one request.
func (a *admission) Admit(ctx context.Context, ask outbound.AdmissionAsk) (outbound.AdmissionAnswer, error) {
	answered, err := a.ask(ctx, ask)
	if err != nil {
		return outbound.AdmissionAnswer{}, err
	}
	answer := outbound.AdmissionAnswer{Revision: answered.revision, Verdicts: answered.verdicts}
	if answered.found != nil {
		identity, err := a.store.identity(answered.found)
		if err != nil {
			return outbound.AdmissionAnswer{}, err
		}
		answer.Identity = &identity
	}
	return answer, nil
}

// ask waits for the answer of the batch that the ask leaves with.
func (a *admission) ask(ctx context.Context, ask outbound.AdmissionAsk) (admitted, error) {
	ctx, cancel := context.WithTimeout(ctx, admissionTime)
	defer cancel()
	answered, err := a.group.Do(ctx, ask)
	if err != nil {
		return admitted{}, fmt.Errorf("ask the store for admission: %w", err)
	}
	return answered, nil
}

// run answers a batch. Asks that lost a race for a counter to another replica are
// counted again, this time with the counters held.
func (a *admission) run(ctx context.Context, asks []outbound.AdmissionAsk) ([]batch.Outcome[admitted], error) {
	state, err := a.read(ctx, a.store.hotReader(), asks)
	if err != nil {
		return nil, err
	}
	counting := counters{now: a.store.clock.Now(), byKey: state.counters}
	outcomes := make([]batch.Outcome[admitted], len(asks))
	for i, ask := range asks {
		outcomes[i].Answer = admitted{revision: state.revision, found: state.identities[ask.Session]}
		if current(ask, state.revision) {
			outcomes[i].Answer.verdicts = counting.judge(ask.Checks)
		}
	}
	lost, err := a.count(ctx, &counting)
	if err != nil {
		return nil, err
	}
	if len(lost) > 0 {
		which := slices.DeleteFunc(touching(asks, lost), func(i int) bool { return !current(asks[i], state.revision) })
		err = a.recount(ctx, asks, which, outcomes)
	}
	return outcomes, err
}

// current tells whether the limits of an ask are those that hold.
func current(ask outbound.AdmissionAsk, revision int64) bool {
	return ask.Revision == 0 || ask.Revision >= revision
}

// identity opens who stands behind a session.
func (s *Store) identity(r *identityRow) (outbound.Identity, error) {
	holder, err := s.sessionSnapshot(&r.session)
	if err != nil {
		return outbound.Identity{}, err
	}
	person, err := s.userSnapshot(&r.user)
	if err != nil {
		return outbound.Identity{}, err
	}
	grants, err := decodeList[workspace.Grant](r.grants)
	if err != nil {
		return outbound.Identity{}, fmt.Errorf("decode the roles of a member: %w", err)
	}
	return outbound.Identity{Session: holder, Version: r.session.Version, User: person, Grants: grants}, nil
}

// hotReader runs the queries that requests share; where one connection writes,
// they need not wait for it.
func (s *Store) hotReader() *queries {
	if s.hot == s.write {
		return &queries{pool: s.read}
	}
	return &queries{pool: s.hot}
}

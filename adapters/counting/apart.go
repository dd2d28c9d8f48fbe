package counting

import (
	"context"

	"gatehouse.internal/domain/limit"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/ops"
)

// SeparateAdmission admits requests by counters that are kept apart from the store: it asks the store
// for everything else, and then counts.
type SeparateAdmission struct {
	Store outbound.Admission
	// Count counts a request at its limits.
	Count func(ctx context.Context, due []outbound.LimitCheck) ([]limit.Verdict, error)
}

// Admit admits one request. Like the store, it counts nothing by limits that were changed
// since they were looked up.
func (a SeparateAdmission) Admit(ctx context.Context, ask outbound.AdmissionAsk) (outbound.AdmissionAnswer, error) {
	question := ask
	question.Checks, question.Failed = nil, nil
	answer, err := a.Store.Admit(ctx, question)
	if err != nil {
		return answer, err
	}
	due := Due(ask, answer.Revision, Proven(ask, answer))
	if len(due) == 0 {
		return answer, nil
	}
	if answer.Verdicts, err = a.Count(ctx, due); err != nil {
		return outbound.AdmissionAnswer{}, err
	}
	return answer, nil
}

// Rules are the limits in the store whose counters are kept apart.
type Rules struct {
	ops.LimitRules

	// Last registers something to do when the transaction of the rules is about to commit.
	Last func(do func(ctx context.Context) error)
	// Forget removes counters.
	Forget func(ctx context.Context, keys []string) error
}

// Clear removes counters once the transaction commits.
func (r Rules) Clear(_ context.Context, keys []string) error {
	if len(keys) > 0 {
		r.Last(func(ctx context.Context) error { return r.Forget(ctx, keys) })
	}
	return nil
}

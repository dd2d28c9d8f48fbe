package licenses

import (
	"context"
	"fmt"

	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/application/jobs"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/job"
	"gatehouse.internal/domain/license"
	"gatehouse.internal/domain/product"
)

const (
	// applyingKind is the kind of job that gives licenses the terms of their policy.
	applyingKind job.Kind = "license.policy_apply"
	// applyingBatch is how many licenses a step changes: few enough that nobody waits for it.
	applyingBatch = 100
)

// applied is what such a job is asked for.
type applied struct {
	PolicyID product.PolicyID `json:"policy_id"`
}

// orderApplying stores the job in the transaction that changes the policy, so that neither
// is without the other, and returns how many licenses it goes through. What it does is
// decided by then: it is the service's own, whatever becomes of who decided. It fails with
// job.ErrTooMany.
func (s *Service) orderApplying(ctx context.Context, tx Repos, caller access.Caller, of license.PolicySnapshot, id job.ID) (int, error) {
	waiting, err := tx.Jobs.Waiting(ctx, of.OrgID)
	switch {
	case err != nil:
		return 0, err
	case waiting >= job.MaxWaiting:
		return 0, job.ErrTooMany
	}
	total, err := s.Policies.Licenses(ctx, of.ID)
	if err != nil {
		return 0, err
	}
	params, err := strictjson.Encode(applied{of.ID})
	if err != nil {
		return 0, fmt.Errorf("encode the policy to apply: %w", err)
	}
	maker := job.MakerOf(caller, event.OriginOf(ctx), writing, false)
	maker.System = true
	return total, tx.Jobs.Save(ctx, job.New(job.Order{
		ID: id, Kind: applyingKind, OrgID: of.OrgID, Maker: maker, Total: total, Params: params,
	}, s.Clock.Now()))
}

// Works lists what the family's jobs do.
func (s *Service) Works() map[job.Kind]jobs.Work {
	return map[job.Kind]jobs.Work{applyingKind: {Step: s.apply}}
}

// apply puts the terms that a policy has by now into some of its licenses.
func (s *Service) apply(ctx context.Context, at jobs.StepContext) (step job.Step, err error) {
	of, err := jobs.Params[applied](at)
	if err != nil {
		return step, err
	}
	err = s.Unit.Do(ctx, func(tx Repos) error {
		policy, err := tx.Policies.ByID(ctx, of.PolicyID)
		if err != nil {
			return err
		}
		some, err := tx.Policies.Licenses(ctx, of.PolicyID, license.ID(at.Job.Saved), applyingBatch)
		if err != nil {
			return err
		}
		step = job.Step{Done: len(some), Finished: len(some) < applyingBatch}
		for _, one := range some {
			step.Saved = []byte(one.Snapshot().ID)
			one.Apply(policy.Snapshot().Terms, s.now())
			if !one.Changed() {
				continue
			}
			if err := tx.Licenses.Save(ctx, one); err != nil {
				return err
			}
		}
		return nil
	})
	return step, err
}

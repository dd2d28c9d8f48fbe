package teams

import (
	"context"
	"fmt"

	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/application/jobs"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/job"
	"gatehouse.internal/domain/workspace"
)

const (
	// emptyingKind is the kind of job that removes what is left of a deleted workspace.
	emptyingKind job.Kind = "team.delete"
	// emptyingBatch is how many rows a step removes: few enough that nobody waits for it.
	emptyingBatch = 500
)

// emptyingParams are the parameters of such a job.
type emptyingParams struct {
	OrgID workspace.ID `json:"org_id"`
}

// orderEmptying stores the job in the transaction that deletes the workspace, so that
// neither is without the other. However many jobs wait, no deletion is refused for that: it
// is a job of the instance, and the service's own.
func (s *Service) orderEmptying(ctx context.Context, tx Repos, caller access.Caller, org workspace.ID) error {
	left, err := tx.Deletions.Left(ctx, org)
	if err != nil {
		return err
	}
	params, err := strictjson.Encode(emptyingParams{org})
	if err != nil {
		return fmt.Errorf("encode the workspace to empty: %w", err)
	}
	maker := job.MakerOf(caller, event.OriginOf(ctx), deleting, false)
	maker.System = true
	return tx.Jobs.Save(ctx, job.New(job.Order{ID: job.NewID(s.IDs), Kind: emptyingKind, Maker: maker, Total: left, Params: params}, s.Clock.Now()))
}

// Works lists what the family's jobs do.
func (s *Service) Works() map[job.Kind]jobs.Work {
	return map[job.Kind]jobs.Work{emptyingKind: {Step: s.empty}}
}

func (s *Service) empty(ctx context.Context, at jobs.StepContext) (step job.Step, err error) {
	of, err := jobs.Params[emptyingParams](at)
	if err != nil {
		return step, err
	}
	err = s.Unit.Do(ctx, func(tx Repos) error {
		step.Done, step.Finished, err = tx.Deletions.Empty(ctx, of.OrgID, emptyingBatch)
		return err
	})
	return step, err
}

package jobs

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/job"
)

// CancelParams are the parameters of JOB.CANCEL.
type CancelParams struct {
	JobID job.ID `json:"job_id" doc:"The job to stop."`
}

// CancelResult is the result of JOB.CANCEL.
type CancelResult struct {
	Job Job `json:"job" doc:"The job as it ended; what it did until then stays done."`
}

func (s *Service) cancel() command.Definition {
	return command.Define(command.Spec[CancelParams, CancelResult]{
		Name:    "JOB.CANCEL",
		Summary: "Stop a job after the step that it is at: one of your own, or with jobs:write one of the active workspace.",
		Access:  access.Anybody().Scoped("jobs:write"),
		Effect:  command.Writes,
		Emits:   []event.Kind{job.KindCanceled},
		Handle: func(ctx context.Context, call command.Call, p CancelParams) (CancelResult, error) {
			var result CancelResult
			err := s.Unit.Do(ctx, func(tx Repos) error {
				j, err := tx.Jobs.ByID(ctx, p.JobID)
				if err == nil && !j.Snapshot().Stopped(call.Caller) {
					err = job.ErrNotFound
				}
				if err != nil {
					return err
				}
				if err := j.Cancel(s.Clock.Now()); err != nil {
					return err
				}
				result.Job = show(j.Snapshot())
				return tx.Jobs.Save(ctx, j)
			})
			return result, err
		},
	})
}

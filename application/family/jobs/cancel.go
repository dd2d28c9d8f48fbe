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
	JobID job.ID `json:"job_id" doc:"ID of the job."`
}

// CancelResult is the result of JOB.CANCEL.
type CancelResult struct {
	Job Job `json:"job" doc:"The canceled job. Work it has already done is kept."`
}

func (s *Service) cancel() command.Definition {
	return command.Define(command.Spec[CancelParams, CancelResult]{
		Name:    "JOB.CANCEL",
		Summary: "Cancel a job.",
		Description: "The job stops after its current step. You can cancel your own jobs and, with `jobs:write`, the jobs of the active workspace. Jobs " +
			"that the service runs for itself cannot be canceled.",
		Access: access.Anybody().Scoped("jobs:write"),
		Effect: command.Writes,
		Emits:  []event.Kind{job.KindCanceled},
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

package jobs

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/job"
)

// GetParams are the parameters of JOB.GET.
type GetParams struct {
	JobID job.ID `json:"job_id" doc:"The job."`
}

// GetResult is the result of JOB.GET.
type GetResult struct {
	Job Job `json:"job" doc:"The job as it is now."`
}

func (s *Service) get() command.Definition {
	return command.Define(command.Spec[GetParams, GetResult]{
		Name:    "JOB.GET",
		Summary: "How far a job is: one of your own, or with jobs:read one of the active workspace.",
		Access:  access.Anybody(),
		Effect:  command.Reads,
		Handle: func(ctx context.Context, call command.Call, p GetParams) (GetResult, error) {
			found, err := s.Directory.Find(ctx, p.JobID)
			if err == nil && !found.Shown(call.Caller) {
				err = job.ErrNotFound
			}
			if err != nil {
				return GetResult{}, err
			}
			return GetResult{Job: show(found)}, nil
		},
	})
}

package jobs

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/job"
)

// GetParams are the parameters of JOB.GET.
type GetParams struct {
	JobID job.ID `json:"job_id" doc:"ID of the job."`
}

// GetResult is the result of JOB.GET.
type GetResult struct {
	Job Job `json:"job" doc:"The job in its current state."`
}

func (s *Service) get() command.Definition {
	return command.Define(command.Spec[GetParams, GetResult]{
		Name:        "JOB.GET",
		Summary:     "Get the progress of a job.",
		Description: "You can get your own jobs and, with `jobs:read`, the jobs of the active workspace.",
		Access:      access.Anybody(),
		Effect:      command.Reads,
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

// Package jobs implements the family JOB: the progress and results of long-running
// work.
package jobs

import (
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/job"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/ops"
)

// Repos holds the repositories of one unit of work.
type Repos struct{ Jobs ops.Jobs }

// Service holds the dependencies of the family's commands.
type Service struct {
	Unit      outbound.Unit[Repos]
	Directory ops.JobDirectory
	Cursors   page.Cursors
	Clock     outbound.Clock
}

// Commands lists the commands of the family.
func (s *Service) Commands() []command.Definition {
	return []command.Definition{
		s.list(),
		s.get(),
		s.cancel(),
		s.resultGet(),
	}
}

// Job is a job in results.
type Job struct {
	ID         job.ID       `json:"id" doc:"ID of the job."`
	Kind       job.Kind     `json:"kind" doc:"Kind of work the job does." jsonschema:"example=user.bulk_export"`
	OrgID      workspace.ID `json:"org_id,omitzero" doc:"ID of the workspace the job belongs to. Not set for jobs of the instance."`
	Status     job.Status   `json:"status" doc:"Status of the job." jsonschema:"enum=queued,enum=running,enum=succeeded,enum=failed,enum=canceled"`
	Done       int          `json:"done" doc:"Number of items done, including rejected ones."`
	Total      int          `json:"total" doc:"Total number of items, as far as known."`
	Errors     int          `json:"errors" doc:"Number of items rejected. JOB.RESULT_GET returns the reasons."`
	Rows       int          `json:"rows" doc:"Number of result rows."`
	Reason     string       `json:"reason,omitzero" doc:"Why the job failed. Not set if it did not fail."`
	CreatedAt  time.Time    `json:"created_at" doc:"When the job was created."`
	StartedAt  *time.Time   `json:"started_at" doc:"When a replica started the job. Null while it waits."`
	FinishedAt *time.Time   `json:"finished_at" doc:"When the job ended. Null if it has not ended."`
}

func show(s job.Snapshot) Job {
	return Job{
		ID: s.ID, Kind: s.Kind, OrgID: s.OrgID, Status: s.Status, Done: s.Done, Total: s.Total, Errors: s.Failed, Rows: s.Rows,
		Reason: s.Why, CreatedAt: s.CreatedAt, StartedAt: view.Time(s.StartedAt), FinishedAt: view.Time(s.FinishedAt),
	}
}

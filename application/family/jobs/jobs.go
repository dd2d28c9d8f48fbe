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
	ID         job.ID       `json:"id" doc:"Identifier of the job."`
	Kind       job.Kind     `json:"kind" doc:"What it does." jsonschema:"example=user.bulk_export"`
	OrgID      workspace.ID `json:"org_id,omitzero" doc:"The workspace it is of; absent: the instance."`
	Status     job.Status   `json:"status" doc:"How far it is." jsonschema:"enum=queued,enum=running,enum=succeeded,enum=failed,enum=canceled"`
	Done       int          `json:"done" doc:"How many items are done, also those that were refused."`
	Total      int          `json:"total" doc:"How many there are, as far as is known."`
	Errors     int          `json:"errors" doc:"How many were refused; JOB.RESULT_GET says why."`
	Rows       int          `json:"rows" doc:"How many rows of data it has."`
	Reason     string       `json:"reason,omitzero" doc:"Why it failed."`
	CreatedAt  time.Time    `json:"created_at" doc:"When it was started."`
	StartedAt  *time.Time   `json:"started_at" doc:"When a replica began with it; null: it waits."`
	FinishedAt *time.Time   `json:"finished_at" doc:"When it ended; null: it has not."`
}

func show(s job.Snapshot) Job {
	return Job{
		ID: s.ID, Kind: s.Kind, OrgID: s.OrgID, Status: s.Status, Done: s.Done, Total: s.Total, Errors: s.Failed, Rows: s.Rows,
		Reason: s.Why, CreatedAt: s.CreatedAt, StartedAt: view.Time(s.StartedAt), FinishedAt: view.Time(s.FinishedAt),
	}
}

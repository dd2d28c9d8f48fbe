package users

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/jobs"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/job"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/people"
)

// ExportFilter narrows an export as USER.LIST narrows its list.
type ExportFilter struct {
	view.Search
	Status       string       `json:"status,omitzero" doc:"Only accounts that may be used (active), that an administrator disabled, or that wrong passwords have locked." jsonschema:"enum=active,enum=disabled,enum=locked"`
	OrgID        workspace.ID `json:"org_id,omitzero" doc:"Only members of this workspace."`
	CreatedAfter time.Time    `json:"created_after,omitzero" doc:"Only accounts made later than this."`
}

func (f ExportFilter) query(now time.Time) people.UserQuery {
	return people.UserQuery{Text: f.Text(), Status: f.Status, Org: f.OrgID, CreatedAfter: f.CreatedAfter, Now: now}
}

// BulkExportParams are the parameters of USER.BULK_EXPORT.
type BulkExportParams struct {
	Format        jobs.Format  `json:"format,omitzero" doc:"One JSON object for each account (ndjson, when absent), or comma-separated lines, the first with the names of the columns; cells that a spreadsheet would take for a formula begin with an apostrophe." jsonschema:"enum=ndjson,enum=csv"`
	Filter        ExportFilter `json:"filter,omitzero" doc:"Only accounts that match; absent: all." example:"-"`
	IncludeHashes bool         `json:"include_hashes,omitzero" doc:"Also the hashes of their passwords, as USER.BULK_IMPORT takes them; for superadmins alone." example:"-"`
}

// JobResult is the result of a command that started a job.
type JobResult struct {
	JobID job.ID `json:"job_id" doc:"The job; JOB.GET says how far it is, JOB.RESULT_GET what came of it."`
}

func (s *Service) bulkExport() command.Definition {
	return command.Define(command.Spec[BulkExportParams, JobResult]{
		Name:    "USER.BULK_EXPORT",
		Summary: "Start a job that collects accounts, for migration or reporting; JOB.RESULT_GET hands them to you for 7 days.",
		Access:  access.Holding(manage).Recent(),
		Effect:  command.Writes,
		Emits:   []event.Kind{job.KindCreated, job.KindUsersExported},
		Handle: func(ctx context.Context, call command.Call, p BulkExportParams) (JobResult, error) {
			if p.IncludeHashes && !call.Caller.Superadmin {
				return JobResult{}, access.ErrSuperadmin
			}
			now := s.Clock.Now()
			total, err := s.Directory.Count(ctx, p.Filter.query(now))
			if err == nil && total == 0 && p.Filter.OrgID != "" {
				err = s.exists(ctx, p.Filter.OrgID, now)
			}
			if err != nil {
				return JobResult{}, err
			}
			started, err := s.Jobs.Start(ctx, call.Caller, jobs.Order{
				Kind: exportKind, Needs: manage, Superadmin: p.IncludeHashes, Params: p, Total: total, ContentType: p.Format.ContentType(),
			})
			return JobResult{JobID: started}, err
		},
	})
}

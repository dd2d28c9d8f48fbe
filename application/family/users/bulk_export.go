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
	Status       string       `json:"status,omitzero" doc:"Only accounts in this state: active, disabled by an administrator, or locked by wrong passwords." jsonschema:"enum=active,enum=disabled,enum=locked"`
	OrgID        workspace.ID `json:"org_id,omitzero" doc:"Only members of this workspace."`
	CreatedAfter time.Time    `json:"created_after,omitzero" doc:"Only accounts created after this time."`
}

func (f ExportFilter) query(now time.Time) people.UserQuery {
	return people.UserQuery{Text: f.Text(), Status: f.Status, Org: f.OrgID, CreatedAfter: f.CreatedAfter, Now: now}
}

// BulkExportParams are the parameters of USER.BULK_EXPORT.
type BulkExportParams struct {
	Format        jobs.Format  `json:"format,omitzero" doc:"File format: ndjson (one JSON object per account) or csv (the first line names the columns). Defaults to ndjson. In csv, cells that a spreadsheet would read as a formula start with an apostrophe." jsonschema:"enum=ndjson,enum=csv"`
	Filter        ExportFilter `json:"filter,omitzero" doc:"Conditions that the exported accounts must match. Omit to export all accounts." example:"-"`
	IncludeHashes bool         `json:"include_hashes,omitzero" doc:"Whether to include password hashes, in the form that USER.BULK_IMPORT accepts. Requires a superadmin." example:"-"`
}

// JobResult is the result of a command that started a job.
type JobResult struct {
	JobID job.ID `json:"job_id" doc:"ID of the job. JOB.GET shows its progress, JOB.RESULT_GET its result."`
}

func (s *Service) bulkExport() command.Definition {
	return command.Define(command.Spec[BulkExportParams, JobResult]{
		Name:        "USER.BULK_EXPORT",
		Summary:     "Start a job that exports accounts for migration or reporting.",
		Description: "Download the result with `JOB.RESULT_GET`. Only you can download it, for 7 days.",
		Access:      access.Holding(manage).Recent(),
		Effect:      command.Writes,
		Emits:       []event.Kind{job.KindCreated, job.KindUsersExported},
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

package audit

import (
	"context"
	"net/netip"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/jobs"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/audit"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/job"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
)

// Filter narrows an export as AUDIT.SEARCH narrows its search.
type Filter struct {
	UserID    user.ID       `json:"user_id,omitzero" doc:"ID of the user the event is about."`
	IP        netip.Addr    `json:"ip,omitzero" doc:"IP address the event was caused from, IPv4 or IPv6." jsonschema:"minLength=2,maxLength=64,example=192.0.2.1"`
	Type      event.Kind    `json:"type,omitzero" doc:"Event type, such as login.failed." jsonschema:"minLength=1,maxLength=100,example=login.failed"`
	Outcome   event.Outcome `json:"outcome,omitzero" doc:"Whether the action succeeded." jsonschema:"enum=success,enum=failure"`
	ActorID   string        `json:"actor_id,omitzero" doc:"ID of the actor who caused the event." jsonschema:"minLength=1,maxLength=100"`
	RequestID string        `json:"request_id,omitzero" doc:"X-Request-Id of the request that caused the event." jsonschema:"minLength=1,maxLength=200"`
}

// ExportParams are the parameters of AUDIT.EXPORT.
type ExportParams struct {
	OrgID  workspace.ID `json:"org_id,omitzero" doc:"ID of the workspace whose events to export. Defaults to the active workspace, or to the instance if you are a superadmin." example:"-"`
	From   time.Time    `json:"from" doc:"Start of the time range, inclusive."`
	To     time.Time    `json:"to" doc:"End of the time range, exclusive."`
	Filter Filter       `json:"filter,omitzero" doc:"Exports only matching events. Omit to export all." example:"-"`
	Format jobs.Format  `json:"format,omitzero" doc:"Format of the export. ndjson: one JSON object per event. csv: comma-separated lines with a header line. In csv, cells that a spreadsheet would take for a formula begin with an apostrophe. Defaults to ndjson." jsonschema:"enum=ndjson,enum=csv"`
}

func (p ExportParams) query() outbound.AuditQuery {
	f := p.Filter
	q := outbound.AuditQuery{User: f.UserID, Kind: f.Type, Outcome: f.Outcome, ActorID: f.ActorID, RequestID: f.RequestID, From: p.From, To: p.To}
	if f.IP.IsValid() {
		q.IP = f.IP.Unmap().String()
	}
	return q
}

// JobResult is the result of a command that started a job.
type JobResult struct {
	JobID job.ID `json:"job_id" doc:"ID of the job. JOB.GET returns its progress, JOB.RESULT_GET its result."`
}

func (s *Service) export() command.Definition {
	return command.Define(command.Spec[ExportParams, JobResult]{
		Name:    "AUDIT.EXPORT",
		Summary: "Export audit events.",
		Description: "Starts a job that collects events of a workspace, or of the whole instance, newest first. `JOB.RESULT_GET` returns the result to " +
			"you for 7 days after the job ends.",
		Access: access.Holding(reading),
		Effect: command.Writes,
		Emits:  []event.Kind{job.KindCreated, audit.KindExported},
		Handle: func(ctx context.Context, call command.Call, p ExportParams) (JobResult, error) {
			if err := inOrder(p.From, p.To); err != nil {
				return JobResult{}, err
			}
			order := jobs.Order{
				Kind: exportKind, OrgID: bound(call.Caller, p.OrgID), Needs: reading, Superadmin: call.Caller.Superadmin, Params: p,
				ContentType: p.Format.ContentType(),
			}
			started, err := s.Jobs.Start(ctx, call.Caller, order)
			return JobResult{JobID: started}, err
		},
	})
}

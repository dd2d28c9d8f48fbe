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
	UserID    user.ID       `json:"user_id,omitzero" doc:"Whom the event is about."`
	IP        netip.Addr    `json:"ip,omitzero" doc:"Address it was caused from, IPv4 or IPv6." jsonschema:"minLength=2,maxLength=64,example=192.0.2.1"`
	Type      event.Kind    `json:"type,omitzero" doc:"Kind of event, such as login.failed." jsonschema:"minLength=1,maxLength=100,example=login.failed"`
	Outcome   event.Outcome `json:"outcome,omitzero" doc:"Whether what was tried succeeded." jsonschema:"enum=success,enum=failure"`
	ActorID   string        `json:"actor_id,omitzero" doc:"Who caused it." jsonschema:"minLength=1,maxLength=100"`
	RequestID string        `json:"request_id,omitzero" doc:"X-Request-Id of the request that caused it." jsonschema:"minLength=1,maxLength=200"`
}

// ExportParams are the parameters of AUDIT.EXPORT.
type ExportParams struct {
	OrgID  workspace.ID `json:"org_id,omitzero" doc:"Workspace whose events to export; absent: the active one, and for a superadmin the instance." example:"-"`
	From   time.Time    `json:"from" doc:"First moment of the export."`
	To     time.Time    `json:"to" doc:"First moment beyond it."`
	Filter Filter       `json:"filter,omitzero" doc:"Only events that match; absent: all." example:"-"`
	Format jobs.Format  `json:"format,omitzero" doc:"One JSON object for each event (ndjson, when absent), or comma-separated lines, the first with the names of the columns; cells that a spreadsheet would take for a formula begin with an apostrophe." jsonschema:"enum=ndjson,enum=csv"`
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
	JobID job.ID `json:"job_id" doc:"The job; JOB.GET says how far it is, JOB.RESULT_GET what came of it."`
}

func (s *Service) export() command.Definition {
	return command.Define(command.Spec[ExportParams, JobResult]{
		Name: "AUDIT.EXPORT",
		Summary: "Start a job that collects events of a workspace, or of the whole instance, newest first; " +
			"JOB.RESULT_GET hands them to you for 7 days.",
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

package audit

import (
	"context"
	"fmt"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/audit"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/workspace"
)

// RecordParams are the parameters of AUDIT.RECORD.
type RecordParams struct {
	Action     string           `json:"action" doc:"What happened, such as invoice.approved." jsonschema:"minLength=1,maxLength=100,pattern=^[A-Za-z0-9][A-Za-z0-9_.:/-]*$,example=invoice.approved"`
	Actor      map[string]any   `json:"actor" doc:"Who did it; the service does not look into it, but it must not be empty. Actor, targets, context and metadata have at most 16 KiB in all and nest at most 8 levels; numbers beyond ±9007199254740991 are refused, for they would be rounded: send texts."`
	Targets    []map[string]any `json:"targets,omitzero" doc:"What it was done to." jsonschema:"maxItems=20"`
	Context    map[string]any   `json:"context,omitzero" doc:"The circumstances, such as an address or a device."`
	Metadata   map[string]any   `json:"metadata,omitzero" doc:"Whatever else to keep; nothing secret."`
	OccurredAt time.Time        `json:"occurred_at,omitzero" doc:"When it happened, in the last 30 days; absent: now. The entry is found by the time it was recorded."`
}

// RecordResult is the result of AUDIT.RECORD.
type RecordResult struct {
	Entry view.AuditEntry `json:"audit_entry" doc:"The entry as AUDIT.SEARCH finds it."`
}

func (s *Service) record() command.Definition {
	return command.Define(command.Spec[RecordParams, RecordResult]{
		Name:    "AUDIT.RECORD",
		Summary: "Add an application's own entry to the log of its workspace, for those who may read that; an entry is never changed. The setting audit_megabytes bounds what a workspace records a day, audit_days how long it is kept.",
		Access:  access.Client("audit:write"),
		Effect:  command.Writes,
		Emits:   []event.Kind{audit.KindRecorded},
		Handle: func(ctx context.Context, call command.Call, p RecordParams) (result RecordResult, err error) {
			entry, err := audit.New(audit.Recorded{
				OrgID: call.Caller.Org, AppID: call.Caller.App, Action: p.Action, Actor: p.Actor, Targets: p.Targets,
				Context: p.Context, Metadata: p.Metadata, OccurredAt: p.OccurredAt,
			}, s.Clock.Now())
			if err != nil {
				return RecordResult{}, err
			}
			err = s.Unit.Do(ctx, func(tx Repos) error {
				stored, err := tx.Log.Add(ctx, entry)
				if err != nil {
					return err
				}
				result.Entry = view.OfEvent(stored)
				return s.count(ctx, tx, entry.OrgID, len(stored.Data))
			})
			return result, err
		},
	})
}

// count adds the size of an entry to what its workspace recorded today. It fails with
// a fault where that is more than a workspace may record.
func (s *Service) count(ctx context.Context, tx Repos, org workspace.ID, size int) error {
	settings := s.Instance.State().Settings
	within, err := tx.Quotas.Audited(ctx, org, size, settings.AuditBytes(), s.Clock.Now())
	if err == nil && !within {
		return fault.New(fault.Validation, fmt.Sprintf("the workspace recorded %d MB of audit entries today, which is the most it may: "+
			"go on after midnight UTC, or ask a superadmin to raise the setting audit_megabytes", settings.AuditMegabytes))
	}
	return err
}

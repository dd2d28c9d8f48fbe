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
	Action     string           `json:"action" doc:"Action to record, such as invoice.approved." jsonschema:"minLength=1,maxLength=100,pattern=^[A-Za-z0-9][A-Za-z0-9_.:/-]*$,example=invoice.approved"`
	Actor      map[string]any   `json:"actor" doc:"Person or thing that performed the action. Must not be empty; otherwise its content is not checked. Actor, targets, context and metadata together: at most 16 KiB and 8 levels of nesting. Send numbers beyond ±9007199254740991 as strings: they are rejected because they would be rounded."`
	Targets    []map[string]any `json:"targets,omitzero" doc:"Objects the action was performed on." jsonschema:"maxItems=20"`
	Context    map[string]any   `json:"context,omitzero" doc:"Circumstances of the action, such as an address or a device."`
	Metadata   map[string]any   `json:"metadata,omitzero" doc:"Additional data to keep. Must not contain secrets."`
	OccurredAt time.Time        `json:"occurred_at,omitzero" doc:"When the action happened, within the last 30 days. Defaults to now. Searches use the time the entry was recorded."`
}

// RecordResult is the result of AUDIT.RECORD.
type RecordResult struct {
	Entry view.AuditEntry `json:"audit_entry" doc:"The recorded entry, as AUDIT.SEARCH returns it."`
}

func (s *Service) record() command.Definition {
	return command.Define(command.Spec[RecordParams, RecordResult]{
		Name:    "AUDIT.RECORD",
		Summary: "Record an audit entry in the workspace's log.",
		Description: "For apps: adds an entry of your own to the log of your workspace. Everyone who can read the log sees it. Entries can't be " +
			"changed.\n\nThe setting `audit_megabytes` limits how much a workspace can record per day. The setting `audit_days` determines how " +
			"long entries are kept.",
		Access: access.Client("audit:write"),
		Effect: command.Writes,
		Emits:  []event.Kind{audit.KindRecorded},
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
		return fault.New(fault.Validation, fmt.Sprintf("daily limit of audit entries reached (%d MB): "+
			"continue after midnight UTC, or ask a superadmin to raise the setting audit_megabytes", settings.AuditMegabytes))
	}
	return err
}

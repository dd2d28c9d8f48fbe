package audit

import (
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/job"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// KindExported is the kind of Exported.
const KindExported event.Kind = "audit.exported"

// Exported is the content of audit.exported.
type Exported struct {
	JobID   job.ID       `json:"job_id" doc:"ID of the job that holds the events."`
	UserID  user.ID      `json:"user_id,omitzero" doc:"ID of the user who can read the export. Not set if an app started the job."`
	OrgID   workspace.ID `json:"org_id,omitzero" doc:"ID of the workspace whose events were exported. Not set for the whole instance."`
	From    time.Time    `json:"from" doc:"Start of the time range, inclusive."`
	To      time.Time    `json:"to" doc:"End of the time range, exclusive."`
	Entries int          `json:"entries" doc:"Number of events exported."`
}

// Kind is audit.exported.
func (Exported) Kind() event.Kind { return KindExported }

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
	JobID   job.ID       `json:"job_id" doc:"The job that has the events."`
	UserID  user.ID      `json:"user_id,omitzero" doc:"Who may read them; absent: the app that started the job."`
	OrgID   workspace.ID `json:"org_id,omitzero" doc:"The workspace whose log it is; absent: the whole instance."`
	From    time.Time    `json:"from" doc:"First moment of the export."`
	To      time.Time    `json:"to" doc:"First moment beyond it."`
	Entries int          `json:"entries" doc:"How many events."`
}

// Kind is audit.exported.
func (Exported) Kind() event.Kind { return KindExported }

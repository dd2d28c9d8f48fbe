package job

import (
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// Kinds of events of jobs.
const (
	KindCreated   event.Kind = "job.created"
	KindCompleted event.Kind = "job.completed"
	KindFailed    event.Kind = "job.failed"
	KindCanceled  event.Kind = "job.canceled"
	// KindUsersExported is of the jobs that hand out accounts.
	KindUsersExported event.Kind = "user.exported"
)

// Created is the content of job.created.
type Created struct {
	JobID  ID           `json:"job_id" doc:"The new job."`
	Work   Kind         `json:"kind" doc:"What it does."`
	UserID user.ID      `json:"user_id,omitzero" doc:"Who started it; absent: an app."`
	OrgID  workspace.ID `json:"org_id,omitzero" doc:"The workspace it is of; absent: the instance."`
	Total  int          `json:"total" doc:"How many items it has, as far as is known."`
	Reason string       `json:"reason,omitzero" doc:"Why, in the words of who started it."`
}

// Completed is the content of job.completed.
type Completed struct {
	JobID  ID           `json:"job_id" doc:"The job that came to its end."`
	Work   Kind         `json:"kind" doc:"What it did."`
	UserID user.ID      `json:"user_id,omitzero" doc:"Who started it; absent: an app."`
	OrgID  workspace.ID `json:"org_id,omitzero" doc:"The workspace it is of; absent: the instance."`
	Done   int          `json:"done" doc:"How many items it did."`
	Errors int          `json:"errors" doc:"How many of them were refused."`
}

// WasFailed is the content of job.failed.
type WasFailed struct {
	JobID  ID           `json:"job_id" doc:"The job that ended early."`
	Work   Kind         `json:"kind" doc:"What it did."`
	UserID user.ID      `json:"user_id,omitzero" doc:"Who started it; absent: an app."`
	OrgID  workspace.ID `json:"org_id,omitzero" doc:"The workspace it is of; absent: the instance."`
	Done   int          `json:"done" doc:"How many items it did until then."`
	Reason string       `json:"reason" doc:"Why."`
}

// WasCanceled is the content of job.canceled.
type WasCanceled struct {
	JobID  ID           `json:"job_id" doc:"The job that was canceled."`
	Work   Kind         `json:"kind" doc:"What it did."`
	UserID user.ID      `json:"user_id,omitzero" doc:"Who started it; absent: an app."`
	OrgID  workspace.ID `json:"org_id,omitzero" doc:"The workspace it is of; absent: the instance."`
	Done   int          `json:"done" doc:"How many items it did until then."`
}

// UsersExported is the content of user.exported.
type UsersExported struct {
	JobID  ID      `json:"job_id" doc:"The job that has the accounts."`
	UserID user.ID `json:"user_id,omitzero" doc:"Who may read them; absent: the app that started the job."`
	Users  int     `json:"users" doc:"How many accounts."`
	Hashes bool    `json:"hashes" doc:"Whether the hashes of their passwords are among them."`
}

func (Created) Kind() event.Kind       { return KindCreated }
func (Completed) Kind() event.Kind     { return KindCompleted }
func (WasFailed) Kind() event.Kind     { return KindFailed }
func (WasCanceled) Kind() event.Kind   { return KindCanceled }
func (UsersExported) Kind() event.Kind { return KindUsersExported }

// Events describes the kinds of this package for the catalog.
func Events() []event.Definition {
	const (
		job    = ID("job_01jd7x9k2mf3q8v5t0abcdefgh")
		work   = Kind("user.bulk_delete")
		person = user.ID("usr_01jd7x9k2mf3q8v5t0abcdefgh")
	)
	return []event.Definition{
		{Summary: "Somebody started a job.", Example: Created{job, work, person, "", 250, "left the company"}},
		{Summary: "A job came to its end; some of its items may have been refused.", Example: Completed{job, work, person, "", 250, 2}},
		{Summary: "A job ended before its last item.", Example: WasFailed{job, work, person, "", 120, WhyMakerLess}},
		{Summary: "Somebody canceled a job.", Example: WasCanceled{job, work, person, "", 120}},
		{Summary: "A job collected accounts for who started it.", Example: UsersExported{job, person, 1200, false}},
	}
}

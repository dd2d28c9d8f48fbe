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
	JobID  ID           `json:"job_id" doc:"ID of the job."`
	Work   Kind         `json:"kind" doc:"Kind of work the job does."`
	UserID user.ID      `json:"user_id,omitzero" doc:"ID of the user who started the job. Not set if an app started it."`
	OrgID  workspace.ID `json:"org_id,omitzero" doc:"ID of the workspace the job belongs to. Not set for jobs of the instance."`
	Total  int          `json:"total" doc:"Total number of items, as far as known."`
	Reason string       `json:"reason,omitzero" doc:"Reason given when the job was started."`
}

// Completed is the content of job.completed.
type Completed struct {
	JobID  ID           `json:"job_id" doc:"ID of the job."`
	Work   Kind         `json:"kind" doc:"Kind of work the job did."`
	UserID user.ID      `json:"user_id,omitzero" doc:"ID of the user who started the job. Not set if an app started it."`
	OrgID  workspace.ID `json:"org_id,omitzero" doc:"ID of the workspace the job belongs to. Not set for jobs of the instance."`
	Done   int          `json:"done" doc:"Number of items done."`
	Errors int          `json:"errors" doc:"Number of items rejected."`
}

// WasFailed is the content of job.failed.
type WasFailed struct {
	JobID  ID           `json:"job_id" doc:"ID of the job."`
	Work   Kind         `json:"kind" doc:"Kind of work the job did."`
	UserID user.ID      `json:"user_id,omitzero" doc:"ID of the user who started the job. Not set if an app started it."`
	OrgID  workspace.ID `json:"org_id,omitzero" doc:"ID of the workspace the job belongs to. Not set for jobs of the instance."`
	Done   int          `json:"done" doc:"Number of items done before the job ended."`
	Reason string       `json:"reason" doc:"Why the job failed."`
}

// WasCanceled is the content of job.canceled.
type WasCanceled struct {
	JobID  ID           `json:"job_id" doc:"ID of the job."`
	Work   Kind         `json:"kind" doc:"Kind of work the job did."`
	UserID user.ID      `json:"user_id,omitzero" doc:"ID of the user who started the job. Not set if an app started it."`
	OrgID  workspace.ID `json:"org_id,omitzero" doc:"ID of the workspace the job belongs to. Not set for jobs of the instance."`
	Done   int          `json:"done" doc:"Number of items done before the job ended."`
}

// UsersExported is the content of user.exported.
type UsersExported struct {
	JobID  ID      `json:"job_id" doc:"ID of the job that holds the accounts."`
	UserID user.ID `json:"user_id,omitzero" doc:"ID of the user who can read the export. Not set if an app started the job."`
	Users  int     `json:"users" doc:"Number of accounts exported."`
	Hashes bool    `json:"hashes" doc:"Whether the export includes password hashes."`
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
		{Summary: "A job was started.", Example: Created{job, work, person, "", 250, "left the company"}},
		{Summary: "A job completed. Some of its items may have been rejected.", Example: Completed{job, work, person, "", 250, 2}},
		{Summary: "A job failed before its last item.", Example: WasFailed{job, work, person, "", 120, WhyMakerLess}},
		{Summary: "A job was canceled.", Example: WasCanceled{job, work, person, "", 120}},
		{Summary: "A job exported user accounts.", Example: UsersExported{job, person, 1200, false}},
	}
}

// Package job defines long-running work: it is executed in steps by the replica that
// has claimed it, and resumes from the state saved with its last step.
package job

import (
	"time"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/id"
	"gatehouse.internal/domain/workspace"
)

const (
	// MaxRunning is how many jobs of one workspace, and of the instance, run at once.
	MaxRunning = 5
	// MaxWaiting is how many of them may wait.
	MaxWaiting = 100
	// Lease is how long a job stays claimed after its last step, by the clock of the store.
	Lease = 15 * time.Second
	// MaxTurns is how often a job is claimed without a step.
	MaxTurns = 10
	// ResultsKept is how long result rows are kept after the end of their job.
	ResultsKept = 7 * 24 * time.Hour
	// kept is how long the job itself is.
	kept = 30 * 24 * time.Hour
	// retryAfter is how long a job waits after a turn that failed; the next time twice as long.
	retryAfter = time.Second
)

// Why jobs fail that their work did not fail by itself.
const (
	WhyInterrupted = "the job was interrupted too often without making progress"
	WhyUnreadable  = "the job cannot be decrypted: JWT_SECRET has changed since the job was created"
	WhyUnknown     = "this release does not support this kind of job"
	WhyMakerGone   = "the job's creator or workspace is disabled or deleted"
	WhyMakerLess   = "the job's creator no longer has the required permissions"
)

// Errors of jobs.
var (
	ErrNotFound = fault.New(fault.NotFound, "no such job")
	ErrEnded    = fault.New(fault.Validation, "the job has already ended")
	ErrTooMany  = fault.LimitReached("queued job", MaxWaiting, "wait for jobs to finish, or cancel some with JOB.CANCEL")
	ErrSystem   = fault.New(fault.Validation, "system jobs cannot be canceled: the job completes a change that has already taken effect")
	ErrGone     = fault.New(fault.NotFound, "the results of this job have been deleted: results are kept for 7 days")
	// ErrLost is returned if the claim of a job has ended: the job ended, or another
	// replica claimed it.
	ErrLost = fault.New(fault.Internal, "the claim on the job was lost")
)

type idKind struct{}

func (idKind) Prefix() string { return "job" }

// ID identifies a job.
type ID = id.ID[idKind]

// NewID mints an identifier.
func NewID(m id.Minter) ID { return id.New[idKind](m) }

// Kind is the kind of a job, such as user.bulk_export.
type Kind string

// Status is how far a job has come.
type Status string

// The statuses of jobs.
const (
	Queued    Status = "queued"
	Running   Status = "running"
	Succeeded Status = "succeeded"
	Failed    Status = "failed"
	Canceled  Status = "canceled"
)

// Statuses lists all of them.
func Statuses() []Status { return []Status{Queued, Running, Succeeded, Failed, Canceled} }

// Part is one of the lists of rows of a job.
type Part string

// The parts of a job.
const (
	// Input are the items that the job was given.
	Input Part = "input"
	// Data and Errors are its results.
	Data   Part = "data"
	Errors Part = "errors"
)

// Place is that of a row in a part of a job, from 0.
type Place struct {
	Job  ID
	Part Part
	Row  int
}

// Snapshot is the stored state of a job.
type Snapshot struct {
	ID   ID
	Kind Kind
	// OrgID is the workspace that the job is of; empty for one of the instance.
	OrgID  workspace.ID
	Maker  Maker
	Status Status
	// Total is how many items there are as far as is known, Done how many of them are
	// done, Failed how many of those were refused.
	Total, Done, Failed int
	// Rows is how many rows of data there are.
	Rows int
	// ContentType is the media type of the rows of data.
	ContentType string
	// Why is why a job failed.
	Why string
	// Params are the parameters of the job except its input, and Saved is the state of
	// its next step; both are JSON defined by the kind.
	Params, Saved []byte
	// Turns counts the claims, Fruitless those since the last step.
	Turns, Fruitless int
	CreatedAt        time.Time
	StartedAt        time.Time
	FinishedAt       time.Time
}

// PurgeAt returns when the job itself is removed; unset before it has ended.
func (s Snapshot) PurgeAt() time.Time {
	if s.FinishedAt.IsZero() {
		return time.Time{}
	}
	return s.FinishedAt.Add(kept)
}

// ResultsUntil returns until when the rows of the job are kept; unset before it has ended.
func (s Snapshot) ResultsUntil() time.Time {
	if s.FinishedAt.IsZero() {
		return time.Time{}
	}
	return s.FinishedAt.Add(ResultsKept)
}

// Job is one piece of work.
type Job struct {
	aggregate.Root
	s Snapshot
}

// Order are the attributes of a new job.
type Order struct {
	ID          ID
	Kind        Kind
	OrgID       workspace.ID
	Maker       Maker
	Total       int
	ContentType string
	Params      []byte
	// Reason is why, in the maker's words.
	Reason string
}

// New makes a job that waits to be claimed.
func New(o Order, now time.Time) *Job {
	j := &Job{s: Snapshot{
		ID: o.ID, Kind: o.Kind, OrgID: o.OrgID, Maker: o.Maker, Status: Queued, Total: o.Total,
		ContentType: o.ContentType, Params: o.Params, CreatedAt: now,
	}}
	j.Raise(Created{JobID: o.ID, Work: o.Kind, UserID: o.Maker.UserID, OrgID: o.OrgID, Total: o.Total, Reason: o.Reason})
	return j
}

// Restore returns the job that was stored.
func Restore(s Snapshot, version int64) *Job { return &Job{Root: aggregate.At(version), s: s} }

// Snapshot returns the state to store.
func (j *Job) Snapshot() Snapshot { return j.s }

// ID returns the job's identifier.
func (j *Job) ID() ID { return j.s.ID }

// Claim begins a turn. A job that was claimed too often without a step fails. Claim fails with
// ErrLost if the job has ended.
func (j *Job) Claim(now time.Time) error {
	if j.ended() {
		return ErrLost
	}
	if j.s.Status == Queued {
		j.s.StartedAt = now
	}
	j.s.Status = Running
	j.s.Turns, j.s.Fruitless = j.s.Turns+1, j.s.Fruitless+1
	if j.s.Fruitless > MaxTurns && !j.s.Maker.System {
		return j.Fail(WhyInterrupted, now)
	}
	return nil
}

// Hold fails with ErrLost unless the job is still in a turn.
func (j *Job) Hold(turn int) error {
	if j.s.Status != Running || j.s.Turns != turn {
		return ErrLost
	}
	return nil
}

// Pause is how long a job waits after a turn that failed.
func (j *Job) Pause() time.Duration { return retryAfter << min(max(j.s.Fruitless-1, 0), 5) }

// Step is the result of a step.
type Step struct {
	// Done is how many items were done.
	Done int
	// Rows are rows of data, Errors those about items that were refused; each is a JSON value.
	Rows, Errors [][]byte
	// Saved is where the next step begins.
	Saved []byte
	// Finished reports whether it was the last one.
	Finished bool
}

// Advance notes a step. It fails with ErrLost unless the job is running.
func (j *Job) Advance(s Step, now time.Time) error {
	if j.s.Status != Running {
		return ErrLost
	}
	j.s.Done, j.s.Rows, j.s.Failed = j.s.Done+s.Done, j.s.Rows+len(s.Rows), j.s.Failed+len(s.Errors)
	j.s.Saved, j.s.Fruitless = s.Saved, 0
	j.s.Total = max(j.s.Total, j.s.Done)
	if s.Finished {
		j.s.Total = j.s.Done
		j.end(Succeeded, now)
		j.Raise(Completed{JobID: j.s.ID, Work: j.s.Kind, UserID: j.s.Maker.UserID, OrgID: j.s.OrgID, Done: j.s.Done, Errors: j.s.Failed})
	}
	return nil
}

// Fail ends the job for a reason. It fails with ErrLost if the job has ended.
func (j *Job) Fail(why string, now time.Time) error {
	if j.ended() {
		return ErrLost
	}
	j.s.Why = why
	j.end(Failed, now)
	j.Raise(WasFailed{JobID: j.s.ID, Work: j.s.Kind, UserID: j.s.Maker.UserID, OrgID: j.s.OrgID, Done: j.s.Done, Reason: why})
	return nil
}

// Cancel ends a job after the step it is at. It fails with ErrEnded, and with ErrSystem.
func (j *Job) Cancel(now time.Time) error {
	if j.ended() {
		return ErrEnded
	}
	if j.s.Maker.System {
		return ErrSystem
	}
	j.end(Canceled, now)
	j.Raise(WasCanceled{JobID: j.s.ID, Work: j.s.Kind, UserID: j.s.Maker.UserID, OrgID: j.s.OrgID, Done: j.s.Done})
	return nil
}

func (j *Job) ended() bool { return j.s.Status != Queued && j.s.Status != Running }

// end clears everything that only a running job needs.
func (j *Job) end(as Status, now time.Time) {
	j.s.Status, j.s.FinishedAt = as, now
	j.s.Params, j.s.Saved = nil, nil
}

// Shown reports whether a caller may see the job: its maker, and callers with jobs:read
// in its workspace.
func (s Snapshot) Shown(to access.Caller) bool { return s.reached(to, "jobs:read") }

// Stopped reports whether a caller may cancel the job: its maker, and callers with
// jobs:write in its workspace.
func (s Snapshot) Stopped(by access.Caller) bool { return s.reached(by, "jobs:write") }

func (s Snapshot) reached(c access.Caller, permission string) bool {
	return s.Maker.Is(c) || c.Sees(s.OrgID) && c.May(permission)
}

// CheckReader fails with ErrNotFound unless the caller made the job, with ErrElsewhere unless
// the call acts in the workspace that the maker acted in, with ErrLess if
// the caller no longer has its permissions, and with ErrGone if the results are no
// longer stored.
func (s Snapshot) CheckReader(c access.Caller, now time.Time) error {
	switch until := s.ResultsUntil(); {
	case !s.Maker.Is(c):
		return ErrNotFound
	case !s.Maker.Within(c):
		return ErrElsewhere
	case !s.Maker.Entitled(c):
		return ErrLess
	case !until.IsZero() && !now.Before(until):
		return ErrGone
	}
	return nil
}

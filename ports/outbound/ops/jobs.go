package ops

import (
	"context"
	"time"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/job"
	"gatehouse.internal/domain/workspace"
)

// Jobs stores jobs, inside a unit of work.
type Jobs interface {
	// ByID returns and locks a job. It fails with job.ErrNotFound.
	ByID(ctx context.Context, id job.ID) (*job.Job, error)
	Save(ctx context.Context, j *job.Job) error
	// Waiting returns the number of waiting jobs of a workspace, or of the instance.
	Waiting(ctx context.Context, org workspace.ID) (int, error)
	// Next returns the oldest job whose lease has expired, or else the oldest waiting
	// one whose workspace has fewer than job.MaxRunning running jobs; nil for none. The
	// job counts as running once it is saved so.
	Next(ctx context.Context, now time.Time) (*job.Job, error)
	// Lease leases a job for a duration, by the clock of the store if it has one.
	Lease(ctx context.Context, id job.ID, lasts time.Duration, now time.Time) error
	// AddRows appends rows to a part that has rows up to a place.
	AddRows(ctx context.Context, to job.Place, rows [][]byte) error
}

// JobDirectory reads jobs, outside any transaction.
type JobDirectory interface {
	// Due reports whether there may be a job to claim.
	Due(ctx context.Context, now time.Time) (bool, error)
	// Find returns a job. It fails with job.ErrNotFound.
	Find(ctx context.Context, id job.ID) (job.Snapshot, error)
	// List returns the jobs that match, newest first.
	List(ctx context.Context, query JobQuery) ([]job.Snapshot, error)
	// Rows returns rows of a part, in order, from a place.
	Rows(ctx context.Context, from job.Place, most int) ([][]byte, error)
	// Counts returns the number of jobs by status.
	Counts(ctx context.Context) (map[job.Status]int, error)
}

// JobQuery narrows a list of jobs; zero values do not narrow.
type JobQuery struct {
	// Maker selects jobs by their creator; with Org, also all jobs of that workspace.
	Maker access.Caller
	Org   workspace.ID
	// All selects the jobs of everybody.
	All    bool
	Kind   job.Kind
	Status job.Status
	// Before is the last ID of the previous page.
	Before job.ID
	Limit  int
}

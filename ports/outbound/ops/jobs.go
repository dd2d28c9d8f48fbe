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
	// ByID fails with job.ErrNotFound. It holds off every other unit that reads or claims
	// the same job, until this one ends.
	ByID(ctx context.Context, id job.ID) (*job.Job, error)
	Save(ctx context.Context, j *job.Job) error
	// Waiting counts the jobs of a workspace, or of the instance, that wait to be claimed.
	Waiting(ctx context.Context, org workspace.ID) (int, error)
	// Next returns the oldest job whose lease has ended, else the oldest that waits and
	// whose workspace has less than job.MaxRunning running; nil when there is none. Once it is
	// saved as running, it counts among those.
	Next(ctx context.Context, now time.Time) (*job.Job, error)
	// Lease lets nobody else claim a job for so long, by the clock of the store where that
	// has one.
	Lease(ctx context.Context, id job.ID, lasts time.Duration, now time.Time) error
	// AddRows adds rows to a part behind those that there are already, which are so many.
	AddRows(ctx context.Context, to job.Place, rows [][]byte) error
}

// JobDirectory finds jobs for reading, outside any transaction.
type JobDirectory interface {
	// Due reports whether there may be a job to claim.
	Due(ctx context.Context, now time.Time) (bool, error)
	// Find fails with job.ErrNotFound.
	Find(ctx context.Context, id job.ID) (job.Snapshot, error)
	// List returns the jobs that match, newest first.
	List(ctx context.Context, query JobQuery) ([]job.Snapshot, error)
	// Rows returns rows of a part from a place on, in their order.
	Rows(ctx context.Context, from job.Place, most int) ([][]byte, error)
	// Counts returns how many jobs of each status are stored.
	Counts(ctx context.Context) (map[job.Status]int, error)
}

// JobQuery narrows a list of jobs; zero values do not narrow.
type JobQuery struct {
	// Maker is whose jobs are listed; with Org, those of that workspace besides.
	Maker access.Caller
	Org   workspace.ID
	// All lists the jobs of everybody.
	All    bool
	Kind   job.Kind
	Status job.Status
	// Before is the last id of the page before.
	Before job.ID
	Limit  int
}

package ops

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/job"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/ops"
)

// Jobs returns the jobs.
func Jobs(tx *sqlstore.Tx) ops.Jobs { return jobs{tx} }

type jobs struct{ tx *sqlstore.Tx }

// ByID reads one job under a lock.
func (r jobs) ByID(ctx context.Context, id job.ID) (*job.Job, error) {
	found, err := r.one(ctx, `SELECT `+jobColumns+` FROM jobs WHERE id = ? {for update}`, id.String())
	if err == nil && found == nil {
		err = job.ErrNotFound
	}
	return found, err
}

// one returns the job that a statement finds; nil for none.
func (r jobs) one(ctx context.Context, statement string, args ...any) (*job.Job, error) {
	var found jobRow
	err := r.tx.Get(ctx, &found, statement, args...)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil //nolint:nilnil // there may be none
	}
	if err != nil {
		return nil, fmt.Errorf("read a job: %w", err)
	}
	snapshot, err := found.snapshot(r.tx.Store())
	if err != nil {
		return nil, err
	}
	return job.Restore(snapshot, found.Version), nil
}

// Save stores a job. It fails with aggregate.ErrConflict when another job got the slot
// that this one was to run in.
func (r jobs) Save(ctx context.Context, j *job.Job) error {
	state, err := jobState(r.tx.Store(), j.Snapshot())
	if err != nil {
		return err
	}
	err = r.tx.Save(ctx, "jobs", sqlstore.Row{{"id", j.ID().String()}}, state, j)
	if r.tx.Store().Dialect().Failure(err) == sqlstore.Duplicate {
		err = aggregate.ErrConflict
	}
	if err != nil {
		return fmt.Errorf("save a job: %w", err)
	}
	return nil
}

// Waiting counts what is queued.
func (r jobs) Waiting(ctx context.Context, org workspace.ID) (int, error) {
	var waiting int
	err := r.tx.Get(ctx, &waiting, `SELECT COUNT(*) FROM jobs WHERE org_id = ? AND status = 'queued'`, org.String())
	if err != nil {
		return 0, fmt.Errorf("count the jobs that wait: %w", err)
	}
	return waiting, nil
}

// lapsed are the jobs whose lease has ended by the clock of the store, else by ours.
const lapsed = `jobs WHERE status = 'running' AND lease_until <= COALESCE({clock}, ?)`

// runnable are the jobs that wait and whose workspace has a slot left; its parameter is
// how many slots there are.
const runnable = `jobs WHERE status = 'queued' AND
	(SELECT COUNT(*) FROM jobs r WHERE r.org_id = jobs.org_id AND r.status = 'running') < ?`

// Next looks for a job that goes on, then for one that begins.
func (r jobs) Next(ctx context.Context, now time.Time) (*job.Job, error) {
	const read = `SELECT ` + jobColumns + ` FROM `
	found, err := r.one(ctx, read+lapsed+` ORDER BY lease_until LIMIT 1 {skip locked}`, sqlstore.At(now))
	if err != nil || found != nil {
		return found, err
	}
	found, err = r.one(ctx, read+runnable+` ORDER BY id LIMIT 1 {skip locked}`, job.MaxRunning)
	if err != nil || found == nil {
		return nil, err
	}
	return found, r.seat(ctx, found)
}

// seat assigns a job a free slot of its workspace. Of two replicas that give the same one
// away, the second fails when it saves its job.
func (r jobs) seat(ctx context.Context, j *job.Job) error {
	var taken []int
	err := r.tx.List(ctx, &taken, `SELECT slot FROM jobs WHERE org_id = ? AND status = 'running' ORDER BY slot`, j.Snapshot().OrgID.String())
	if err != nil {
		return fmt.Errorf("list the slots of jobs: %w", err)
	}
	free := 0
	for _, slot := range taken {
		if slot == free {
			free++
		}
	}
	if free >= job.MaxRunning {
		return aggregate.ErrConflict
	}
	if _, err := r.tx.Exec(ctx, `UPDATE jobs SET slot = ? WHERE id = ?`, free, j.ID().String()); err != nil {
		return fmt.Errorf("give a job a slot: %w", err)
	}
	return nil
}

// Lease moves the end of the lease.
func (r jobs) Lease(ctx context.Context, id job.ID, lasts time.Duration, now time.Time) error {
	_, err := r.tx.Exec(ctx, `UPDATE jobs SET lease_until = COALESCE({clock}, ?) + ? * {second} WHERE id = ?`,
		sqlstore.At(now), int64(lasts/time.Second), id.String())
	if err != nil {
		return fmt.Errorf("lease a job: %w", err)
	}
	return nil
}

// AddRows seals each row at its place.
func (r jobs) AddRows(ctx context.Context, to job.Place, rows [][]byte) error {
	if len(rows) == 0 {
		return nil
	}
	sealed := make(sqlstore.Rows, len(rows))
	for i, row := range rows {
		id := rowID(to, i)
		sealed[i] = []any{id, to.Job.String(), r.tx.Store().Secrets().Seal(string(row), sqlstore.Place("job_rows", "content", id))}
	}
	if _, err := r.tx.Exec(ctx, `INSERT INTO job_rows (id, job_id, content) SELECT id, job_id, content FROM {rows id text, job_id text, content text}`, sealed); err != nil {
		return fmt.Errorf("add rows to a job: %w", err)
	}
	return nil
}

// rowID returns the identifier of the row so many behind a place.
func rowID(at job.Place, behind int) string {
	return fmt.Sprintf("%s/%s/%010d", at.Job, at.Part, at.Row+behind)
}

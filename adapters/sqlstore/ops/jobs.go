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

// Jobs returns the repository of jobs.
func Jobs(tx *sqlstore.Tx) ops.Jobs { return jobs{tx} }

type jobs struct{ tx *sqlstore.Tx }

// ByID reads one job under a lock of its row. It fails with job.ErrNotFound.
func (r jobs) ByID(ctx context.Context, id job.ID) (*job.Job, error) {
	found, err := r.one(ctx, `SELECT `+jobColumns+` FROM jobs WHERE id = ? {for update}`, id.String())
	if err == nil && found == nil {
		err = job.ErrNotFound
	}
	return found, err
}

// one returns the job that a statement selects; nil for none.
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

// Save stores a job. It fails with aggregate.ErrConflict if another job was stored with its slot.
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

// Waiting counts the queued jobs of a workspace.
func (r jobs) Waiting(ctx context.Context, org workspace.ID) (int, error) {
	var waiting int
	err := r.tx.Get(ctx, &waiting, `SELECT COUNT(*) FROM jobs WHERE org_id = ? AND status = 'queued'`, org.String())
	if err != nil {
		return 0, fmt.Errorf("count the jobs that wait: %w", err)
	}
	return waiting, nil
}

// lapsed selects the running jobs whose lease has ended, by the clock of the database if it has one
// of its own, or else by its parameter.
const lapsed = `jobs WHERE status = 'running' AND lease_until <= COALESCE({clock}, ?)`

// runnable selects the queued jobs whose workspace has a free slot; its parameter is the number of
// slots of a workspace.
const runnable = `jobs WHERE status = 'queued' AND
	(SELECT COUNT(*) FROM jobs r WHERE r.org_id = jobs.org_id AND r.status = 'running') < ?`

// Next returns a running job whose lease has ended, or else a queued job with a slot assigned; nil
// for none.
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
	return found, r.assignSlot(ctx, found)
}

// assignSlot assigns a free slot of its workspace to a job. Of two replicas that assign the same slot,
// the second fails when it saves its job.
func (r jobs) assignSlot(ctx context.Context, j *job.Job) error {
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
		return fmt.Errorf("assign a slot to a job: %w", err)
	}
	return nil
}

// Lease sets the end of the lease of a job.
func (r jobs) Lease(ctx context.Context, id job.ID, lasts time.Duration, now time.Time) error {
	_, err := r.tx.Exec(ctx, `UPDATE jobs SET lease_until = COALESCE({clock}, ?) + ? * {second} WHERE id = ?`,
		sqlstore.At(now), int64(lasts/time.Second), id.String())
	if err != nil {
		return fmt.Errorf("lease a job: %w", err)
	}
	return nil
}

// AddRows stores rows of a job from a place on, packed and sealed.
func (r jobs) AddRows(ctx context.Context, to job.Place, rows [][]byte) error {
	packs, err := packed(r.tx.Store(), to, rows)
	if err != nil || len(packs) == 0 {
		return err
	}
	if _, err := r.tx.Exec(ctx, `INSERT INTO job_rows (id, job_id, content) SELECT id, ?, content FROM {rows id text, content text}`, to.Job.String(), packs); err != nil {
		return fmt.Errorf("add rows to a job: %w", err)
	}
	return nil
}

package ops

import (
	"context"
	"fmt"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/job"
	"gatehouse.internal/ports/outbound/ops"
)

// JobDirectory returns the directory of jobs.
func JobDirectory(store *sqlstore.Store) ops.JobDirectory { return jobDirectory{store} }

type jobDirectory struct{ store *sqlstore.Store }

// Due reports whether a job is queued, or is running with a lease that has ended.
func (d jobDirectory) Due(ctx context.Context, now time.Time) (bool, error) {
	var due bool
	err := d.store.Reader(ctx).Get(ctx, &due, `SELECT EXISTS (SELECT 1 FROM jobs WHERE status = 'queued') OR EXISTS (SELECT 1 FROM `+lapsed+`)`, sqlstore.At(now))
	if err != nil {
		return false, fmt.Errorf("look for jobs that are due: %w", err)
	}
	return due, nil
}

// Find reads one job.
func (d jobDirectory) Find(ctx context.Context, id job.ID) (job.Snapshot, error) {
	var found jobRow
	err := d.store.Reader(ctx).One(ctx, &found, job.ErrNotFound, `SELECT `+jobColumns+` FROM jobs WHERE id = ?`, id.String())
	if err != nil {
		return job.Snapshot{}, err
	}
	return found.snapshot(d.store)
}

// List returns jobs, newest first.
func (d jobDirectory) List(ctx context.Context, query ops.JobQuery) ([]job.Snapshot, error) {
	f := &sqlstore.Filter{}
	own, maker := "maker = ?", makerKey(query.Maker)
	if query.Maker.Kind.InSession() {
		own = "user_id = ?"
	}
	switch {
	case query.All:
	case query.Org != "":
		f.Where("("+own+" OR org_id = ?)", maker, query.Org.String())
	default:
		f.Where(own, maker)
	}
	f.Unless(query.Kind == "", "kind = ?", string(query.Kind))
	f.Unless(query.Status == "", "status = ?", string(query.Status))
	f.Unless(query.Before == "", "id < ?", query.Before.String())
	var found []jobRow
	err := d.store.Reader(ctx).Search(ctx, &found, `SELECT `+jobColumns+` FROM jobs`+f.String()+sqlstore.Newest(query.Limit), f.Args...)
	if err != nil {
		return nil, fmt.Errorf("list jobs: %w", err)
	}
	return sqlstore.Map(found, func(row *jobRow) (job.Snapshot, error) { return row.snapshot(d.store) })
}

// Counts counts jobs by status.
func (d jobDirectory) Counts(ctx context.Context) (map[job.Status]int, error) {
	var found []struct {
		Status job.Status `db:"status"`
		Count  int        `db:"count"`
	}
	if err := d.store.Reader(ctx).Search(ctx, &found, `SELECT status, COUNT(*) AS count FROM jobs GROUP BY status`); err != nil {
		return nil, fmt.Errorf("count jobs: %w", err)
	}
	counts := map[job.Status]int{}
	for _, one := range found {
		counts[one.Status] = one.Count
	}
	return counts, nil
}

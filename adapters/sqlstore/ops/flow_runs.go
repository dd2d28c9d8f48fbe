package ops

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/ops"
)

// FlowRuns returns the repository that adds runs of flows.
func FlowRuns(tx *sqlstore.Tx) ops.FlowRuns { return flowRuns{tx} }

type flowRuns struct{ tx *sqlstore.Tx }

// Add stores runs.
func (r flowRuns) Add(ctx context.Context, runs ...flow.Run) error {
	return r.tx.AddFlowRuns(ctx, runs)
}

// FlowRunDirectory returns the directory of runs of flows.
func FlowRunDirectory(store *sqlstore.Store) ops.FlowRunDirectory { return flowRunDirectory{store} }

type flowRunDirectory struct{ store *sqlstore.Store }

type flowRunRow struct {
	ID        flow.RunID       `db:"id"`
	FlowID    flow.ID          `db:"flow_id"`
	OrgID     workspace.ID     `db:"org_id"`
	Name      flow.Name        `db:"name"`
	Number    int              `db:"number"`
	Trigger   flow.Trigger     `db:"flow_trigger"`
	User      sql.NullString   `db:"user_id"`
	Decision  flow.Decision    `db:"decision"`
	Took      int64            `db:"took_micros"`
	Content   string           `db:"content"`
	CreatedAt sqlstore.Instant `db:"created_at"`
}

func (d flowRunDirectory) read(ctx context.Context, where string, args ...any) ([]flow.Run, error) {
	var found []flowRunRow
	err := d.store.Reader(ctx).Search(ctx, &found, `SELECT id, flow_id, org_id, name, number, flow_trigger, user_id, decision, took_micros, content, created_at FROM flow_runs`+
		where, args...)
	if err != nil {
		return nil, fmt.Errorf("read runs: %w", err)
	}
	runs := make([]flow.Run, len(found))
	for i, r := range found {
		runs[i] = flow.Run{
			ID: r.ID, FlowID: r.FlowID, OrgID: r.OrgID, Name: r.Name, Version: r.Number, Trigger: r.Trigger, User: user.ID(r.User.String),
			Decision: r.Decision, At: r.CreatedAt.Time, Took: time.Duration(r.Took) * time.Microsecond,
		}
		open := d.store.RowOpener("flow_runs", r.ID.String())
		if err := json.Unmarshal([]byte(open.Value("content", r.Content)), &runs[i].Content); err != nil || open.Err != nil {
			return nil, fmt.Errorf("open the run %s: %w", r.ID, errors.Join(open.Err, err))
		}
	}
	return runs, nil
}

// Find reads one run. It fails with flow.ErrNoRun.
func (d flowRunDirectory) Find(ctx context.Context, orgs []workspace.ID, id flow.RunID) (flow.Run, error) {
	f := ofScopes(orgs)
	f.Where("id = ?", id.String())
	found, err := d.read(ctx, f.String(), f.Args...)
	if err == nil && len(found) == 0 {
		err = flow.ErrNoRun
	}
	if err != nil {
		return flow.Run{}, err
	}
	return found[0], nil
}

// ofScopes returns the condition that a run belongs to one of the workspaces, which are one or two.
func ofScopes(orgs []workspace.ID) *sqlstore.Filter {
	f := &sqlstore.Filter{}
	args := make([]any, len(orgs))
	for i, org := range orgs {
		args[i] = org.String()
	}
	f.Where("org_id IN (?"+strings.Repeat(", ?", len(orgs)-1)+")", args...)
	return f
}

// List reads runs.
func (d flowRunDirectory) List(ctx context.Context, query ops.FlowRunQuery) ([]flow.Run, error) {
	f := ofScopes(query.Orgs)
	f.Unless(query.Name == "", "name = ?", string(query.Name))
	f.Unless(query.Trigger == "", "flow_trigger = ?", string(query.Trigger))
	f.Unless(query.Decision == "", "decision = ?", string(query.Decision))
	f.Unless(query.User == "", "user_id = ?", query.User.String())
	f.Unless(query.From.IsZero(), "created_at >= ?", sqlstore.At(query.From))
	f.Unless(query.To.IsZero(), "created_at < ?", sqlstore.At(query.To))
	f.Unless(query.Before == "", "id < ?", query.Before.String())
	return d.read(ctx, f.String()+sqlstore.Newest(query.Limit), f.Args...)
}

package ops

import (
	"context"
	"fmt"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/ops"
)

// FlowDirectory returns the directory of flows.
func FlowDirectory(store *sqlstore.Store) ops.FlowDirectory { return flowDirectory{store} }

type flowDirectory struct{ store *sqlstore.Store }

// Find reads one flow. It fails with flow.ErrNotFound.
func (d flowDirectory) Find(ctx context.Context, org workspace.ID, name flow.Name) (flow.Snapshot, error) {
	found, _, err := readFlows(ctx, d.store.Reader(ctx), ` WHERE COALESCE(f.org_id, '') = ? AND f.name = ?`, org.String(), string(name))
	if err == nil && len(found) == 0 {
		err = flow.ErrNotFound
	}
	if err != nil {
		return flow.Snapshot{}, err
	}
	return found[0], nil
}

// List reads flows. They are filtered without an index, because a workspace has few.
func (d flowDirectory) List(ctx context.Context, query ops.FlowQuery) ([]flow.Snapshot, error) {
	var all sqlstore.Filter
	all.Where("COALESCE(f.org_id, '') = ?", query.Org.String())
	all.Unless(query.Trigger == "", "f.flow_trigger = ?", string(query.Trigger))
	if query.Enabled != nil {
		all.Where("f.enabled = ?", *query.Enabled)
	}
	all.Unless(query.Before == "", "f.id < ?", query.Before.String())
	found, _, err := readFlows(ctx, d.store.Reader(ctx), all.String()+" ORDER BY f.id DESC LIMIT "+fmt.Sprint(sqlstore.AtMost(query.Limit)), all.Args...)
	return found, err
}

// Version reads one version of a flow. It fails with flow.ErrNoVersion.
func (d flowDirectory) Version(ctx context.Context, of flow.ID, number int) (flow.Version, error) {
	return readVersion(ctx, d.store.Reader(ctx), of, number)
}

// Versions reads the versions of a flow below a number, 0 for all, latest first.
func (d flowDirectory) Versions(ctx context.Context, of flow.ID, below, limit int) ([]flow.Version, error) {
	var found []versionRow
	err := d.store.Reader(ctx).List(ctx, &found, `SELECT number, graph, author, changes, created_at AS written_at FROM flow_versions
		WHERE flow_id = ? AND (? = 0 OR number < ?) ORDER BY number DESC LIMIT ?`, of.String(), below, below, sqlstore.AtMost(limit))
	if err != nil {
		return nil, fmt.Errorf("list the versions of a flow: %w", err)
	}
	return sqlstore.Map(found, (*versionRow).restored)
}

package ops

import (
	"context"
	"fmt"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/workspaces"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/ops"
)

// Flows returns the repository of flows.
func Flows(tx *sqlstore.Tx) ops.Flows { return flows{tx} }

type flows struct{ tx *sqlstore.Tx }

// Hold locks the workspace, or the row of the instance.
func (r flows) Hold(ctx context.Context, org workspace.ID) error {
	if org != "" {
		return workspaces.HoldWorkspace(ctx, r.tx, org)
	}
	var locked int64
	if err := r.tx.Get(ctx, &locked, `SELECT id FROM instance WHERE id = 1 {for update}`); err != nil {
		return fmt.Errorf("lock the flows of the instance: %w", err)
	}
	return nil
}

func (r flows) one(ctx context.Context, where string, args ...any) (*flow.Flow, error) {
	found, versions, err := readFlows(ctx, r.tx.Queries, where, args...)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return flow.Restore(found[0], versions[0]), nil
}

// ByName reads one flow. It fails with flow.ErrNotFound.
func (r flows) ByName(ctx context.Context, org workspace.ID, name flow.Name) (*flow.Flow, error) {
	found, err := r.one(ctx, ` WHERE COALESCE(f.org_id, '') = ? AND f.name = ?`, org.String(), string(name))
	if err == nil && found == nil {
		return nil, flow.ErrNotFound
	}
	return found, err
}

// Enabled reads the enabled flow of a trigger; nil for none.
func (r flows) Enabled(ctx context.Context, org workspace.ID, trigger flow.Trigger) (*flow.Flow, error) {
	return r.one(ctx, ` WHERE COALESCE(f.org_id, '') = ? AND f.flow_trigger = ? AND f.enabled`, org.String(), string(trigger))
}

// Version reads one version of a flow. It fails with flow.ErrNoVersion.
func (r flows) Version(ctx context.Context, of flow.ID, number int) (flow.Version, error) {
	return readVersion(ctx, r.tx.Queries, of, number)
}

// Save stores a flow with its current version. The caller holds the lock of Hold, so that no other
// transaction takes the name after it is checked. It fails with flow.ErrNameTaken or
// flow.ErrTooMany.
func (r flows) Save(ctx context.Context, f *flow.Flow) error {
	s := f.Snapshot()
	if f.Version() == 0 {
		if err := r.checkNew(ctx, s); err != nil {
			return err
		}
	}
	return workspaces.ChangeSignInRules(ctx, r.tx, s.OrgID, func() error { return r.store(ctx, f) })
}

func (r flows) store(ctx context.Context, f *flow.Flow) error {
	s := f.Snapshot()
	if err := r.moveRevision(ctx, s); err != nil {
		return err
	}
	err := r.tx.Save(ctx, "flows", sqlstore.Row{{"id", s.ID.String()}, {"org_id", sqlstore.Optional(s.OrgID.String())}}, sqlstore.Row{
		{"name", string(s.Name)},
		{"description", s.Description},
		{"flow_trigger", string(s.Trigger)},
		{"enabled", s.Enabled},
		{"number", s.Current.Number},
		{"created_at", sqlstore.At(s.CreatedAt)},
		{"updated_at", sqlstore.At(s.UpdatedAt)},
	}, f)
	if err != nil {
		return fmt.Errorf("save a flow: %w", err)
	}
	return r.keep(ctx, s.ID, s.Current)
}

// checkNew fails if the name of a new flow is taken, or there are as many flows as there may be.
func (r flows) checkNew(ctx context.Context, s flow.Snapshot) error {
	var found struct {
		Count int `db:"held"`
		Taken int `db:"taken"`
	}
	err := r.tx.Get(ctx, &found, `SELECT COUNT(*) AS held, COALESCE(SUM(CASE WHEN name = ? THEN 1 ELSE 0 END), 0) AS taken
		FROM flows WHERE COALESCE(org_id, '') = ?`, string(s.Name), s.OrgID.String())
	switch {
	case err != nil:
		return fmt.Errorf("count flows: %w", err)
	case found.Taken > 0:
		return flow.ErrNameTaken
	case found.Count >= flow.MaxFlows:
		return flow.ErrTooMany
	}
	return nil
}

// moveRevision increments the revision if the flow is enabled, or was until now, so that every
// replica loads the flows again.
func (r flows) moveRevision(ctx context.Context, s flow.Snapshot) error {
	var before []bool
	if err := r.tx.List(ctx, &before, `SELECT enabled FROM flows WHERE id = ?`, s.ID.String()); err != nil {
		return fmt.Errorf("look whether a flow is enabled: %w", err)
	}
	if !s.Enabled && (len(before) == 0 || !before[0]) {
		return nil
	}
	column := "workspace_flows_at"
	if s.OrgID == "" {
		column = "flows_at"
	}
	if _, err := r.tx.Exec(ctx, `UPDATE instance SET revision = revision + 1, `+column+` = revision + 1 WHERE id = 1`); err != nil {
		return fmt.Errorf("move the revision of flows: %w", err)
	}
	return nil
}

// keep stores a version unless it is stored already, and deletes those before the last
// flow.KeptVersions.
func (r flows) keep(ctx context.Context, of flow.ID, v flow.Version) error {
	graph, err := v.Graph.Encode()
	if err != nil {
		return err
	}
	changes, err := sqlstore.EncodeList(v.Changes)
	if err != nil {
		return fmt.Errorf("encode the changes of a flow: %w", err)
	}
	_, err = r.tx.Exec(ctx, `INSERT INTO flow_versions (flow_id, number, graph, author, changes, created_at) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		of.String(), v.Number, string(graph), v.Author, changes, sqlstore.At(v.CreatedAt))
	if err != nil {
		return fmt.Errorf("store a version of a flow: %w", err)
	}
	if _, err = r.tx.Exec(ctx, `DELETE FROM flow_versions WHERE flow_id = ? AND number <= ?`, of.String(), v.Number-flow.KeptVersions); err != nil {
		return fmt.Errorf("forget old versions of a flow: %w", err)
	}
	return nil
}

// Delete removes a flow with its versions.
func (r flows) Delete(ctx context.Context, f *flow.Flow) error {
	s := f.Snapshot()
	return workspaces.ChangeSignInRules(ctx, r.tx, s.OrgID, func() error {
		if err := r.moveRevision(ctx, s); err != nil {
			return err
		}
		return r.tx.Delete(ctx, "flows", sqlstore.Row{{"id", s.ID.String()}}, f)
	})
}

package ops

import (
	"context"
	"database/sql"
	"fmt"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/workspace"
)

// flowQuery selects flows with their current versions.
const flowQuery = `SELECT f.id, f.org_id, f.name, f.description, f.flow_trigger, f.enabled, f.created_at, f.updated_at, f.version,
	v.number, v.graph, v.author, v.changes, v.created_at AS written_at
FROM flows f JOIN flow_versions v ON v.flow_id = f.id AND v.number = f.number`

type flowRow struct {
	ID          flow.ID          `db:"id"`
	OrgID       sql.NullString   `db:"org_id"`
	Name        flow.Name        `db:"name"`
	Description string           `db:"description"`
	Trigger     flow.Trigger     `db:"flow_trigger"`
	Enabled     bool             `db:"enabled"`
	CreatedAt   sqlstore.Instant `db:"created_at"`
	UpdatedAt   sqlstore.Instant `db:"updated_at"`
	Version     int64            `db:"version"`

	versionRow
}

type versionRow struct {
	Number    int              `db:"number"`
	Graph     string           `db:"graph"`
	Author    string           `db:"author"`
	Changes   string           `db:"changes"`
	WrittenAt sqlstore.Instant `db:"written_at"`
}

func (r *versionRow) restored() (flow.Version, error) {
	graph, err := flow.DecodeGraph([]byte(r.Graph))
	if err != nil {
		return flow.Version{}, err
	}
	changes, err := sqlstore.DecodeList[string](r.Changes)
	if err != nil {
		return flow.Version{}, fmt.Errorf("decode the changes of a flow: %w", err)
	}
	return flow.Version{Number: r.Number, Graph: graph, Author: r.Author, Changes: changes, CreatedAt: r.WrittenAt.Time}, nil
}

func (r *flowRow) snapshot() (flow.Snapshot, error) {
	current, err := r.restored()
	return flow.Snapshot{
		ID: r.ID, OrgID: workspace.ID(r.OrgID.String), Name: r.Name, Description: r.Description, Trigger: r.Trigger,
		Enabled: r.Enabled, Current: current, CreatedAt: r.CreatedAt.Time, UpdatedAt: r.UpdatedAt.Time,
	}, err
}

// readFlows reads the flows that a clause selects, with the versions of their rows.
func readFlows(ctx context.Context, q *sqlstore.Queries, where string, args ...any) ([]flow.Snapshot, []int64, error) {
	var found []flowRow
	if err := q.List(ctx, &found, flowQuery+where, args...); err != nil {
		return nil, nil, fmt.Errorf("read flows: %w", err)
	}
	flows, versions := make([]flow.Snapshot, len(found)), make([]int64, len(found))
	for i := range found {
		one, err := found[i].snapshot()
		if err != nil {
			return nil, nil, err
		}
		flows[i], versions[i] = one, found[i].Version
	}
	return flows, versions, nil
}

// readVersion reads one version of a flow. It fails with flow.ErrNoVersion.
func readVersion(ctx context.Context, q *sqlstore.Queries, of flow.ID, number int) (flow.Version, error) {
	var found versionRow
	err := q.One(ctx, &found, flow.ErrNoVersion, `SELECT number, graph, author, changes, created_at AS written_at FROM flow_versions WHERE flow_id = ? AND number = ?`,
		of.String(), number)
	if err != nil {
		return flow.Version{}, err
	}
	return found.restored()
}

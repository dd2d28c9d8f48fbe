package workspaces

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/workspaces"
)

// WorkspaceDirectory returns the directory of workspaces.
func WorkspaceDirectory(store *sqlstore.Store) workspaces.WorkspaceDirectory {
	return workspaceDirectory{store}
}

type workspaceDirectory struct{ store *sqlstore.Store }

// Find returns one workspace.
func (d workspaceDirectory) Find(ctx context.Context, id workspace.ID) (workspace.Snapshot, error) {
	found, err := oneWorkspace(ctx, d.store.Reader(ctx), id)
	if err != nil {
		return workspace.Snapshot{}, err
	}
	return found.Snapshot(d.store)
}

// oneWorkspace reads one workspace. It fails with workspace.ErrNotFound.
func oneWorkspace(ctx context.Context, q *sqlstore.Queries, id workspace.ID) (*WorkspaceRow, error) {
	var found WorkspaceRow
	err := q.One(ctx, &found, workspace.ErrNotFound, `SELECT `+WorkspaceColumns+` FROM workspaces WHERE id = ? AND deleted_at IS NULL`, id.String())
	if err != nil {
		return nil, err
	}
	return &found, nil
}

// List reads a page of workspaces; those of a user are found by the index of memberships.
func (d workspaceDirectory) List(ctx context.Context, query workspaces.WorkspaceQuery) ([]workspace.Snapshot, error) {
	from, order, f := "workspaces w", "w.id", &sqlstore.Filter{}
	if query.Member != "" {
		from, order = "members m JOIN workspaces w ON w.id = m.org_id", "m.org_id"
		f.Where("m.user_id = ?", query.Member.String())
	}
	f.Where("w.deleted_at IS NULL")
	f.Unless(query.Before == "", order+" < ?", query.Before.String())
	if query.Text != "" {
		begin := strings.ToLower(sqlstore.Printable(query.Text))
		end := begin + string(utf8.MaxRune)
		f.Where("((w.name_folded >= ? AND w.name_folded < ?) OR (w.slug >= ? AND w.slug < ?))", begin, end, begin, end)
	}
	var found []WorkspaceRow
	err := d.store.Reader(ctx).Search(ctx, &found, "SELECT "+sqlstore.Qualified("w", WorkspaceColumns)+" FROM "+from+f.String()+
		" ORDER BY "+order+" DESC LIMIT ?", append(f.Args, sqlstore.AtMost(query.Limit))...)
	if err != nil {
		return nil, fmt.Errorf("list workspaces: %w", err)
	}
	return sqlstore.Map(found, func(row *WorkspaceRow) (workspace.Snapshot, error) { return row.Snapshot(d.store) })
}

// Members counts the members of a workspace.
func (d workspaceDirectory) Members(ctx context.Context, id workspace.ID) (count int, err error) {
	if err := d.store.Reader(ctx).Get(ctx, &count, `SELECT COUNT(*) FROM members WHERE org_id = ?`, id.String()); err != nil {
		return 0, fmt.Errorf("count the members of a workspace: %w", err)
	}
	return count, nil
}

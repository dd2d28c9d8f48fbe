package workspaces

import (
	"context"
	"fmt"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/group"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/workspaces"
)

// Books returns the repository that reads the roles of a workspace under a lock, for granting,
// revoking or changing them.
func Books(tx *sqlstore.Tx) workspaces.Books { return books{tx} }

type books struct{ tx *sqlstore.Tx }

// Hold reads the roles of a workspace under a lock of its row. It fails with
// workspace.ErrNotFound.
func (r books) Hold(ctx context.Context, org workspace.ID) (*role.Book, error) {
	if org == "" {
		return nil, workspace.ErrNotFound
	}
	if err := HoldWorkspace(ctx, r.tx, org); err != nil {
		return nil, err
	}
	return readBook(ctx, r.tx.Queries, org)
}

// Holding reads the roles and groups of a member.
func (r books) Holding(ctx context.Context, org workspace.ID, person user.ID) (workspaces.Member, error) {
	return oneMember(ctx, r.tx.Queries, org, person)
}

// The kinds of rows that the statement of readBook returns.
const (
	aboutWorkspace = iota
	aboutRole
	aboutGroup
	aboutPermission
)

type bookRow struct {
	About       int    `db:"about"`
	ID          string `db:"id"`
	Name        string `db:"name"`
	Description string `db:"description"`
	Grants      string `db:"grants"`
	Inherits    string `db:"inherits"`
	Rights      int64  `db:"rights"`
}

// readBook reads the roles, groups and own permissions of a workspace by one statement, so that
// they are consistent. It fails with workspace.ErrNotFound.
func readBook(ctx context.Context, q *sqlstore.Queries, org workspace.ID) (*role.Book, error) {
	var found []bookRow
	id := org.String()
	err := q.List(ctx, &found, `
		SELECT 0 AS about, '' AS id, '' AS name, '' AS description, '' AS grants, '' AS inherits, rights FROM workspaces WHERE id = ? AND deleted_at IS NULL
		UNION ALL SELECT 1, id, name, description, permissions, inherits, CAST(0 AS BIGINT) FROM roles WHERE org_id = ?
		UNION ALL SELECT 2, id, name, '', roles, '', CAST(0 AS BIGINT) FROM member_groups WHERE org_id = ?
		UNION ALL SELECT 3, '', name, '', '', '', CAST(0 AS BIGINT) FROM own_permissions WHERE org_id = ?`, id, id, id, id)
	if err != nil {
		return nil, fmt.Errorf("read the roles of a workspace: %w", err)
	}
	content, exists := role.Content{Groups: map[group.ID]role.Group{}}, false
	for _, row := range found {
		exists = exists || row.About == aboutWorkspace
		if err := row.into(&content); err != nil {
			return nil, fmt.Errorf("decode the roles of a workspace: %w", err)
		}
	}
	if !exists {
		return nil, workspace.ErrNotFound
	}
	return role.NewBook(content), nil
}

func (r bookRow) into(content *role.Content) error {
	grants, err := sqlstore.DecodeList[string](r.Grants)
	if err != nil {
		return err
	}
	inherits, err := sqlstore.DecodeList[string](r.Inherits)
	if err != nil {
		return err
	}
	switch r.About {
	case aboutWorkspace:
		content.Version = r.Rights
	case aboutRole:
		content.Roles = append(content.Roles, role.Snapshot{
			ID: role.ID(r.ID), Name: workspace.Label(r.Name), Description: r.Description, Permissions: grants, Inherits: inherits,
		})
	case aboutGroup:
		content.Groups[group.ID(r.ID)] = role.Group{Name: r.Name, Roles: grants}
	case aboutPermission:
		content.Own = append(content.Own, r.Name)
	}
	return nil
}

// incrementRights increments the version of what a workspace grants. All replicas compare it with
// the next request, and read the roles again.
func incrementRights(ctx context.Context, tx *sqlstore.Tx, org workspace.ID) error {
	if _, err := tx.Exec(ctx, `UPDATE workspaces SET rights = rights + 1 WHERE id = ?`, org.String()); err != nil {
		return fmt.Errorf("count a change of what a workspace grants: %w", err)
	}
	return nil
}

package workspaces

import (
	"context"
	"errors"
	"fmt"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/workspaces"
)

// OwnPermissions returns the repository of the permissions that workspaces define.
func OwnPermissions(tx *sqlstore.Tx) workspaces.OwnPermissions { return ownPermissions{tx} }

type ownPermissions struct{ tx *sqlstore.Tx }

// ByName reads one permission.
func (r ownPermissions) ByName(ctx context.Context, org workspace.ID, name role.OwnName) (*role.Own, error) {
	var found struct {
		Description string           `db:"description"`
		CreatedAt   sqlstore.Instant `db:"created_at"`
		Version     int64            `db:"version"`
	}
	err := r.tx.One(ctx, &found, role.ErrNoPermission, `SELECT description, created_at, version FROM own_permissions WHERE org_id = ? AND name = ?`,
		org.String(), string(name))
	if err != nil {
		return nil, err
	}
	return role.RestoreOwn(role.OwnSnapshot{
		OrgID: org, Name: name, Description: found.Description, CreatedAt: found.CreatedAt.Time,
	}, found.Version), nil
}

// Save stores a permission.
func (r ownPermissions) Save(ctx context.Context, o *role.Own) error {
	s := o.Snapshot()
	if err := incrementRights(ctx, r.tx, s.OrgID); err != nil {
		return err
	}
	fresh := o.Version() == 0
	err := r.tx.Save(ctx, "own_permissions", sqlstore.Row{{"org_id", s.OrgID.String()}, {"name", string(s.Name)}}, sqlstore.Row{
		{"description", s.Description},
		{"created_at", sqlstore.At(s.CreatedAt)},
	}, o)
	if errors.Is(err, aggregate.ErrConflict) && fresh {
		return role.ErrPermissionTaken
	}
	if err != nil {
		return fmt.Errorf("save an own permission: %w", err)
	}
	return nil
}

// Delete removes a permission.
func (r ownPermissions) Delete(ctx context.Context, o *role.Own) error {
	s := o.Snapshot()
	n, err := r.tx.Exec(ctx, `DELETE FROM own_permissions WHERE org_id = ? AND name = ?`, s.OrgID.String(), string(s.Name))
	if err != nil {
		return fmt.Errorf("delete an own permission: %w", err)
	}
	if n == 0 {
		return aggregate.ErrConflict
	}
	if err := incrementRights(ctx, r.tx, s.OrgID); err != nil {
		return err
	}
	return r.tx.RecordOf(ctx, o)
}

// PermissionDirectory returns the directory of the permissions that workspaces define.
func PermissionDirectory(store *sqlstore.Store) workspaces.PermissionDirectory {
	return permissionDirectory{store}
}

type permissionDirectory struct{ store *sqlstore.Store }

// List returns the permissions that a workspace defines, sorted by name.
func (d permissionDirectory) List(ctx context.Context, org workspace.ID) ([]access.Permission, error) {
	var found []access.Permission
	err := d.store.Reader(ctx).List(ctx, &found, `SELECT name, description FROM own_permissions WHERE org_id = ? ORDER BY name`, org.String())
	if err != nil {
		return nil, fmt.Errorf("list own permissions: %w", err)
	}
	return found, nil
}

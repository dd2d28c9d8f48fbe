package workspaces

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/workspaces"
)

// Roles returns the repository of custom roles.
func Roles(tx *sqlstore.Tx) workspaces.Roles { return roles{tx} }

type roles struct{ tx *sqlstore.Tx }

type roleRow struct {
	ID          role.ID          `db:"id"`
	OrgID       workspace.ID     `db:"org_id"`
	Name        workspace.Label  `db:"name"`
	Description string           `db:"description"`
	Permissions string           `db:"permissions"`
	Inherits    string           `db:"inherits"`
	CreatedAt   sqlstore.Instant `db:"created_at"`
	UpdatedAt   sqlstore.Instant `db:"updated_at"`
	Version     int64            `db:"version"`
}

func (r *roleRow) definition() (*role.Definition, error) {
	s := role.Snapshot{
		ID: r.ID, OrgID: r.OrgID, Name: r.Name, Description: r.Description, CreatedAt: r.CreatedAt.Time, UpdatedAt: r.UpdatedAt.Time,
	}
	var err error
	if s.Permissions, err = sqlstore.DecodeList[string](r.Permissions); err != nil {
		return nil, fmt.Errorf("decode the permissions of a role: %w", err)
	}
	if s.Inherits, err = sqlstore.DecodeList[string](r.Inherits); err != nil {
		return nil, fmt.Errorf("decode what a role inherits: %w", err)
	}
	return role.Restore(s, r.Version), nil
}

// read reads the roles that a WHERE clause selects.
func (r roles) read(ctx context.Context, clause string, args ...any) ([]*role.Definition, error) {
	var found []roleRow
	err := r.tx.List(ctx, &found, `
		SELECT id, org_id, name, description, permissions, inherits, created_at, updated_at, version FROM roles WHERE `+clause, args...)
	if err != nil {
		return nil, fmt.Errorf("read custom roles: %w", err)
	}
	return sqlstore.Map(found, (*roleRow).definition)
}

// ByID reads one role.
func (r roles) ByID(ctx context.Context, org workspace.ID, id role.ID) (*role.Definition, error) {
	found, err := r.read(ctx, `id = ? AND org_id = ?`, id.String(), org.String())
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, role.ErrNotFound
	}
	return found[0], nil
}

// Save stores a role. It fails with role.ErrNameTaken, which happens only if the caller did not
// check the name under the lock of Books.Hold.
func (r roles) Save(ctx context.Context, d *role.Definition) error {
	s := d.Snapshot()
	var encoder sqlstore.ListEncoder
	permissions, inherits := sqlstore.EncodeInto(&encoder, s.Permissions), sqlstore.EncodeInto(&encoder, s.Inherits)
	if encoder.Err != nil {
		return fmt.Errorf("encode a role: %w", encoder.Err)
	}
	if err := incrementRights(ctx, r.tx, s.OrgID); err != nil {
		return err
	}
	fresh := d.Version() == 0
	err := r.tx.Save(ctx, "roles", sqlstore.Row{{"id", s.ID.String()}, {"org_id", s.OrgID.String()}}, sqlstore.Row{
		{"name", string(s.Name)},
		{"name_folded", s.Name.Folded()},
		{"description", s.Description},
		{"permissions", permissions},
		{"inherits", inherits},
		{"created_at", sqlstore.At(s.CreatedAt)},
		{"updated_at", sqlstore.At(s.UpdatedAt)},
	}, d)
	switch {
	case errors.Is(err, aggregate.ErrConflict) && fresh:
		return role.ErrNameTaken
	case err != nil:
		return fmt.Errorf("save a role: %w", err)
	}
	return nil
}

// Delete removes a role.
func (r roles) Delete(ctx context.Context, d *role.Definition) error {
	s := d.Snapshot()
	if err := r.tx.Delete(ctx, "roles", sqlstore.Row{{"id", s.ID.String()}}, d); err != nil {
		return err
	}
	return incrementRights(ctx, r.tx, s.OrgID)
}

// usedBatch is how many members Used reads by one statement.
const usedBatch = 500

// Used reports whether anything names a role. Each column that can is listed here, and in
// replaceGranted or replaceNamed. Members are read in batches, because many may have a grant of it
// that has ended.
func (r roles) Used(ctx context.Context, org workspace.ID, key string, now time.Time) (bool, error) {
	var named bool
	quoted := sqlstore.Quoted(key)
	err := r.tx.Get(ctx, &named, `SELECT EXISTS (SELECT 1 FROM workspaces WHERE id = ? AND default_role = ?)
		OR EXISTS (SELECT 1 FROM member_groups WHERE org_id = ? AND {position}(roles, ?) > 0)
		OR EXISTS (SELECT 1 FROM roles WHERE org_id = ? AND {position}(inherits, ?) > 0)
		OR EXISTS (SELECT 1 FROM mail_domains WHERE org_id = ? AND role = ?)
		OR EXISTS (SELECT 1 FROM invitations WHERE org_id = ? AND role = ? AND ended = '' AND expires_at > ?)`,
		org.String(), key, org.String(), quoted, org.String(), quoted, org.String(), key, org.String(), key, sqlstore.At(now))
	if err != nil {
		return false, fmt.Errorf("look for what names a role: %w", err)
	}
	for after, more := "", !named; more; {
		var held []memberGrants
		err := r.tx.List(ctx, &held, `
			SELECT m.user_id, m.grants FROM member_roles r JOIN members m ON m.org_id = r.org_id AND m.user_id = r.user_id
			WHERE r.org_id = ? AND r.role = ? AND r.user_id > ? ORDER BY r.user_id LIMIT ?`, org.String(), key, after, usedBatch)
		if err != nil {
			return false, fmt.Errorf("look for who holds a role: %w", err)
		}
		for _, one := range held {
			grants, err := sqlstore.GrantsOf(one.Grants)
			if err != nil {
				return false, err
			}
			if slices.Contains(workspace.LiveRoles(grants, now), key) {
				return true, nil
			}
			after = one.UserID
		}
		more = len(held) == usedBatch
	}
	return named, nil
}

type memberGrants struct {
	UserID string `db:"user_id"`
	Grants string `db:"grants"`
}

// Withdraw removes a permission from the roles that have it, and returns how many did.
func (r roles) Withdraw(ctx context.Context, org workspace.ID, permission string) (int, error) {
	carrying, err := r.read(ctx, `org_id = ? AND {position}(permissions, ?) > 0 ORDER BY id`, org.String(), sqlstore.Quoted(permission))
	if err != nil {
		return 0, err
	}
	for _, d := range carrying {
		s := d.Snapshot()
		kept, err := sqlstore.EncodeList(slices.DeleteFunc(slices.Clone(s.Permissions), func(p string) bool { return p == permission }))
		if err != nil {
			return 0, fmt.Errorf("encode the permissions of a role: %w", err)
		}
		if _, err := r.tx.Exec(ctx, `UPDATE roles SET permissions = ?, version = version + 1 WHERE id = ?`, kept, s.ID.String()); err != nil {
			return 0, fmt.Errorf("take a permission from a role: %w", err)
		}
	}
	return len(carrying), incrementRights(ctx, r.tx, org)
}

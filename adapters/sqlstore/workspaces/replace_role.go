package workspaces

import (
	"context"
	"fmt"
	"slices"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// Replace replaces a role by another wherever it is granted or named, and returns how many members
// held it. Members that hold only one of the two are changed by one statement.
func (r roles) Replace(ctx context.Context, org workspace.ID, from, to string) (int, error) {
	held, err := r.tx.Exec(ctx, `
		UPDATE members SET grants = REPLACE(grants, ?, ?), version = version + 1
		WHERE org_id = ? AND user_id IN (SELECT user_id FROM member_roles WHERE org_id = ? AND role = ?)
			AND user_id NOT IN (SELECT user_id FROM member_roles WHERE org_id = ? AND role = ?)`,
		sqlstore.Quoted(from), sqlstore.Quoted(to), org.String(), org.String(), from, org.String(), to)
	if err != nil {
		return 0, fmt.Errorf("replace a role of members: %w", err)
	}
	both, err := r.mergeBoth(ctx, org, from, to)
	if err != nil {
		return 0, err
	}
	_, err = r.tx.Exec(ctx, `
		INSERT INTO member_roles (org_id, role, user_id)
		SELECT org_id, ?, user_id FROM member_roles WHERE org_id = ? AND role = ? ON CONFLICT DO NOTHING`, to, org.String(), from)
	if err != nil {
		return 0, fmt.Errorf("note who holds a role: %w", err)
	}
	if _, err := r.tx.Exec(ctx, `DELETE FROM member_roles WHERE org_id = ? AND role = ?`, org.String(), from); err != nil {
		return 0, fmt.Errorf("note that nobody holds a role: %w", err)
	}
	if err := r.replaceGranted(ctx, org, from, to); err != nil {
		return 0, err
	}
	return int(held) + both, incrementRights(ctx, r.tx, org)
}

// mergeBoth replaces the role of the members who hold both.
func (r roles) mergeBoth(ctx context.Context, org workspace.ID, from, to string) (int, error) {
	var both []string
	err := r.tx.List(ctx, &both, `
		SELECT f.user_id FROM member_roles f JOIN member_roles t ON t.org_id = f.org_id AND t.user_id = f.user_id AND t.role = ?
		WHERE f.org_id = ? AND f.role = ? ORDER BY f.user_id`, to, org.String(), from)
	if err != nil {
		return 0, fmt.Errorf("list who holds both roles: %w", err)
	}
	for _, id := range both {
		m, err := repository(r).Member(ctx, org, user.ID(id))
		if err != nil {
			return 0, err
		}
		m.Replace(from, to)
		if err := repository(r).SaveMember(ctx, m); err != nil {
			return 0, err
		}
	}
	return len(both), nil
}

// replaceGranted replaces the role in groups and in roles that inherit it, each of which names it
// once, then calls replaceNamed.
func (r roles) replaceGranted(ctx context.Context, org workspace.ID, from, to string) error {
	for table, column := range map[string]string{"member_groups": "roles", "roles": "inherits"} {
		var naming []struct {
			ID   string `db:"id"`
			Keys string `db:"keys"`
		}
		err := r.tx.List(ctx, &naming, `SELECT id, `+column+` AS keys FROM `+table+` WHERE org_id = ? AND {position}(`+column+`, ?) > 0`,
			org.String(), sqlstore.Quoted(from))
		if err != nil {
			return fmt.Errorf("list what grants a role: %w", err)
		}
		for _, one := range naming {
			keys, err := sqlstore.DecodeList[string](one.Keys)
			if err != nil {
				return fmt.Errorf("decode what grants a role: %w", err)
			}
			keys[slices.Index(keys, from)] = to
			slices.Sort(keys)
			encoded, err := sqlstore.EncodeList(slices.Compact(keys))
			if err != nil {
				return fmt.Errorf("encode what grants a role: %w", err)
			}
			if _, err := r.tx.Exec(ctx, `UPDATE `+table+` SET `+column+` = ?, version = version + 1 WHERE id = ?`, encoded, one.ID); err != nil {
				return fmt.Errorf("replace a granted role: %w", err)
			}
		}
	}
	return r.replaceNamed(ctx, org, from, to)
}

// replaceNamed replaces the role in columns that hold a single role. Each of them is listed here and
// in Used.
func (r roles) replaceNamed(ctx context.Context, org workspace.ID, from, to string) error {
	for _, place := range []struct{ table, column, of string }{
		{"workspaces", "default_role", "id = ?"},
		{"invitations", "role", "ended = '' AND org_id = ?"},
		{"mail_domains", "role", "org_id = ?"},
	} {
		statement := `UPDATE ` + place.table + ` SET ` + place.column + ` = ?, version = version + 1 WHERE ` + place.of + ` AND ` + place.column + ` = ?`
		if _, err := r.tx.Exec(ctx, statement, to, org.String(), from); err != nil {
			return fmt.Errorf("replace a role in %s: %w", place.table, err)
		}
	}
	return nil
}

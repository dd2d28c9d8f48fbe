package workspaces

import (
	"context"
	"fmt"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/workspaces"
)

// CreationLimits returns the repository that is consulted before a workspace is created.
func CreationLimits(tx *sqlstore.Tx) workspaces.CreationLimits { return foundations{tx} }

type foundations struct{ tx *sqlstore.Tx }

// SlugTaken reports whether a workspace has the slug or it is reserved.
func (r foundations) SlugTaken(ctx context.Context, slug workspace.Slug) (bool, error) {
	return slugTaken(ctx, r.tx, slug, "")
}

// slugTaken reports whether a slug belongs to, or is reserved for, another workspace than one.
func slugTaken(ctx context.Context, tx *sqlstore.Tx, slug workspace.Slug, but workspace.ID) (taken bool, err error) {
	err = tx.Get(ctx, &taken, `SELECT EXISTS (SELECT 1 FROM workspaces WHERE slug = ? AND id <> ?)
		OR EXISTS (SELECT 1 FROM reserved_slugs WHERE slug = ? AND org_id <> ? AND until > ?)`,
		string(slug), but.String(), string(slug), but.String(), sqlstore.At(tx.Store().Clock().Now()))
	if err != nil {
		return false, fmt.Errorf("look whether a slug is taken: %w", err)
	}
	return taken, nil
}

// Owned counts the workspaces that a user owns without an end, but for the personal one, under a
// lock of the account's row.
func (r foundations) Owned(ctx context.Context, person user.ID) (int, error) {
	var locked []user.ID
	if err := r.tx.List(ctx, &locked, `SELECT id FROM users WHERE id = ? {for update}`, person.String()); err != nil {
		return 0, fmt.Errorf("lock an account: %w", err)
	}
	var held []string
	err := r.tx.List(ctx, &held, `
		SELECT m.grants FROM members m JOIN workspaces w ON w.id = m.org_id
		WHERE m.user_id = ? AND {position}(m.grants, '"owner"') > 0 AND w.personal_of IS NULL AND w.deleted_at IS NULL`, person.String())
	if err != nil {
		return 0, fmt.Errorf("list the workspaces that somebody owns: %w", err)
	}
	return owners(held)
}

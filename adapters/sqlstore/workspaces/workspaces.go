package workspaces

import (
	"context"
	"fmt"
	"slices"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/live"
	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/workspaces"
)

// Workspaces returns the repository of workspaces and memberships.
func Workspaces(tx *sqlstore.Tx) workspaces.Workspaces { return repository{tx} }

type repository struct{ tx *sqlstore.Tx }

// ByID reads one workspace.
func (r repository) ByID(ctx context.Context, id workspace.ID) (*workspace.Workspace, error) {
	found, err := oneWorkspace(ctx, r.tx.Queries, id)
	if err != nil {
		return nil, err
	}
	snapshot, err := found.Snapshot(r.tx.Store())
	if err != nil {
		return nil, err
	}
	return workspace.Restore(snapshot, found.Version), nil
}

// Save stores a workspace, and reserves its previous slug. It checks last whether the new slug is
// reserved: a transaction that reserves it has committed by then, as otherwise the slug could not
// have been written. It fails with workspace.ErrSlugTaken or aggregate.ErrConflict.
func (r repository) Save(ctx context.Context, w *workspace.Workspace) error {
	snapshot := w.Snapshot()
	state, err := workspaceState(r.tx.Store(), snapshot)
	if err != nil {
		return err
	}
	var n int64
	if w.Version() == 0 {
		n, err = r.write(ctx, w, state)
	} else {
		err = ChangeSignInRules(ctx, r.tx, snapshot.ID, func() error {
			if err := r.reserve(ctx, snapshot); err != nil {
				return err
			}
			n, err = r.write(ctx, w, state)
			return err
		})
	}
	if err != nil {
		return fmt.Errorf("save a workspace: %w", err)
	}
	taken, err := slugTaken(ctx, r.tx, snapshot.Slug, snapshot.ID)
	switch {
	case err != nil:
		return err
	case taken:
		return workspace.ErrSlugTaken
	case n == 0:
		return aggregate.ErrConflict
	}
	return r.tx.RecordOf(ctx, w)
}

// reserve reserves the stored slug of a workspace if it differs from that of the snapshot.
func (r repository) reserve(ctx context.Context, s workspace.Snapshot) error {
	until := sqlstore.At(r.tx.Store().Clock().Now().Add(workspace.SlugReserved))
	_, err := r.tx.Exec(ctx, `INSERT INTO reserved_slugs (slug, org_id, until)
		SELECT slug, id, ? FROM workspaces WHERE id = ? AND slug <> ?
		ON CONFLICT (slug) DO UPDATE SET org_id = excluded.org_id, until = excluded.until`, until, s.ID.String(), string(s.Slug))
	if err != nil {
		return fmt.Errorf("reserve a slug: %w", err)
	}
	return nil
}

// write stores the row, and returns the number of rows that it wrote: 0 if the slug is taken, which
// leaves the transaction usable.
func (r repository) write(ctx context.Context, w *workspace.Workspace, state sqlstore.Row) (n int64, err error) {
	key := sqlstore.Row{{"id", w.ID().String()}}
	if w.Version() == 0 {
		return r.tx.Write(ctx, "workspaces", key, state, 0)
	}
	err = r.tx.Savepoint(ctx, func(inner *sqlstore.Tx) error {
		n, err = inner.Write(ctx, "workspaces", key, state, w.Version())
		return err
	})
	if r.tx.Store().Dialect().Failure(err) == sqlstore.Duplicate {
		return 0, nil
	}
	return n, err
}

// MemberColumns are the columns of a MemberRow.
const MemberColumns = `grants, joined_at, version`

// MemberRow is a membership as it is stored.
type MemberRow struct {
	Grants   string           `db:"grants"`
	JoinedAt sqlstore.Instant `db:"joined_at"`
	Version  int64            `db:"version"`
}

// Member reads one membership.
func (r repository) Member(ctx context.Context, org workspace.ID, person user.ID) (*workspace.Member, error) {
	var found MemberRow
	err := r.tx.One(ctx, &found, workspace.ErrNotMember, `SELECT `+MemberColumns+` FROM members
		WHERE org_id = ? AND user_id = ? AND EXISTS (SELECT 1 FROM workspaces WHERE id = members.org_id AND deleted_at IS NULL)`,
		org.String(), person.String())
	if err != nil {
		return nil, err
	}
	return RestoreMember(org, person, found)
}

// RestoreMember decodes a stored membership.
func RestoreMember(org workspace.ID, person user.ID, found MemberRow) (*workspace.Member, error) {
	grants, err := sqlstore.GrantsOf(found.Grants)
	if err != nil {
		return nil, err
	}
	return workspace.RestoreMember(workspace.MemberSnapshot{
		OrgID: org, UserID: person, Grants: grants, JoinedAt: found.JoinedAt.Time,
	}, found.Version), nil
}

// SaveMember stores a membership, and its roles in member_roles.
func (r repository) SaveMember(ctx context.Context, m *workspace.Member) error {
	snapshot := m.Snapshot()
	grants, err := sqlstore.EncodeList(snapshot.Grants)
	if err != nil {
		return fmt.Errorf("encode the roles of a member: %w", err)
	}
	fresh := m.Version() == 0
	key := sqlstore.Row{{"org_id", snapshot.OrgID.String()}, {"user_id", snapshot.UserID.String()}}
	err = r.tx.Save(ctx, "members", key, sqlstore.Row{{"grants", grants}, {"joined_at", sqlstore.At(snapshot.JoinedAt)}}, m)
	if err != nil {
		return fmt.Errorf("save a membership: %w", err)
	}
	return r.listRoles(ctx, snapshot, fresh)
}

// listRoles stores the roles of a membership in member_roles.
func (r repository) listRoles(ctx context.Context, m workspace.MemberSnapshot, fresh bool) error {
	named := make(sqlstore.Rows, len(m.Grants))
	for i, g := range m.Grants {
		named[i] = []any{m.OrgID.String(), g.Role, m.UserID.String()}
	}
	if !fresh {
		if _, err := r.tx.Exec(ctx, `DELETE FROM member_roles WHERE org_id = ? AND user_id = ?`, m.OrgID.String(), m.UserID.String()); err != nil {
			return fmt.Errorf("forget the roles of a membership: %w", err)
		}
	}
	if len(named) == 0 {
		return nil
	}
	_, err := r.tx.Exec(ctx, `
		INSERT INTO member_roles (org_id, role, user_id) SELECT r.org_id, r.role, r.user_id FROM {rows org_id text, role text, user_id text} WHERE TRUE
		ON CONFLICT DO NOTHING`, named)
	if err != nil {
		return fmt.Errorf("note the roles of a membership: %w", err)
	}
	return nil
}

// OtherOwners counts the usable accounts that own a workspace without an end, besides one, under a
// lock of the workspace's row. An index on the same expression finds the memberships that name the
// role, so that only those are decoded.
func (r repository) OtherOwners(ctx context.Context, org workspace.ID, except user.ID) (int, error) {
	var locked []workspace.ID
	if err := r.tx.List(ctx, &locked, `SELECT id FROM workspaces WHERE id = ? {for update}`, org.String()); err != nil {
		return 0, fmt.Errorf("lock a workspace: %w", err)
	}
	var held []string
	err := r.tx.List(ctx, &held, `
		SELECT m.grants FROM members m JOIN users u ON u.id = m.user_id
		WHERE m.org_id = ? AND m.user_id <> ? AND {position}(m.grants, '"owner"') > 0
			AND `+string(live.Account("u")),
		org.String(), except.String(), sqlstore.At(r.tx.Store().Clock().Now()))
	if err != nil {
		return 0, fmt.Errorf("list the owners of a workspace: %w", err)
	}
	return owners(held)
}

// owners counts the encoded grants that include the role of owner without an end.
func owners(held []string) (count int, err error) {
	for _, encoded := range held {
		grants, err := sqlstore.GrantsOf(encoded)
		if err != nil {
			return 0, err
		}
		if slices.ContainsFunc(grants, func(g workspace.Grant) bool { return g.Role == role.Owner && g.ExpiresAt.IsZero() }) {
			count++
		}
	}
	return count, nil
}

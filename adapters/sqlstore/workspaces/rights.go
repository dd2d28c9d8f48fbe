package workspaces

import (
	"context"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/group"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/workspaces"
)

// Rights returns the directory of what workspaces grant to their members.
func Rights(store *sqlstore.Store) workspaces.Rights { return rights{store} }

type rights struct{ store *sqlstore.Store }

// Book reads the committed roles of a workspace. It fails with workspace.ErrNotFound.
func (r rights) Book(ctx context.Context, org workspace.ID) (*role.Book, error) {
	return readBook(ctx, r.store.Committed(), org)
}

// BookWithin is Book within the transaction around the command.
func (r rights) BookWithin(ctx context.Context, org workspace.ID) (*role.Book, error) {
	return readBook(ctx, r.store.Reader(ctx), org)
}

// Version reads the version of what a workspace grants. It fails with workspace.ErrNotFound.
func (r rights) Version(ctx context.Context, org workspace.ID) (int64, error) {
	var version int64
	err := r.store.Committed().One(ctx, &version, workspace.ErrNotFound, `SELECT rights FROM workspaces WHERE id = ? AND deleted_at IS NULL`, org.String())
	return version, err
}

// Holding reads the roles and groups of a member. It fails with workspace.ErrNotMember.
func (r rights) Holding(ctx context.Context, org workspace.ID, person user.ID) (workspaces.Member, error) {
	return oneMember(ctx, r.store.Reader(ctx), org, person)
}

const memberColumns = `m.user_id, m.org_id, m.grants, m.groups, w.rights, u.status, u.disabled_until, u.superadmin
	FROM members m JOIN users u ON u.id = m.user_id JOIN workspaces w ON w.id = m.org_id`

type holdingRow struct {
	UserID        user.ID          `db:"user_id"`
	OrgID         workspace.ID     `db:"org_id"`
	Grants        string           `db:"grants"`
	Groups        string           `db:"groups"`
	Rights        int64            `db:"rights"`
	Status        user.Status      `db:"status"`
	DisabledUntil sqlstore.Instant `db:"disabled_until"`
	Superadmin    bool             `db:"superadmin"`
}

func (r *holdingRow) member() (workspaces.Member, error) {
	held, err := sqlstore.HoldingOf(r.OrgID, r.Grants, r.Groups, r.Rights)
	return workspaces.Member{
		User: r.UserID, MemberGrants: held, Superadmin: r.Superadmin,
		Availability: user.Availability{Status: r.Status, DisabledUntil: r.DisabledUntil.Time},
	}, err
}

// oneMember reads a member. It fails with workspace.ErrNotMember.
func oneMember(ctx context.Context, q *sqlstore.Queries, org workspace.ID, person user.ID) (workspaces.Member, error) {
	var found holdingRow
	err := q.One(ctx, &found, workspace.ErrNotMember, `SELECT `+memberColumns+` WHERE m.org_id = ? AND m.user_id = ?`, org.String(), person.String())
	if err != nil {
		return workspaces.Member{}, err
	}
	return found.member()
}

// mostCarriers is how many roles or groups one statement looks up.
const mostCarriers = 32

// Holders reads a page of the members who hold one of the roles or are in one of the groups. It
// reads a range of an index for each role and group, so that the cost of a page does not depend on
// the number of members.
func (r rights) Holders(ctx context.Context, query workspaces.HolderQuery) ([]workspaces.Member, error) {
	var ids []string
	for keys := range slices.Chunk(query.Carriers.Roles, mostCarriers) {
		found, err := r.first(ctx, query, `member_roles WHERE org_id = ? AND role = ?`, pairs(query.Org.String(), keys))
		if err != nil {
			return nil, err
		}
		ids = append(ids, found...)
	}
	for of := range slices.Chunk(query.Carriers.Groups, mostCarriers) {
		found, err := r.first(ctx, query, `group_members WHERE group_id = ?`, ones(of))
		if err != nil {
			return nil, err
		}
		ids = append(ids, found...)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	ids = ids[:min(len(ids), query.Limit)]
	return r.members(ctx, `m.user_id {any user_id text} ORDER BY m.user_id`, query.Org.String(), sqlstore.OneColumn(ids))
}

// Members reads a page of the members of a workspace.
func (r rights) Members(ctx context.Context, org workspace.ID, after user.ID, limit int) ([]workspaces.Member, error) {
	return r.members(ctx, `m.user_id > ? ORDER BY m.user_id LIMIT ?`, org.String(), after.String(), int64(limit))
}

// members reads the members of a workspace that a clause selects.
func (r rights) members(ctx context.Context, clause string, args ...any) ([]workspaces.Member, error) {
	var rows []holdingRow
	if err := r.store.Reader(ctx).List(ctx, &rows, `SELECT `+memberColumns+` WHERE m.org_id = ? AND `+clause, args...); err != nil {
		return nil, fmt.Errorf("read members with what they hold: %w", err)
	}
	return sqlstore.Map(rows, (*holdingRow).member)
}

// first lists the first members of the roles or groups in carriers. The number of its branches is
// rounded up to a power of two, by repeating the last carrier, so that few statements are prepared.
func (r rights) first(ctx context.Context, query workspaces.HolderQuery, one string, carriers sqlstore.Rows) ([]string, error) {
	branches := 1 << bits.Len(uint(len(carriers)-1))
	parts, args := make([]string, branches), []any{}
	for i := range parts {
		parts[i] = fmt.Sprintf("SELECT user_id FROM (SELECT user_id FROM %s AND user_id > ? ORDER BY user_id LIMIT ?) AS carrier%d", one, i)
		args = append(append(args, carriers[min(i, len(carriers)-1)]...), query.After.String(), int64(query.Limit))
	}
	var ids []string
	err := r.store.Reader(ctx).List(ctx, &ids, strings.Join(parts, " UNION ")+" ORDER BY user_id LIMIT ?", append(args, int64(query.Limit))...)
	if err != nil {
		return nil, fmt.Errorf("list the members of roles and groups: %w", err)
	}
	return ids, nil
}

// pairs returns the parameters of each role of a workspace.
func pairs(org string, keys []string) sqlstore.Rows {
	rows := make(sqlstore.Rows, len(keys))
	for i, key := range keys {
		rows[i] = []any{org, key}
	}
	return rows
}

// ones returns the parameter of each group.
func ones(ids []group.ID) sqlstore.Rows {
	rows := make(sqlstore.Rows, len(ids))
	for i, id := range ids {
		rows[i] = []any{id.String()}
	}
	return rows
}

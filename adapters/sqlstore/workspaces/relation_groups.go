package workspaces

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/group"
	"gatehouse.internal/domain/relation"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/workspaces"
)

// membershipShape is the shape of the tuples that memberships of groups stand for.
const membershipShape = "group#member@user"

// membershipColumns are tupleColumns of the tuple that a row g of group_members stands for.
const membershipColumns = `g.org_id, 'group:' || g.group_id, 'member', 'user:' || g.user_id, '` + membershipShape + `', '', NULL, g.added_at`

// userIDs returns the ids of the users among the subjects of sources that include groups.
func userIDs(sources []relation.Source) sqlstore.Rows {
	var ids []string
	for _, one := range sources {
		if one.Native() {
			ids = append(ids, one.Subject.ID)
		}
	}
	return sqlstore.OneColumn(ids)
}

// groupIDs returns the ids of the groups among objects.
func groupIDs(pairs []relation.Pair) sqlstore.Rows {
	var ids []string
	for _, one := range pairs {
		if one.Native() {
			ids = append(ids, one.Object.ID)
		}
	}
	return sqlstore.OneColumn(ids)
}

// membersOf merges the members of groups into the sorted subjects after a text. Of each group it
// reads at most limit members.
func (s relationSnapshot) membersOf(ctx context.Context, subjects []string, groups sqlstore.Rows, after string, limit int) ([]string, error) {
	users := relation.User("").String()
	low, among := strings.CutPrefix(after, users)
	switch {
	case !among && after > users:
		return subjects, nil
	case !among:
		low = ""
	}
	const which = ` g.group_id = %[1]s.id AND g.org_id = ? AND g.user_id > ?`
	org := s.org.String()
	return s.merge(ctx, subjects, limit, `
		WITH bounds AS MATERIALIZED (
			SELECT r.id, COALESCE((
				SELECT g.user_id FROM group_members g WHERE`+fmt.Sprintf(which, "r")+`
				ORDER BY g.user_id LIMIT 1 OFFSET ?), '`+highest+`') AS high
			FROM {rows id text})
		SELECT DISTINCT 'user:' || g.user_id FROM bounds JOIN group_members g ON`+fmt.Sprintf(which, "bounds")+`
			AND g.user_id <= bounds.high
		ORDER BY 1 LIMIT ?`, org, low, limit-1, groups, org, low, limit)
}

// merge merges the result of a statement into texts: sorted, without duplicates, and at most limit
// of them.
func (s relationSnapshot) merge(ctx context.Context, texts []string, limit int, statement string, args ...any) ([]string, error) {
	var more []string
	if err := s.q.List(ctx, &more, statement, args...); err != nil {
		return nil, fmt.Errorf("list by groups: %w", err)
	}
	all := slices.Concat(texts, more)
	slices.Sort(all)
	all = slices.Compact(all)
	return all[:min(len(all), limit)], nil
}

// GroupHolds returns the repository that locks groups while tuples that name them are written.
func GroupHolds(tx *sqlstore.Tx) workspaces.GroupHolds { return groupHolds{tx} }

type groupHolds struct{ tx *sqlstore.Tx }

// Hold locks the rows of groups, and returns those that the workspace has.
func (r groupHolds) Hold(ctx context.Context, org workspace.ID, ids []group.ID) (has []group.ID, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = id.String()
	}
	err = r.tx.List(ctx, &has, `SELECT id FROM member_groups WHERE org_id = ? AND id {any id text} ORDER BY id {for update}`,
		org.String(), sqlstore.OneColumn(names))
	if err != nil {
		return nil, fmt.Errorf("hold groups: %w", err)
	}
	return has, nil
}

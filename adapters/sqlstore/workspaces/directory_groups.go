package workspaces

import (
	"context"
	"fmt"
	"strings"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/group"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/workspaces"
)

// GroupDirectory returns the directory of groups.
func GroupDirectory(store *sqlstore.Store) workspaces.GroupDirectory { return groupDirectory{store} }

// GroupMemberships returns the directory of the members of groups.
func GroupMemberships(store *sqlstore.Store) workspaces.GroupMemberships {
	return groupDirectory{store}
}

type groupDirectory struct{ store *sqlstore.Store }

// Find reads one group.
func (d groupDirectory) Find(ctx context.Context, org workspace.ID, id group.ID) (group.Snapshot, error) {
	s, _, err := oneGroup(ctx, d.store.Reader(ctx), org, id)
	return s, err
}

// List reads groups. Names are compared without an index, because a workspace has few groups.
func (d groupDirectory) List(ctx context.Context, query workspaces.GroupQuery) ([]group.Snapshot, error) {
	var all sqlstore.Filter
	all.Where("org_id = ?", query.Org.String())
	all.Unless(query.User == "", "id IN (SELECT group_id FROM group_members WHERE org_id = ? AND user_id = ?)", query.Org.String(), query.User.String())
	all.Unless(query.Text == "", "SUBSTR(name_folded, 1, ?) = ?", int64(len([]rune(folded(query.Text)))), folded(query.Text))
	all.Unless(query.Before == "", "id < ?", query.Before.String())
	var found []groupRow
	err := d.store.Reader(ctx).List(ctx, &found, "SELECT "+groupColumns+" FROM member_groups"+all.String()+sqlstore.Newest(query.Limit), all.Args...)
	if err != nil {
		return nil, fmt.Errorf("list groups: %w", err)
	}
	return sqlstore.Map(found, (*groupRow).snapshot)
}

func folded(text string) string { return workspace.Label(strings.TrimSpace(text)).Folded() }

// Size counts the members of a group.
func (d groupDirectory) Size(ctx context.Context, id group.ID) (size int, err error) {
	if err = d.store.Reader(ctx).Get(ctx, &size, `SELECT COUNT(*) FROM group_members WHERE group_id = ?`, id.String()); err != nil {
		return 0, fmt.Errorf("count the members of a group: %w", err)
	}
	return size, nil
}

// Members reads a page of the members of a group.
func (d groupDirectory) Members(ctx context.Context, query workspaces.GroupMemberQuery) ([]workspaces.GroupMember, error) {
	var found []struct {
		UserID  user.ID          `db:"user_id"`
		AddedAt sqlstore.Instant `db:"added_at"`
	}
	err := d.store.Reader(ctx).List(ctx, &found, `
		SELECT user_id, added_at FROM group_members
		WHERE group_id = (SELECT id FROM member_groups WHERE id = ? AND org_id = ?) AND user_id > ? ORDER BY user_id LIMIT ?`,
		query.Group.String(), query.Org.String(), query.After.String(), sqlstore.AtMost(query.Limit))
	if err != nil {
		return nil, fmt.Errorf("list the members of a group: %w", err)
	}
	members := make([]workspaces.GroupMember, len(found))
	for i, one := range found {
		members[i] = workspaces.GroupMember{User: one.UserID, AddedAt: one.AddedAt.Time}
	}
	return members, nil
}

// GroupsOf lists the groups of a member.
func (d groupDirectory) GroupsOf(ctx context.Context, org workspace.ID, person user.ID) (ids []group.ID, err error) {
	err = d.store.Reader(ctx).List(ctx, &ids, `SELECT group_id FROM group_members WHERE org_id = ? AND user_id = ? ORDER BY group_id`,
		org.String(), person.String())
	if err != nil {
		return nil, fmt.Errorf("list the groups of a member: %w", err)
	}
	return ids, nil
}

// MembersOf lists members of a group.
func (d groupDirectory) MembersOf(ctx context.Context, org workspace.ID, of group.ID, after user.ID, limit int) ([]user.ID, error) {
	page, err := d.Members(ctx, workspaces.GroupMemberQuery{Org: org, Group: of, After: after, Limit: limit})
	ids := make([]user.ID, len(page))
	for i, one := range page {
		ids[i] = one.User
	}
	return ids, err
}

package workspaces

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/group"
	"gatehouse.internal/domain/relation"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/workspaces"
)

// Groups returns the repository of groups and their members.
func Groups(tx *sqlstore.Tx) workspaces.Groups { return groups{tx} }

type groups struct{ tx *sqlstore.Tx }

const groupColumns = `id, org_id, name, description, external_id, roles, created_at, updated_at, version`

type groupRow struct {
	ID          group.ID         `db:"id"`
	OrgID       workspace.ID     `db:"org_id"`
	Name        workspace.Label  `db:"name"`
	Description string           `db:"description"`
	ExternalID  string           `db:"external_id"`
	Roles       string           `db:"roles"`
	CreatedAt   sqlstore.Instant `db:"created_at"`
	UpdatedAt   sqlstore.Instant `db:"updated_at"`
	Version     int64            `db:"version"`
}

func (r *groupRow) snapshot() (group.Snapshot, error) {
	keys, err := sqlstore.DecodeList[string](r.Roles)
	if err != nil {
		return group.Snapshot{}, fmt.Errorf("decode the roles of a group: %w", err)
	}
	return group.Snapshot{
		ID: r.ID, OrgID: r.OrgID, Name: r.Name, Description: r.Description, ExternalID: r.ExternalID, Roles: keys,
		CreatedAt: r.CreatedAt.Time, UpdatedAt: r.UpdatedAt.Time,
	}, nil
}

// oneGroup reads a group with its version. It fails with group.ErrNotFound.
func oneGroup(ctx context.Context, q *sqlstore.Queries, org workspace.ID, id group.ID) (group.Snapshot, int64, error) {
	var found groupRow
	err := q.One(ctx, &found, group.ErrNotFound, `SELECT `+groupColumns+` FROM member_groups WHERE id = ? AND org_id = ?`, id.String(), org.String())
	if err != nil {
		return group.Snapshot{}, 0, err
	}
	s, err := found.snapshot()
	return s, found.Version, err
}

// ByID reads one group.
func (r groups) ByID(ctx context.Context, org workspace.ID, id group.ID) (*group.Group, error) {
	s, version, err := oneGroup(ctx, r.tx.Queries, org, id)
	if err != nil {
		return nil, err
	}
	return group.Restore(s, version), nil
}

// Count counts the groups of a workspace.
func (r groups) Count(ctx context.Context, org workspace.ID) (count int, err error) {
	if err = r.tx.Get(ctx, &count, `SELECT COUNT(*) FROM member_groups WHERE org_id = ?`, org.String()); err != nil {
		return 0, fmt.Errorf("count the groups of a workspace: %w", err)
	}
	return count, nil
}

// Save stores a group. The caller holds the lock of Books.Hold, so that no other transaction takes
// the name or external id after they are checked. It fails with group.ErrNameTaken or
// group.ErrExternalTaken.
func (r groups) Save(ctx context.Context, g *group.Group) error {
	s := g.Snapshot()
	if err := r.checkUnique(ctx, s); err != nil {
		return err
	}
	keys, err := sqlstore.EncodeList(s.Roles)
	if err != nil {
		return fmt.Errorf("encode the roles of a group: %w", err)
	}
	if err := incrementRights(ctx, r.tx, s.OrgID); err != nil {
		return err
	}
	return r.tx.Save(ctx, "member_groups", sqlstore.Row{{"id", s.ID.String()}, {"org_id", s.OrgID.String()}}, sqlstore.Row{
		{"name", string(s.Name)},
		{"name_folded", s.Name.Folded()},
		{"description", s.Description},
		{"external_id", s.ExternalID},
		{"roles", keys},
		{"created_at", sqlstore.At(s.CreatedAt)},
		{"updated_at", sqlstore.At(s.UpdatedAt)},
	}, g)
}

// checkUnique fails if another group of the workspace has the name or external id.
func (r groups) checkUnique(ctx context.Context, s group.Snapshot) error {
	var taken []struct {
		Name     bool `db:"by_name"`
		External bool `db:"by_external"`
	}
	err := r.tx.List(ctx, &taken, `
		SELECT name_folded = ? AS by_name, (external_id = ? AND external_id <> '') AS by_external FROM member_groups
		WHERE org_id = ? AND id <> ? AND (name_folded = ? OR (external_id = ? AND external_id <> ''))`,
		s.Name.Folded(), s.ExternalID, s.OrgID.String(), s.ID.String(), s.Name.Folded(), s.ExternalID)
	if err != nil {
		return fmt.Errorf("look for a group of the same name or external id: %w", err)
	}
	for _, other := range taken {
		if other.Name {
			return group.ErrNameTaken
		}
	}
	if len(taken) > 0 {
		return group.ErrExternalTaken
	}
	return nil
}

// Delete removes a group, and its id from the rows of its members.
func (r groups) Delete(ctx context.Context, g *group.Group) error {
	s := g.Snapshot()
	_, err := r.tx.Exec(ctx, leaveGroup+`user_id IN (SELECT user_id FROM group_members WHERE group_id = ?)`,
		append(leaveArgs(s), s.ID.String())...)
	if err != nil {
		return fmt.Errorf("empty a group: %w", err)
	}
	if err := r.tx.Delete(ctx, "member_groups", sqlstore.Row{{"id", s.ID.String()}}, g); err != nil {
		return err
	}
	// Only after the row of the group, which a transaction that writes tuples of it has locked.
	if err := ForgetRelations(ctx, r.tx, relation.Group(s.ID.String())); err != nil {
		return err
	}
	return incrementRights(ctx, r.tx, s.OrgID)
}

// leaveGroup removes a group from the list in the rows of members; the condition on the members
// follows it. It edits the stored list in the statement, so that concurrent changes are kept.
const leaveGroup = `UPDATE members SET groups = CASE WHEN groups = ? THEN '' ELSE REPLACE(REPLACE(groups, ?, ''), ?, '') END
	WHERE org_id = ? AND `

// leaveArgs returns the parameters of leaveGroup: the list that has only this group, the group
// after a comma, the group before a comma, and the workspace.
func leaveArgs(s group.Snapshot) []any {
	id := sqlstore.Quoted(s.ID.String())
	return []any{"[" + id + "]", "," + id, id + ",", s.OrgID.String()}
}

// Add makes users members of a group, and returns those who were not. It fails with
// workspace.ErrNotMember if one is not a member of the workspace.
func (r groups) Add(ctx context.Context, of group.Snapshot, people []user.ID, now time.Time) ([]user.ID, error) {
	id, org := of.ID.String(), of.OrgID.String()
	var members []user.ID
	ids := uniqueIDs(people)
	err := r.tx.List(ctx, &members, `SELECT user_id FROM members WHERE org_id = ? AND user_id {any user_id text} ORDER BY user_id {for update}`,
		org, sqlstore.OneColumn(ids))
	if err != nil {
		return nil, fmt.Errorf("find members to add to a group: %w", err)
	}
	if len(members) != len(ids) {
		return nil, workspace.ErrNotMember
	}
	var added []user.ID
	err = r.tx.List(ctx, &added, `
		INSERT INTO group_members (group_id, org_id, user_id, added_at)
		SELECT ?, m.org_id, m.user_id, CAST(? AS {time}) FROM members m WHERE m.org_id = ? AND m.user_id {any user_id text}
		ON CONFLICT DO NOTHING RETURNING user_id`, id, sqlstore.At(now), org, sqlstore.OneColumn(ids))
	if err != nil {
		return nil, fmt.Errorf("add members to a group: %w", err)
	}
	_, err = r.tx.Exec(ctx, `
		UPDATE members SET groups = CASE WHEN groups = '' THEN ? ELSE REPLACE(groups, ']', ?) END
		WHERE org_id = ? AND user_id {any user_id text}`,
		"["+sqlstore.Quoted(id)+"]", ","+sqlstore.Quoted(id)+"]", org, sqlstore.OneColumn(uniqueIDs(added)))
	if err != nil {
		return nil, fmt.Errorf("note the group with its members: %w", err)
	}
	return r.recordEach(ctx, added, func(person user.ID) event.Data {
		return group.MemberAdded{GroupID: of.ID, OrgID: of.OrgID, UserID: person}
	})
}

// Remove ends memberships of a group, and returns the users who had one.
func (r groups) Remove(ctx context.Context, of group.Snapshot, people []user.ID) ([]user.ID, error) {
	var removed []user.ID
	err := r.tx.List(ctx, &removed, `DELETE FROM group_members WHERE group_id = ? AND user_id {any user_id text} RETURNING user_id`,
		of.ID.String(), sqlstore.OneColumn(uniqueIDs(people)))
	if err != nil {
		return nil, fmt.Errorf("remove members from a group: %w", err)
	}
	_, err = r.tx.Exec(ctx, leaveGroup+`user_id {any user_id text}`, append(leaveArgs(of), sqlstore.OneColumn(uniqueIDs(removed)))...)
	if err != nil {
		return nil, fmt.Errorf("note that members left a group: %w", err)
	}
	return r.recordEach(ctx, removed, func(person user.ID) event.Data {
		return group.MemberRemoved{GroupID: of.ID, OrgID: of.OrgID, UserID: person}
	})
}

// recordEach records an event for each of the users, and returns them sorted.
func (r groups) recordEach(ctx context.Context, people []user.ID, happened func(user.ID) event.Data) ([]user.ID, error) {
	slices.Sort(people)
	events := make([]event.Data, len(people))
	for i, person := range people {
		events[i] = happened(person)
	}
	return people, r.tx.Record(ctx, events)
}

// uniqueIDs returns the ids of users, sorted and without duplicates.
func uniqueIDs(people []user.ID) []string {
	ids := make([]string, len(people))
	for i, person := range people {
		ids[i] = person.String()
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

package workspaces

import (
	"context"
	"time"

	"gatehouse.internal/domain/group"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// Groups stores groups and their members, inside a unit of work that holds the role
// book of the workspace (Books.Hold).
type Groups interface {
	// ByID returns a group of a workspace. It fails with group.ErrNotFound.
	ByID(ctx context.Context, org workspace.ID, id group.ID) (*group.Group, error)
	// Count returns the number of groups of a workspace.
	Count(ctx context.Context, org workspace.ID) (int, error)
	// Save stores a group. It fails with group.ErrNameTaken or group.ErrExternalTaken.
	Save(ctx context.Context, g *group.Group) error
	// Delete deletes a group with its memberships.
	Delete(ctx context.Context, g *group.Group) error
	// Add adds members of the workspace to a group, and returns those who were not in
	// it, in order. It fails with workspace.ErrNotMember if one is not a member of the
	// workspace.
	Add(ctx context.Context, of group.Snapshot, people []user.ID, now time.Time) ([]user.ID, error)
	// Remove removes people from a group, and returns those who were in it, in order.
	Remove(ctx context.Context, of group.Snapshot, people []user.ID) ([]user.ID, error)
}

// GroupHolds prevents the deletion of groups, inside a unit of work.
type GroupHolds interface {
	// Hold returns those of the groups that exist in the workspace, in order, and
	// prevents their deletion until the transaction ends.
	Hold(ctx context.Context, org workspace.ID, ids []group.ID) ([]group.ID, error)
}

// GroupDirectory reads groups, outside any transaction.
type GroupDirectory interface {
	// Find returns a group of a workspace. It fails with group.ErrNotFound.
	Find(ctx context.Context, org workspace.ID, id group.ID) (group.Snapshot, error)
	// List returns the groups that match, newest first.
	List(ctx context.Context, query GroupQuery) ([]group.Snapshot, error)
	// Size returns the number of members of a group.
	Size(ctx context.Context, id group.ID) (int, error)
	// Members returns the members of a group, sorted by ID.
	Members(ctx context.Context, query GroupMemberQuery) ([]GroupMember, error)
}

// GroupMemberships reads memberships of groups for subjects such as group:<id>#member.
// A group of another workspace has no members.
type GroupMemberships interface {
	// GroupsOf returns the groups of a member of a workspace, sorted by ID.
	GroupsOf(ctx context.Context, org workspace.ID, person user.ID) ([]group.ID, error)
	// MembersOf returns up to limit members of a group with IDs after another, in
	// order.
	MembersOf(ctx context.Context, org workspace.ID, of group.ID, after user.ID, limit int) ([]user.ID, error)
}

// GroupQuery narrows a list of groups; zero values do not narrow.
type GroupQuery struct {
	Org workspace.ID
	// Text is a prefix of the name, case-insensitive.
	Text string
	User user.ID
	// Before is the last ID of the previous page.
	Before group.ID
	Limit  int
}

// GroupMemberQuery selects a page of the members of a group.
type GroupMemberQuery struct {
	Org   workspace.ID
	Group group.ID
	// After is the last ID of the previous page.
	After user.ID
	Limit int
}

// GroupMember is a member of a group.
type GroupMember struct {
	User    user.ID
	AddedAt time.Time
}

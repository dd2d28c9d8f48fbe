package workspaces

import (
	"context"
	"time"

	"gatehouse.internal/domain/group"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// Groups stores groups and who is in them, inside a unit of work that holds the book of
// their workspace (Books.Hold).
type Groups interface {
	// ByID fails with group.ErrNotFound, also for a group of another workspace.
	ByID(ctx context.Context, org workspace.ID, id group.ID) (*group.Group, error)
	// Count is how many groups a workspace has.
	Count(ctx context.Context, org workspace.ID) (int, error)
	// Save fails with group.ErrNameTaken or group.ErrExternalTaken.
	Save(ctx context.Context, g *group.Group) error
	// Delete removes a group with its memberships.
	Delete(ctx context.Context, g *group.Group) error
	// Add makes members of the workspace members of a group, and returns those who were
	// not before, in order. It fails with workspace.ErrNotMember where one is none.
	Add(ctx context.Context, of group.Snapshot, people []user.ID, now time.Time) ([]user.ID, error)
	// Remove ends memberships of a group, and returns those who had one, in order.
	Remove(ctx context.Context, of group.Snapshot, people []user.ID) ([]user.ID, error)
}

// GroupHolds keeps groups from being deleted, inside a unit of work.
type GroupHolds interface {
	// Hold returns those of the groups that the workspace has, in order, and holds off
	// their deletion until the transaction ends.
	Hold(ctx context.Context, org workspace.ID, ids []group.ID) ([]group.ID, error)
}

// GroupDirectory lists groups for reading, outside any transaction.
type GroupDirectory interface {
	// Find fails with group.ErrNotFound, also for a group of another workspace.
	Find(ctx context.Context, org workspace.ID, id group.ID) (group.Snapshot, error)
	// List returns the groups that match, newest first.
	List(ctx context.Context, query GroupQuery) ([]group.Snapshot, error)
	// Size is how many members a group has.
	Size(ctx context.Context, id group.ID) (int, error)
	// Members lists those of a group in the order of their ids.
	Members(ctx context.Context, query GroupMemberQuery) ([]GroupMember, error)
}

// GroupMemberships looks up who is in which group, for what names groups as subjects, such
// as relations: group:<id>#member. A group of another workspace has no members, and
// nobody is in it.
type GroupMemberships interface {
	// GroupsOf lists the groups of a member of a workspace, in the order of their ids.
	GroupsOf(ctx context.Context, org workspace.ID, person user.ID) ([]group.ID, error)
	// MembersOf lists up to limit members of a group whose ids follow another, in order.
	MembersOf(ctx context.Context, org workspace.ID, of group.ID, after user.ID, limit int) ([]user.ID, error)
}

// GroupQuery narrows a list of groups; zero values do not narrow.
type GroupQuery struct {
	Org workspace.ID
	// Text matches the beginning of the name, without case.
	Text string
	User user.ID
	// Before is the last id of the page before.
	Before group.ID
	Limit  int
}

// GroupMemberQuery asks for a page of the members of a group.
type GroupMemberQuery struct {
	Org   workspace.ID
	Group group.ID
	// After is the last id of the page before.
	After user.ID
	Limit int
}

// GroupMember is somebody in a group.
type GroupMember struct {
	User    user.ID
	AddedAt time.Time
}

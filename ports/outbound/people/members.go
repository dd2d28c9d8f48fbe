package people

import (
	"context"

	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// MemberDirectory reads the members of workspaces, outside any transaction.
type MemberDirectory interface {
	// List returns the members that match with their accounts, newest accounts first.
	List(ctx context.Context, query MemberQuery) ([]Member, error)
	// Count returns the number of members that match, regardless of Before; at most Limit,
	// unless that is 0.
	Count(ctx context.Context, query MemberQuery) (int, error)
}

// MemberQuery narrows a list of the members of a workspace; zero values do not narrow.
type MemberQuery struct {
	// UserQuery filters by account; it contains the workspace.
	UserQuery

	// Role is an active role granted to the member.
	Role string
}

// Member is a member of a workspace.
type Member struct {
	User user.Snapshot
	workspace.MemberSnapshot
}

package people

import (
	"context"

	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// MemberDirectory lists the members of workspaces for reading, outside any transaction.
type MemberDirectory interface {
	// List lists the members that match with their accounts, newest accounts first.
	List(ctx context.Context, query MemberQuery) ([]Member, error)
}

// MemberQuery narrows a list of the members of a workspace; zero values do not narrow.
type MemberQuery struct {
	// UserQuery narrows by the account; it names the workspace.
	UserQuery

	// Role is a role that was granted to them and holds.
	Role string
}

// Member is somebody who belongs to a workspace.
type Member struct {
	User user.Snapshot
	workspace.MemberSnapshot
}

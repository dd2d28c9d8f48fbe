package workspaces

import (
	"context"

	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// WorkspaceDirectory reads workspaces, outside any transaction.
type WorkspaceDirectory interface {
	// Find returns a workspace. It fails with workspace.ErrNotFound.
	Find(ctx context.Context, id workspace.ID) (workspace.Snapshot, error)
	// List returns the workspaces that match, newest first.
	List(ctx context.Context, query WorkspaceQuery) ([]workspace.Snapshot, error)
	// Members returns the number of members of a workspace.
	Members(ctx context.Context, id workspace.ID) (int, error)
}

// WorkspaceQuery narrows a list of workspaces; zero values do not narrow.
type WorkspaceQuery struct {
	// Member is a member of the workspaces.
	Member user.ID
	// Text is a prefix of the name or slug; the name is case-insensitive.
	Text string
	// Before is the last ID of the previous page.
	Before workspace.ID
	Limit  int
}

// CreationLimits reads what determines whether a workspace may be created, inside a unit
// of work.
type CreationLimits interface {
	// SlugTaken reports whether a slug is used by a workspace, or reserved.
	SlugTaken(ctx context.Context, slug workspace.Slug) (bool, error)
	// Owned returns the number of shared workspaces of which a person is a permanent
	// owner. It blocks concurrent calls for the person until the transaction ends.
	Owned(ctx context.Context, person user.ID) (int, error)
}

// Workspaces stores workspaces and memberships, inside a unit of work.
type Workspaces interface {
	// ByID returns a workspace. It fails with workspace.ErrNotFound.
	ByID(ctx context.Context, id workspace.ID) (*workspace.Workspace, error)
	// Save stores a workspace. It fails with workspace.ErrSlugTaken. A slug that the
	// workspace gives up stays reserved for it.
	Save(ctx context.Context, w *workspace.Workspace) error
	// Member returns a membership. It fails with workspace.ErrNotMember.
	Member(ctx context.Context, org workspace.ID, person user.ID) (*workspace.Member, error)
	SaveMember(ctx context.Context, m *workspace.Member) error
	// RemoveMember deletes a membership. Sessions of the person that are active in the
	// workspace continue in the personal one.
	RemoveMember(ctx context.Context, m *workspace.Member) error
	// OtherOwners returns the number of permanent owners except one whose accounts may
	// be used. It blocks concurrent calls for the workspace until the transaction ends.
	OtherOwners(ctx context.Context, org workspace.ID, except user.ID) (int, error)
}

// UserWorkspaces reads a user's workspaces, inside a unit of work.
type UserWorkspaces interface {
	// Personal returns the personal workspace of an account; empty for none.
	Personal(ctx context.Context, person user.ID) (workspace.ID, error)
	// Guests returns the number of other members of the personal workspace. It prevents
	// others from joining until the transaction ends.
	Guests(ctx context.Context, person user.ID) (int, error)
	// Shared returns the workspaces of a user except the personal one; personal
	// workspaces of others are included.
	Shared(ctx context.Context, person user.ID) ([]workspace.ID, error)
}

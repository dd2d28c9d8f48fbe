package workspaces

import (
	"context"

	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// WorkspaceDirectory finds workspaces for reading, outside any transaction.
type WorkspaceDirectory interface {
	// Find fails with workspace.ErrNotFound.
	Find(ctx context.Context, id workspace.ID) (workspace.Snapshot, error)
	// List lists the workspaces that match, newest first.
	List(ctx context.Context, query WorkspaceQuery) ([]workspace.Snapshot, error)
	// Members counts the members of a workspace.
	Members(ctx context.Context, id workspace.ID) (int, error)
}

// WorkspaceQuery narrows a list of workspaces; zero values do not narrow.
type WorkspaceQuery struct {
	// Member is somebody who belongs to them.
	Member user.ID
	// Text is the beginning of the name, without case, or of the slug.
	Text string
	// Before is the last id of the page before.
	Before workspace.ID
	Limit  int
}

// Foundations looks up what decides whether a workspace may be made, inside a unit of work.
type Foundations interface {
	// SlugTaken reports whether a slug is another workspace's, or reserved.
	SlugTaken(ctx context.Context, slug workspace.Slug) (bool, error)
	// Owned counts the shared workspaces that somebody owns for good. It holds off every
	// other transaction that asks the same of them until this one ends.
	Owned(ctx context.Context, person user.ID) (int, error)
}

// Workspaces stores workspaces and memberships, inside a unit of work.
type Workspaces interface {
	// ByID fails with workspace.ErrNotFound.
	ByID(ctx context.Context, id workspace.ID) (*workspace.Workspace, error)
	// Save fails with workspace.ErrSlugTaken. A slug that the workspace gives up is
	// reserved for it.
	Save(ctx context.Context, w *workspace.Workspace) error
	// Member fails with workspace.ErrNotMember.
	Member(ctx context.Context, org workspace.ID, person user.ID) (*workspace.Member, error)
	SaveMember(ctx context.Context, m *workspace.Member) error
	// RemoveMember deletes a membership, and makes the personal workspace the active one
	// of the person's sessions that are active in this.
	RemoveMember(ctx context.Context, m *workspace.Member) error
	// OtherOwners counts the members besides one who hold the role owner for
	// good and whose accounts may be used. It holds off every other transaction that asks the same of the
	// workspace until this one ends.
	OtherOwners(ctx context.Context, org workspace.ID, besides user.ID) (int, error)
}

// UserWorkspaces finds a user's workspaces, inside a unit of work.
type UserWorkspaces interface {
	// Personal returns the workspace that came with an account; empty when it has none.
	Personal(ctx context.Context, person user.ID) (workspace.ID, error)
	// Guests counts the other members of the workspace that came with an account. It
	// holds off whoever joins there until the transaction ends.
	Guests(ctx context.Context, person user.ID) (int, error)
	// Shared lists the workspaces of a user but the one that came with the
	// account; it may be the personal one of somebody else.
	Shared(ctx context.Context, person user.ID) ([]workspace.ID, error)
}

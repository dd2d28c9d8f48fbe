package workspaces

import (
	"context"
	"time"

	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/invitation"
	"gatehouse.internal/domain/workspace"
)

// Invitations stores invitations, inside a unit of work. What is not found fails with
// invitation.ErrNotFound.
type Invitations interface {
	ByID(ctx context.Context, id invitation.ID) (*invitation.Invitation, error)
	// Open returns the one for an address in a workspace that has not ended; it may have
	// expired.
	Open(ctx context.Context, org workspace.ID, address email.Address) (*invitation.Invitation, error)
	// Save fails with aggregate.ErrConflict where there is another open one for the
	// address in the workspace.
	Save(ctx context.Context, i *invitation.Invitation) error
}

// InvitationDirectory finds invitations for reading, outside any transaction.
type InvitationDirectory interface {
	// Find fails with invitation.ErrNotFound.
	Find(ctx context.Context, id invitation.ID) (invitation.Snapshot, error)
	// List lists the invitations that match, newest first.
	List(ctx context.Context, query InvitationQuery) ([]invitation.Snapshot, error)
	// Belongs reports whether a member of a workspace has an address. It does the same
	// work whether anybody has it or not.
	Belongs(ctx context.Context, org workspace.ID, address email.Address) (bool, error)
}

// InvitationQuery narrows a list of invitations; zero values do not narrow, but for Org.
type InvitationQuery struct {
	Org    workspace.ID
	Status invitation.Status
	// Now is when the status is looked at.
	Now time.Time
	// Before is the last id of the page before.
	Before invitation.ID
	Limit  int
}

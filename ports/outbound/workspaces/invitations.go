package workspaces

import (
	"context"
	"time"

	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/invitation"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// Invitations stores invitations, inside a unit of work. Methods that find none fail
// with invitation.ErrNotFound.
type Invitations interface {
	ByID(ctx context.Context, id invitation.ID) (*invitation.Invitation, error)
	// Open returns the invitation of an address to a workspace that has not ended; it
	// may have expired.
	Open(ctx context.Context, org workspace.ID, address email.Address) (*invitation.Invitation, error)
	// Save stores an invitation. It fails with aggregate.ErrConflict if there is
	// another open one for the address in the workspace.
	Save(ctx context.Context, i *invitation.Invitation) error
}

// InvitationDirectory reads invitations, outside any transaction.
type InvitationDirectory interface {
	// Find returns an invitation. It fails with invitation.ErrNotFound.
	Find(ctx context.Context, id invitation.ID) (invitation.Snapshot, error)
	// List returns the invitations that match, newest first.
	List(ctx context.Context, query InvitationQuery) ([]invitation.Snapshot, error)
	// Belongs reports whether a member of a workspace has an address. It takes the same
	// time for an unknown address.
	Belongs(ctx context.Context, org workspace.ID, address email.Address) (bool, error)
	// Sponsor returns an owner of a workspace whose address is verified: the one with the
	// oldest account. It is "" where no owner has shown an address to be theirs.
	Sponsor(ctx context.Context, org workspace.ID) (user.ID, error)
}

// InvitationQuery narrows a list of invitations; zero values except Org do not narrow.
type InvitationQuery struct {
	Org    workspace.ID
	Status invitation.Status
	// Now is the time for the status.
	Now time.Time
	// Before is the last ID of the previous page.
	Before invitation.ID
	Limit  int
}

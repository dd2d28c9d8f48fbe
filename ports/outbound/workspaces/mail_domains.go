package workspaces

import (
	"context"
	"time"

	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/maildomain"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// MailDomains stores the domains that workspaces claim, inside a unit of work.
type MailDomains interface {
	// ByID fails with maildomain.ErrNotFound, also for a domain of another workspace.
	ByID(ctx context.Context, org workspace.ID, id maildomain.ID) (*maildomain.Domain, error)
	// OfWorkspace lists those of a workspace, in the order of their names.
	OfWorkspace(ctx context.Context, org workspace.ID) ([]maildomain.Snapshot, error)
	// Save fails with maildomain.ErrClaimed for a second claim of a workspace to a domain,
	// and with maildomain.ErrHeld where another one's is verified.
	Save(ctx context.Context, d *maildomain.Domain) error
	Delete(ctx context.Context, d *maildomain.Domain) error
	// Free deletes all claims of a workspace that is to be deleted, and tells nobody.
	Free(ctx context.Context, org workspace.ID) error
	// Open returns the verified claim by which somebody with an address at a domain joins
	// its workspace, unless they belong there, or it is suspended or deleted. It fails with
	// maildomain.ErrNotFound.
	Open(ctx context.Context, name email.Domain, person user.ID) (maildomain.Snapshot, error)
}

// DueDomains finds the verified domains that are to be looked at, inside a unit of work.
type DueDomains interface {
	// Claim returns domains that are due, those that waited longest first, and holds them
	// off others until a time. Of those who claim at once, each gets others.
	Claim(ctx context.Context, most int, now, until time.Time) ([]maildomain.Snapshot, error)
}

// MailDomainDirectory lists claimed domains for reading, outside any transaction.
type MailDomainDirectory interface {
	// Find fails with maildomain.ErrNotFound, also for a domain of another workspace.
	Find(ctx context.Context, org workspace.ID, id maildomain.ID) (maildomain.Snapshot, error)
	// List returns those of a workspace, in the order of their names.
	List(ctx context.Context, org workspace.ID) ([]maildomain.Snapshot, error)
}

package workspaces

import (
	"context"
	"time"

	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/maildomain"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// MailDomains stores domains claimed by workspaces, inside a unit of work.
type MailDomains interface {
	// ByID returns a domain of a workspace. It fails with maildomain.ErrNotFound.
	ByID(ctx context.Context, org workspace.ID, id maildomain.ID) (*maildomain.Domain, error)
	// OfWorkspace returns the domains of a workspace, sorted by name.
	OfWorkspace(ctx context.Context, org workspace.ID) ([]maildomain.Snapshot, error)
	// Save stores a domain. It fails with maildomain.ErrClaimed if the workspace has
	// another claim to it, and with maildomain.ErrHeld if another workspace has
	// verified it.
	Save(ctx context.Context, d *maildomain.Domain) error
	Delete(ctx context.Context, d *maildomain.Domain) error
	// Free deletes all claims of a workspace that is being deleted, without events.
	Free(ctx context.Context, org workspace.ID) error
	// Open returns the verified claim by which a person with an address at a domain
	// joins its workspace, unless they are a member, or the workspace is suspended or
	// deleted. It fails with maildomain.ErrNotFound.
	Open(ctx context.Context, name email.Domain, person user.ID) (maildomain.Snapshot, error)
}

// DueDomains finds verified domains to check again, inside a unit of work.
type DueDomains interface {
	// Claim returns due domains, oldest first, and claims them until a time. Concurrent
	// calls return different domains.
	Claim(ctx context.Context, most int, now, until time.Time) ([]maildomain.Snapshot, error)
}

// MailDomainDirectory reads claimed domains, outside any transaction.
type MailDomainDirectory interface {
	// Find returns a domain of a workspace. It fails with maildomain.ErrNotFound.
	Find(ctx context.Context, org workspace.ID, id maildomain.ID) (maildomain.Snapshot, error)
	// List returns the domains of a workspace, sorted by name.
	List(ctx context.Context, org workspace.ID) ([]maildomain.Snapshot, error)
}

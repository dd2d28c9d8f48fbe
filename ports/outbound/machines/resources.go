package machines

import (
	"context"

	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/resource"
	"gatehouse.internal/domain/workspace"
)

// Resources stores APIs for which tokens are issued, and the owners of audiences,
// inside a unit of work.
//
// # Decision: one table assigns slugs and audiences
//
// Context: the slug of an app is the sub of its tokens, and an audience is their aud,
// so neither may ever refer to another workspace, regardless of order and replica.
//
// Choice: the table audiences has a row for each name, which is never deleted;
// inserting it is the assignment. epoch counts how often a superadmin assigned the name
// to another workspace. A token stores the epoch at its issue, and every lookup
// compares the two, so that a reassignment invalidates the tokens for the name,
// including those being issued at the time, without writing rows of tokens.
//
// What would change our mind: audiences that several workspaces share.
type Resources interface {
	// ByID returns a resource. It fails with resource.ErrNotFound.
	ByID(ctx context.Context, id resource.ID) (*resource.Resource, error)
	// Holder returns the owner of a name, and the resource registered with it; nil for
	// none. It blocks concurrent changes of both until the transaction ends.
	Holder(ctx context.Context, name string) (*resource.Audience, *resource.Resource, error)
	// Assign assigns a name to another workspace, or to the instance if that is empty.
	// This invalidates the tokens for it, unless the owner stays the same. Slugs cannot
	// be reassigned: it fails with resource.ErrSlug.
	Assign(ctx context.Context, name string, org workspace.ID) error
	// Save stores a resource, and assigns its identifier to its workspace. It fails
	// with resource.ErrTaken if the identifier belongs to another workspace, and with
	// resource.ErrRegistered if a resource with it exists.
	Save(ctx context.Context, r *resource.Resource) error
	// Delete deletes a resource; its identifier stays assigned to the workspace. It
	// fails with aggregate.ErrConflict if the resource was changed since it was read.
	Delete(ctx context.Context, r *resource.Resource) error
	// Claimed returns the number of names of a workspace other than slugs. It blocks
	// concurrent calls for the workspace until the transaction ends, and fails with
	// workspace.ErrNotFound.
	Claimed(ctx context.Context, org workspace.ID) (int, error)
}

// ResourceDirectory reads resources and audiences, outside any transaction.
type ResourceDirectory interface {
	// List returns the resources that match, newest first.
	List(ctx context.Context, query ResourceQuery) ([]resource.Snapshot, error)
	// Find returns a resource. It fails with resource.ErrNotFound, also if the resource
	// belongs to another workspace than org. The empty workspace matches any.
	Find(ctx context.Context, org workspace.ID, id resource.ID) (resource.Snapshot, error)
	// Audience returns the owner of a name; nil for none.
	Audience(ctx context.Context, name string) (*resource.Audience, error)
	// DomainOwner is like that of AudienceDomains, outside a unit of work.
	DomainOwner(ctx context.Context, audience string) (workspace.ID, error)
}

// AudienceDomains relates https audiences to the verified domains of workspaces, inside
// a unit of work.
type AudienceDomains interface {
	// DomainOwner returns the workspace that has verified the closest parent domain of
	// an audience; empty for none.
	DomainOwner(ctx context.Context, audience string) (workspace.ID, error)
	// Yielding returns the audiences under a domain that belong to another workspace
	// than org and that the owner of the domain may take over, sorted by name. It reads
	// every https audience.
	Yielding(ctx context.Context, under email.Domain, org workspace.ID) ([]string, error)
}

// ResourceQuery narrows a list of resources; zero values do not narrow.
type ResourceQuery struct {
	Org workspace.ID
	// Before is the last ID of the previous page.
	Before resource.ID
	Limit  int
}

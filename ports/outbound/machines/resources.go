package machines

import (
	"context"

	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/resource"
	"gatehouse.internal/domain/workspace"
)

// Resources stores the APIs that tokens are for, and who has which audience, inside a
// unit of work.
//
// # Decision: one table of names decides who has a slug or an audience
//
// Context: the slug of an app is the sub of its tokens and an audience their aud, so
// neither may come to mean somebody else, whoever is first, on whichever replica.
//
// Choice: audiences has one row for each name, which outlives apps, resources and
// workspaces; inserting it is the claim. epoch counts how often a superadmin gave the
// name to another workspace. A token keeps the epoch it was issued in, and every
// look-up compares the two: so a move ends the tokens for the name, also those that are
// being issued meanwhile, and writes no rows of tokens.
//
// What would change our mind: audiences that several workspaces share.
type Resources interface {
	// ByID fails with resource.ErrNotFound.
	ByID(ctx context.Context, id resource.ID) (*resource.Resource, error)
	// Holder returns who has a name, with the resource that is registered under it, if
	// any; nil when nobody does. It holds off every other transaction that changes the
	// two until this one ends.
	Holder(ctx context.Context, name string) (*resource.Audience, *resource.Resource, error)
	// Assign moves a name that somebody has to a workspace, or to the instance, the empty
	// one. The tokens for it end, unless that has it already. A slug never moves: it fails
	// with resource.ErrSlug.
	Assign(ctx context.Context, name string, org workspace.ID) error
	// Save stores a resource, and claims its identifier for its workspace. It fails with
	// resource.ErrTaken where another has the identifier, and with
	// resource.ErrRegistered where it has a resource already.
	Save(ctx context.Context, r *resource.Resource) error
	// Delete removes a resource; its identifier stays with the workspace. It fails with
	// aggregate.ErrConflict when it was changed by somebody else since it was read.
	Delete(ctx context.Context, r *resource.Resource) error
	// Claimed counts the names that a workspace has beside slugs. It holds off every
	// other transaction that asks the same until this one ends, and fails with
	// workspace.ErrNotFound.
	Claimed(ctx context.Context, org workspace.ID) (int, error)
}

// ResourceDirectory reads resources and audiences, outside any transaction.
type ResourceDirectory interface {
	// List returns the resources that match, newest first.
	List(ctx context.Context, query ResourceQuery) ([]resource.Snapshot, error)
	// Find fails with resource.ErrNotFound, also for a resource of another workspace than
	// the one given. The empty workspace is any.
	Find(ctx context.Context, org workspace.ID, id resource.ID) (resource.Snapshot, error)
	// Audience returns who has a name; nil when nobody does.
	Audience(ctx context.Context, name string) (*resource.Audience, error)
	// DomainOwner returns that of AudienceDomains, read outside a unit of work.
	DomainOwner(ctx context.Context, audience string) (workspace.ID, error)
}

// AudienceDomains tells whose https audiences are by the verified domains they are under,
// inside a unit of work.
type AudienceDomains interface {
	// DomainOwner returns the workspace that has verified the closest of the domains that an
	// audience is under; empty for none.
	DomainOwner(ctx context.Context, audience string) (workspace.ID, error)
	// Yielding lists the audiences under a domain that another workspace than the one given
	// has, and that yield, in the order of their names. It reads every https audience.
	Yielding(ctx context.Context, under email.Domain, org workspace.ID) ([]string, error)
}

// ResourceQuery narrows a list of resources; zero values do not narrow.
type ResourceQuery struct {
	Org workspace.ID
	// Before is the last id of the page before.
	Before resource.ID
	Limit  int
}

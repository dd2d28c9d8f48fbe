package workspaces

import (
	"context"

	"gatehouse.internal/domain/branding"
	"gatehouse.internal/domain/workspace"
)

// Brandings stores branding, inside a unit of work. The empty workspace is the
// instance.
type Brandings interface {
	BrandingDirectory
	// Get returns and locks the branding of a workspace. It fails with
	// workspace.ErrNotFound.
	Get(ctx context.Context, org workspace.ID) (branding.Settings, error)
	Set(ctx context.Context, org workspace.ID, look branding.Settings) error
}

// BrandingDirectory reads effective branding, inside or outside a transaction.
type BrandingDirectory interface {
	// InForce returns the branding of a workspace, completed by that of the instance;
	// for an unknown workspace that of the instance. Values set in neither are empty.
	InForce(ctx context.Context, org workspace.ID) (branding.Settings, error)
	// InForceAt is InForce for the workspace of a slug.
	InForceAt(ctx context.Context, slug workspace.Slug) (branding.Settings, error)
}

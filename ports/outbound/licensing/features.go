package licensing

import (
	"context"
	"time"

	"gatehouse.internal/domain/feature"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/domain/workspace"
)

// Features stores the features of workspaces, inside a unit of work.
type Features interface {
	// Hold blocks other changes of the features of a workspace until the transaction
	// ends, and returns the number of features and of all their rules.
	Hold(ctx context.Context, org workspace.ID) (features, rules int, err error)
	// ByKey returns a feature, and prevents its deletion. It fails with
	// feature.ErrNotFound.
	ByKey(ctx context.Context, org workspace.ID, key feature.Key) (*feature.Feature, error)
	// Save stores a feature. It fails with feature.ErrTaken.
	Save(ctx context.Context, f *feature.Feature) error
	// Delete deletes a feature with its overrides.
	Delete(ctx context.Context, f *feature.Feature) error
}

// Overrides stores overrides of features, inside a unit of work.
type Overrides interface {
	// Get returns an override. It fails with feature.ErrNoOverride, also if it has
	// expired.
	Get(ctx context.Context, org workspace.ID, key feature.Key, whose feature.Target, now time.Time) (feature.Override, error)
	// Put stores an override, replacing an existing one.
	Put(ctx context.Context, o feature.Override) error
	Delete(ctx context.Context, o feature.Override) error
}

// FeatureDirectory reads features, outside any transaction.
type FeatureDirectory interface {
	// List returns the features of a workspace that match, sorted by key.
	List(ctx context.Context, query FeatureQuery) ([]feature.Snapshot, error)
	// Overrides returns the active overrides that match, sorted by feature.
	Overrides(ctx context.Context, query OverrideQuery) ([]feature.Override, error)
	// Holdings returns everything that determines somebody's features, in one
	// statement.
	Holdings(ctx context.Context, ask HoldingsQuery) (FeatureHoldings, error)
}

// FeatureQuery narrows a list of features.
type FeatureQuery struct {
	Org workspace.ID
	// Begins is a prefix of the key.
	Begins string
	// After is the last key of the previous page.
	After feature.Key
	Limit int
}

// OverrideQuery narrows a list of overrides; zero values do not narrow.
type OverrideQuery struct {
	Org   workspace.ID
	Key   feature.Key
	Whose feature.Target
	Now   time.Time
	// AfterKey and AfterName identify the last override of the previous page.
	AfterKey  feature.Key
	AfterName string
	Limit     int
}

// HoldingsQuery identifies the person or workspace to evaluate features for.
type HoldingsQuery struct {
	// Org is the workspace that defines the features.
	Org workspace.ID
	// Person and Workspace are the subjects; "" for none.
	Person, Workspace feature.Target
	// Product restricts the licenses to those of a product; "" for any.
	Product product.ID
	// Known is the revision of features in the caller's cache; at this revision they
	// are not returned.
	Known int64
	Now   time.Time
}

// FeatureHoldings is what determines somebody's features, at one point in time.
type FeatureHoldings struct {
	feature.Holdings

	// Licensed reports whether there is an active license.
	Licensed bool
	// Revision counts the changes of the workspace's features; 0 for none.
	Revision int64
	// Features are all features of the workspace, sorted by key, unless Revision is
	// Known.
	Features []feature.Snapshot
}

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
	// Hold holds off every other change of the features of a workspace until the
	// transaction ends, and counts them and all their rules.
	Hold(ctx context.Context, org workspace.ID) (features, rules int, err error)
	// ByKey reads a feature, and holds off its deletion. It fails with feature.ErrNotFound.
	ByKey(ctx context.Context, org workspace.ID, key feature.Key) (*feature.Feature, error)
	// Save fails with feature.ErrTaken.
	Save(ctx context.Context, f *feature.Feature) error
	// Delete removes a feature with its overrides.
	Delete(ctx context.Context, f *feature.Feature) error
}

// Overrides stores the values that are pinned, inside a unit of work.
type Overrides interface {
	// Get fails with feature.ErrNoOverride; one that has expired is none.
	Get(ctx context.Context, org workspace.ID, key feature.Key, whose feature.Whose, now time.Time) (feature.Override, error)
	// Put takes the place of one that there is.
	Put(ctx context.Context, o feature.Override) error
	Delete(ctx context.Context, o feature.Override) error
}

// FeatureDirectory reads features, outside any transaction.
type FeatureDirectory interface {
	// List returns the features of a workspace that match, in the order of their keys.
	List(ctx context.Context, query FeatureQuery) ([]feature.Snapshot, error)
	// Overrides returns those in force that match, in the order of their features.
	Overrides(ctx context.Context, query OverrideQuery) ([]feature.Override, error)
	// Holdings reads, in one statement, what decides about the features of somebody.
	Holdings(ctx context.Context, ask HoldingsAsk) (FeatureHoldings, error)
}

// FeatureQuery narrows a list of features.
type FeatureQuery struct {
	Org workspace.ID
	// Begins is what the key begins with.
	Begins string
	// After is the last key of the page before.
	After feature.Key
	Limit int
}

// OverrideQuery narrows a list of overrides; zero values do not narrow.
type OverrideQuery struct {
	Org   workspace.ID
	Key   feature.Key
	Whose feature.Whose
	Now   time.Time
	// AfterKey and AfterName are the feature and the name of whose the last override of
	// the page before is.
	AfterKey  feature.Key
	AfterName string
	Limit     int
}

// HoldingsAsk says for whom features are to be decided.
type HoldingsAsk struct {
	// Org is the workspace whose features they are.
	Org workspace.ID
	// Person and Workspace are for whom; "" for none.
	Person, Workspace feature.Whose
	// Product narrows licences to those of one; "" for any.
	Product product.ID
	// Known is the revision of the features that are known already; they are not read
	// then.
	Known int64
	Now   time.Time
}

// FeatureHoldings is what decides about the features of somebody, as it was at one
// moment.
type FeatureHoldings struct {
	feature.Holdings

	// Licensed reports whether there is a licence that holds.
	Licensed bool
	// Revision is how often the features of the workspace changed; 0 for never.
	Revision int64
	// Features are all of the workspace, in the order of their keys, unless Revision is the
	// one that was known.
	Features []feature.Snapshot
}

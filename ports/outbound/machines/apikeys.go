package machines

import (
	"context"
	"time"

	"gatehouse.internal/domain/apikey"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// APIKeys stores API keys, inside a unit of work.
type APIKeys interface {
	// ByID fails with apikey.ErrNotFound.
	ByID(ctx context.Context, id apikey.ID) (*apikey.Key, error)
	// ByDigests returns the keys that one of these texts is or was of, in the order of
	// their ids.
	ByDigests(ctx context.Context, digests []string) ([]*apikey.Key, error)
	Save(ctx context.Context, k *apikey.Key) error
	// Matching returns up to limit keys that match, in the order of their ids from the
	// newest down.
	Matching(ctx context.Context, query APIKeyQuery) ([]*apikey.Key, error)
	// Active counts the active keys of a user. It holds off every other transaction
	// that asks the same until this one ends.
	Active(ctx context.Context, owner user.ID, now time.Time) (int, error)
	// LastUse returns when a key was used last, as it was recorded; unset for never.
	LastUse(ctx context.Context, id apikey.ID) (time.Time, error)
}

// APIKeyDirectory lists API keys for reading, outside any transaction.
type APIKeyDirectory interface {
	// List returns the keys that match, newest first.
	List(ctx context.Context, query APIKeyQuery) ([]ListedAPIKey, error)
	// Summary counts the keys of a user.
	Summary(ctx context.Context, owner user.ID, at APIKeyMoments) (APIKeySummary, error)
}

// ListedAPIKey is a key in a list, without its texts.
type ListedAPIKey struct {
	Key apikey.Snapshot
	// UsedAt is the last use that was recorded; unset for never.
	UsedAt time.Time
}

// APIKeyQuery narrows a list of keys; zero values do not narrow.
type APIKeyQuery struct {
	User user.ID
	Org  workspace.ID
	// Status is that at the time Now.
	Status apikey.Status
	// Scopes narrows to keys that carry at least one of these, as they are written.
	Scopes []string
	// Prefix is how the shown beginning begins.
	Prefix string
	// UnusedSince narrows to keys that were made and last used before it.
	UnusedSince   time.Time
	CreatedBefore time.Time
	Except        apikey.ID
	// Before is the last id of the page before.
	Before apikey.ID
	Limit  int
	Now    time.Time
}

// APIKeyMoments are the times that keys are counted by.
type APIKeyMoments struct {
	Now time.Time
	// Soon is when a key that ends until then is expiring soon.
	Soon time.Time
}

// APIKeySummary counts the keys of a user.
type APIKeySummary struct {
	Total, Active int
	// ExpiringSoon and UniqueScopes count among the active ones.
	ExpiringSoon, UniqueScopes int
}

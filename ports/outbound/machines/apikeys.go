package machines

import (
	"context"
	"time"

	"gatehouse.internal/domain/apikey"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// APIKeys stores API keys, inside a unit of work.
type APIKeys interface {
	// ByID returns an API key. It fails with apikey.ErrNotFound.
	ByID(ctx context.Context, id apikey.ID) (*apikey.Key, error)
	// ByDigests returns the keys whose current or previous secret has one of the
	// digests, sorted by ID.
	ByDigests(ctx context.Context, digests []string) ([]*apikey.Key, error)
	Save(ctx context.Context, k *apikey.Key) error
	// Matching returns up to limit keys that match, newest first.
	Matching(ctx context.Context, query APIKeyQuery) ([]*apikey.Key, error)
	// Active returns the number of active keys of a user. It blocks concurrent calls
	// for the user until the transaction ends.
	Active(ctx context.Context, owner user.ID, now time.Time) (int, error)
	// LastUse returns the recorded time of the last use; zero for never.
	LastUse(ctx context.Context, id apikey.ID) (time.Time, error)
}

// ExpiringAPIKeys finds API keys that are about to expire, inside a unit of work.
type ExpiringAPIKeys interface {
	// Expiring returns events for live keys that expire within apikey.Notice, each once for
	// its expiry time, and reports whether there may be more. At most so many are looked at.
	Expiring(ctx context.Context, now time.Time, most int) (events []event.Data, more bool, err error)
}

// APIKeyDirectory reads API keys, outside any transaction.
type APIKeyDirectory interface {
	// List returns the keys that match, newest first.
	List(ctx context.Context, query APIKeyQuery) ([]ListedAPIKey, error)
	// Summary returns the numbers of keys of a user.
	Summary(ctx context.Context, owner user.ID, at APIKeyMoments) (APIKeySummary, error)
}

// ListedAPIKey is a key without its secrets.
type ListedAPIKey struct {
	Key apikey.Snapshot
	// UsedAt is the recorded time of the last use; zero for never.
	UsedAt time.Time
}

// APIKeyQuery narrows a list of keys; zero values do not narrow.
type APIKeyQuery struct {
	User user.ID
	Org  workspace.ID
	// Status is the status at Now.
	Status apikey.Status
	// Scopes selects keys with at least one of these scopes.
	Scopes []string
	// Prefix is a prefix of the visible part of the key.
	Prefix string
	// UnusedSince selects keys that were created and last used before it.
	UnusedSince   time.Time
	CreatedBefore time.Time
	Except        apikey.ID
	// Before is the last ID of the previous page.
	Before apikey.ID
	Limit  int
	Now    time.Time
}

// APIKeyMoments are the times used for the counts.
type APIKeyMoments struct {
	Now time.Time
	// Soon is the latest expiry of a key that counts as expiring soon.
	Soon time.Time
}

// APIKeySummary counts the keys of a user.
type APIKeySummary struct {
	Total, Active int
	// ExpiringSoon and UniqueScopes refer to active keys.
	ExpiringSoon, UniqueScopes int
}

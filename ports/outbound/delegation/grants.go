package delegation

import (
	"context"
	"time"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/domain/user"
)

// Grants stores grants of people to clients, inside a unit of work.
type Grants interface {
	// ByID returns a grant. It fails with oauth.ErrGrantNotFound.
	ByID(ctx context.Context, id oauth.GrantID) (*oauth.Grant, error)
	// Save stores a grant. It fails with aggregate.ErrBereft if its person or its app
	// no longer exists.
	Save(ctx context.Context, g *oauth.Grant) error
	// Matching returns at most Limit grants that have neither ended nor expired, nor
	// ended with their session.
	Matching(ctx context.Context, query GrantQuery) ([]*oauth.Grant, error)
}

// GrantQuery selects grants of a person; App narrows them to those of one app.
type GrantQuery struct {
	User  user.ID
	App   app.ID
	Limit int
	Now   time.Time
}

// GrantTurns stores the most frequent changes of grants. Concurrent calls share one
// commit; a call returns when its change is durable.
type GrantTurns interface {
	// Issue stores a new grant. It fails with aggregate.ErrConflict unless its session
	// and its consent are valid and not being changed; agreed is the consent as read,
	// or nil if none is needed.
	Issue(ctx context.Context, g *oauth.Grant, agreed *oauth.ConsentSnapshot) error
	// Store stores a live grant whose code was redeemed or whose refresh token was
	// used. It fails with aggregate.ErrConflict if the grant was changed or deleted
	// since it was read.
	Store(ctx context.Context, g *oauth.Grant) error
}

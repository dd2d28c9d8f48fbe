package delegation

import (
	"context"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/domain/user"
)

// Grants stores what clients were let have, inside a unit of work.
type Grants interface {
	// ByID fails with oauth.ErrGrantNotFound.
	ByID(ctx context.Context, id oauth.GrantID) (*oauth.Grant, error)
	// Save stores a grant. It fails with aggregate.ErrBereft when its person or its app is gone.
	Save(ctx context.Context, g *oauth.Grant) error
	// Of returns the grants of an app for a person that have not ended.
	Of(ctx context.Context, person user.ID, client app.ID) ([]*oauth.Grant, error)
}

// GrantTurns stores what happens most to grants. Those that wait together share one commit; a call
// answers when it is durable.
type GrantTurns interface {
	// Issue stores a grant that was made. It fails with aggregate.ErrConflict unless its session
	// and its consent stand, and nobody is about to change that; agreed is the consent as it was
	// read, or nil where none is needed.
	Issue(ctx context.Context, g *oauth.Grant, agreed *oauth.ConsentSnapshot) error
	// Store stores a grant whose code was redeemed or whose refresh token was used, and which goes
	// on. It fails with aggregate.ErrConflict when the grant was changed by somebody else since it
	// was read, or is gone.
	Store(ctx context.Context, g *oauth.Grant) error
}

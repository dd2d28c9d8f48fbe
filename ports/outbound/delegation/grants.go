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

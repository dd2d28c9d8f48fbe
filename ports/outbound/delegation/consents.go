package delegation

import (
	"context"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
)

// Consents stores which apps people let in, inside a unit of work.
type Consents interface {
	// Get fails with oauth.ErrConsentNotFound.
	Get(ctx context.Context, person user.ID, client app.ID) (*oauth.Consent, error)
	Save(ctx context.Context, c *oauth.Consent) error
	// Remove deletes a consent, and stores what happened to it.
	Remove(ctx context.Context, c *oauth.Consent) error
}

// ConsentDirectory lists consents for reading, outside any transaction.
type ConsentDirectory interface {
	// Find returns what a person agreed to for an app. It fails with
	// oauth.ErrConsentNotFound.
	Find(ctx context.Context, person user.ID, client app.ID) (oauth.ConsentSnapshot, error)
	// UsedIn reports whether an app was granted something in a session.
	UsedIn(ctx context.Context, within session.ID, client app.ID) (bool, error)
	// List returns the consents that match, ordered by person and app.
	List(ctx context.Context, query ConsentQuery) ([]ListedConsent, error)
}

// ConsentQuery narrows a list of consents. One of User and App at least is set.
type ConsentQuery struct {
	User user.ID
	App  app.ID
	// AfterUser and AfterApp are those of the last one of the page before.
	AfterUser user.ID
	AfterApp  app.ID
	Limit     int
}

// ListedConsent is a consent with what people know the app by.
type ListedConsent struct {
	oauth.ConsentSnapshot

	Slug, Name, LogoURL string
}

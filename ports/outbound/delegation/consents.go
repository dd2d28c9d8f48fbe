package delegation

import (
	"context"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
)

// Consents stores consents of people to apps, inside a unit of work.
type Consents interface {
	// Get returns a consent. It fails with oauth.ErrConsentNotFound.
	Get(ctx context.Context, person user.ID, client app.ID) (*oauth.Consent, error)
	// Of returns at most so many consents of a person.
	Of(ctx context.Context, person user.ID, most int) ([]*oauth.Consent, error)
	Save(ctx context.Context, c *oauth.Consent) error
	// Remove deletes a consent, and stores its events.
	Remove(ctx context.Context, c *oauth.Consent) error
}

// ConsentDirectory lists consents for reading, outside any transaction.
type ConsentDirectory interface {
	// Find returns the consent of a person to an app. It fails with
	// oauth.ErrConsentNotFound.
	Find(ctx context.Context, person user.ID, client app.ID) (oauth.ConsentSnapshot, error)
	// UsedIn reports whether an app has a grant from a session.
	UsedIn(ctx context.Context, within session.ID, client app.ID) (bool, error)
	// List returns the consents that match, ordered by person and app.
	List(ctx context.Context, query ConsentQuery) ([]ListedConsent, error)
}

// ConsentQuery narrows a list of consents. User or App must be set.
type ConsentQuery struct {
	User user.ID
	App  app.ID
	// AfterUser and AfterApp identify the last consent of the previous page.
	AfterUser user.ID
	AfterApp  app.ID
	Limit     int
}

// ListedConsent is a consent with the display data of the app.
type ListedConsent struct {
	oauth.ConsentSnapshot

	Slug, Name, LogoURL string
}

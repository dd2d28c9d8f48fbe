package app

import (
	"maps"
	"slices"
	"time"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/keytext"
	"gatehouse.internal/domain/workspace"
)

// Errors of apps.
var (
	ErrNotFound  = fault.New(fault.NotFound, "no such app")
	ErrSlugTaken = fault.Unfit("/slug", "is or was the slug of another app or the audience of another workspace: choose another slug")
	ErrPublic    = fault.Unfit("/app_id", "is a public client (spa or native), which cannot keep a secret or private key")
)

// Snapshot is the stored state of an app.
type Snapshot struct {
	ID    ID `audit:"id"`
	OrgID workspace.ID
	// Slug is the client_id; it never changes.
	Slug        string `audit:"slug"`
	Name        string `audit:"name"`
	Description string `audit:"description"`
	Type        Type   `audit:"type"`
	Addresses
	Rules
	GrantTypes []GrantType `audit:"grant_types"`
	Enabled    bool        `audit:"enabled"`
	Origin     Origin      `audit:"origin"`
	// Registration is the digest of the registration access token (RFC 7592); empty for
	// none.
	Registration string
	// AccessTTL and RefreshTTL are the maximum lifetimes of tokens; zero for the
	// defaults.
	AccessTTL     time.Duration `audit:"access_token_seconds"`
	RefreshTTL    time.Duration `audit:"refresh_token_seconds"`
	TokenExchange bool          `audit:"token_exchange"`
	// ExchangeClients are the client_ids of other apps whose tokens the app may
	// exchange, with TokenExchange.
	ExchangeClients []string `audit:"token_exchange_clients"`
	// Scopes are granted. With Listed, tokens carry nothing beyond them; without,
	// scopes that are no permissions of this service need no grant, until they are
	// Withdrawn.
	Scopes    []string `audit:"scopes"`
	Listed    bool     `audit:"listed"`
	Withdrawn []string `audit:"withdrawn"`
	// Vouched are those of Scopes that a superadmin granted: they alone open an API of
	// the instance.
	Vouched []string `audit:"vouched"`
	Secrets []Secret `audit:"secrets"`
	// JWKS is a JWK Set of public keys (RFC 7517), JWKSURI where one is found. One
	// of the two at most is set.
	JWKS    string `audit:"jwks"`
	JWKSURI string `audit:"jwks_uri"`
	// Claims are expressions by the name of the claim.
	Claims map[string]string `audit:"claims"`
	// RevokedBefore ends its tokens that were issued before. Whoever revokes tokens
	// stores it; saving an app leaves it as it is.
	RevokedBefore time.Time
	CreatedAt     time.Time
	UpdatedAt     time.Time
}

// App is a service account or an OAuth client of a workspace.
type App struct {
	aggregate.Root
	s Snapshot
}

// Registration are the attributes of a new app.
type Registration struct {
	ID          ID
	OrgID       workspace.ID
	Slug        string
	Name        string
	Description string
	// Type and GrantTypes have defaults: a service, and the grant types of the type.
	Type         Type
	GrantTypes   []GrantType
	RedirectURLs []string
	LogoutURLs   []string
	LogoURL      string
	PolicyURL    string
	TermsURL     string
	Rules        Rules
	// Origin is who vouches for the app, and Token its registration access token, if
	// any.
	Origin Origin
	Token  string
	// JWKS or JWKSURI are the keys of an app that signs, as in Snapshot.
	JWKS    string
	JWKSURI string
	// Scopes are granted; when they are not nil, tokens carry nothing beyond them.
	Scopes []string
	// Vouched is set when a superadmin grants them.
	Vouched bool
	// Secret is the first one, if there is to be any; a public client gets none.
	Secret Secret
}

// Register creates an app. It fails with ErrSlugTaken for the slug LoginClient and
// identifiers of other apps, and with a validation fault for attributes that do not
// match the type.
func Register(r Registration, now time.Time) (*App, error) {
	if r.Slug == LoginClient || idForm.MatchString(r.Slug) && r.Slug != r.ID.String() {
		return nil, ErrSlugTaken
	}
	if r.Type == "" {
		r.Type = Service
	}
	if r.GrantTypes == nil {
		r.GrantTypes = r.Type.defaultGrants()
	}
	a := &App{s: Snapshot{
		ID: r.ID, OrgID: r.OrgID, Slug: r.Slug, Name: r.Name, Description: r.Description, Type: r.Type,
		Addresses: Addresses{RedirectURLs: r.RedirectURLs, LogoutURLs: r.LogoutURLs, LogoURL: r.LogoURL, PolicyURL: r.PolicyURL, TermsURL: r.TermsURL},
		Rules:     r.Rules, GrantTypes: r.GrantTypes, Origin: r.Origin, JWKS: r.JWKS, JWKSURI: r.JWKSURI,
		Enabled: true, Scopes: sorted(r.Scopes), Listed: r.Scopes != nil, CreatedAt: now, UpdatedAt: now,
	}}
	if r.Token != "" {
		a.s.Registration = keytext.Digest(r.Token)
	}
	if err := a.s.check(); err != nil {
		return nil, err
	}
	if r.Vouched {
		a.s.Vouched = a.s.Scopes
	}
	if r.Secret.ID != "" && !r.Type.Public() {
		a.s.Secrets = []Secret{r.Secret}
	}
	a.Track(&a.s)
	a.Raise(Registered{AppID: r.ID, OrgID: r.OrgID, Slug: r.Slug, Type: r.Type, Scopes: a.s.Scopes})
	return a, nil
}

// Restore returns the app that was stored.
func Restore(s Snapshot, version int64) *App {
	a := &App{Root: aggregate.At(version), s: s}
	a.Track(&a.s)
	return a
}

// Snapshot returns the state to store.
func (a *App) Snapshot() Snapshot { return a.s }

// ID returns the app's identifier.
func (a *App) ID() ID { return a.s.ID }

// Org returns the workspace that the app belongs to.
func (a *App) Org() workspace.ID { return a.s.OrgID }

// Delete ends the app. It is for the store to remove it.
func (a *App) Delete() { a.Raise(Deleted{AppID: a.s.ID, OrgID: a.s.OrgID, Slug: a.s.Slug}) }

// SetKeys replaces the keys for private_key_jwt (RFC 7523): a JWK Set, its address, or
// none. It fails with ErrPublic, except for an app with a metadata document, which may
// sign its request objects. The same values change nothing.
func (a *App) SetKeys(jwks, uri string, now time.Time) error {
	if a.s.Type.Public() && !a.s.Describes() && jwks+uri != "" {
		return ErrPublic
	}
	if a.s.JWKS == jwks && a.s.JWKSURI == uri {
		return nil
	}
	a.s.JWKS, a.s.JWKSURI, a.s.UpdatedAt = jwks, uri, now
	source := KeysNone
	switch {
	case jwks != "":
		source = KeysGiven
	case uri != "":
		source = KeysFetched
	}
	a.Raise(KeysSet{AppID: a.s.ID, OrgID: a.s.OrgID, Source: source})
	return nil
}

// HasKeys reports whether the app has keys that it signs by.
func (s Snapshot) HasKeys() bool { return s.JWKS != "" || s.JWKSURI != "" }

// SetClaims replaces the custom claims, expressions by name. It fails with a validation
// fault for a reserved name. The caller must check that the expressions compile. The
// same claims change nothing.
func (a *App) SetClaims(claims map[string]string, now time.Time) error {
	if err := CheckClaims(claims); err != nil {
		return err
	}
	if maps.Equal(a.s.Claims, claims) {
		return nil
	}
	a.s.Claims, a.s.UpdatedAt = maps.Clone(claims), now
	a.Raise(ClaimsSet{AppID: a.s.ID, OrgID: a.s.OrgID, Names: slices.Sorted(maps.Keys(claims))})
	return nil
}

package sqlstore

import (
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/workspace"
)

// Day is the unit of lifetimes in days.
const Day = 24 * time.Hour

// AppColumns are the columns of an AppRow.
const AppColumns = `id, org_id, slug, name, description, type, redirect_urls, logout_urls, grant_types, logo_url, policy_url,
	terms_url, enabled, access_ttl_seconds, refresh_ttl_days, token_exchange, scopes, scopes_listed, scopes_withdrawn, scopes_vouched, secrets, jwks,
	jwks_uri, rules, origin, registration, exchange_clients, claims, revoked_before, created_at, updated_at, version`

// AppRow is an app as it is stored.
type AppRow struct {
	ID               app.ID       `db:"id"`
	OrgID            workspace.ID `db:"org_id"`
	Slug             string       `db:"slug"`
	Name             string       `db:"name"`
	Description      string       `db:"description"`
	Type             app.Type     `db:"type"`
	RedirectURLs     string       `db:"redirect_urls"`
	LogoutURLs       string       `db:"logout_urls"`
	GrantTypes       string       `db:"grant_types"`
	LogoURL          string       `db:"logo_url"`
	PolicyURL        string       `db:"policy_url"`
	TermsURL         string       `db:"terms_url"`
	Enabled          bool         `db:"enabled"`
	AccessTTLSeconds int64        `db:"access_ttl_seconds"`
	RefreshTTLDays   int64        `db:"refresh_ttl_days"`
	TokenExchange    bool         `db:"token_exchange"`
	Scopes           string       `db:"scopes"`
	Listed           bool         `db:"scopes_listed"`
	Withdrawn        string       `db:"scopes_withdrawn"`
	Vouched          string       `db:"scopes_vouched"`
	Secrets          string       `db:"secrets"`
	JWKS             string       `db:"jwks"`
	JWKSURI          string       `db:"jwks_uri"`
	Rules            string       `db:"rules"`
	Origin           app.Origin   `db:"origin"`
	Registration     string       `db:"registration"`
	ExchangeClients  string       `db:"exchange_clients"`
	Claims           string       `db:"claims"`
	RevokedBefore    Instant      `db:"revoked_before"`
	CreatedAt        Instant      `db:"created_at"`
	UpdatedAt        Instant      `db:"updated_at"`
	Version          int64        `db:"version"`
}

func (r *AppRow) into() []any {
	return []any{
		(*string)(&r.ID), (*string)(&r.OrgID), &r.Slug, &r.Name, &r.Description, (*string)(&r.Type), &r.RedirectURLs, &r.LogoutURLs,
		&r.GrantTypes, &r.LogoURL, &r.PolicyURL, &r.TermsURL, &r.Enabled, &r.AccessTTLSeconds, &r.RefreshTTLDays, &r.TokenExchange,
		&r.Scopes, &r.Listed, &r.Withdrawn, &r.Vouched, &r.Secrets, &r.JWKS, &r.JWKSURI, &r.Rules, (*string)(&r.Origin), &r.Registration, &r.ExchangeClients, &r.Claims, &r.RevokedBefore, &r.CreatedAt, &r.UpdatedAt, &r.Version,
	}
}

// Snapshot decodes a stored app.
func (r *AppRow) Snapshot() (app.Snapshot, error) {
	s := app.Snapshot{
		ID: r.ID, OrgID: r.OrgID, Slug: r.Slug, Name: r.Name, Description: r.Description, Type: r.Type,
		Addresses: app.Addresses{LogoURL: r.LogoURL, PolicyURL: r.PolicyURL, TermsURL: r.TermsURL},
		Enabled:   r.Enabled, TokenExchange: r.TokenExchange,
		AccessTTL:  time.Duration(r.AccessTTLSeconds) * time.Second,
		RefreshTTL: time.Duration(r.RefreshTTLDays) * Day,
		Listed:     r.Listed, JWKS: r.JWKS, JWKSURI: r.JWKSURI, Origin: r.Origin, Registration: r.Registration,
		RevokedBefore: r.RevokedBefore.Time, CreatedAt: r.CreatedAt.Time, UpdatedAt: r.UpdatedAt.Time,
	}
	decode := listDecoder{}
	decodeInto(&decode, r.RedirectURLs, &s.RedirectURLs)
	decodeInto(&decode, r.LogoutURLs, &s.LogoutURLs)
	decodeInto(&decode, r.GrantTypes, &s.GrantTypes)
	decodeInto(&decode, r.Scopes, &s.Scopes)
	decodeInto(&decode, r.Withdrawn, &s.Withdrawn)
	decodeInto(&decode, r.Vouched, &s.Vouched)
	decodeInto(&decode, r.Secrets, &s.Secrets)
	decodeInto(&decode, r.ExchangeClients, &s.ExchangeClients)
	if decode.err == nil && r.Rules != "" {
		decode.err = json.Unmarshal([]byte(r.Rules), &s.Rules)
	}
	if decode.err == nil && r.Claims != "" {
		decode.err = json.Unmarshal([]byte(r.Claims), &s.Claims)
	}
	if decode.err != nil {
		return app.Snapshot{}, fmt.Errorf("decode the app %s: %w", r.ID, decode.err)
	}
	return s, nil
}

package sqlstore

import (
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
)

// day is what times to live in days are counted in.
const day = 24 * time.Hour

// appColumns are what an appRow reads.
const appColumns = `id, org_id, slug, name, description, type, redirect_urls, logout_urls, grant_types, logo_url, policy_url,
	terms_url, enabled, access_ttl_seconds, refresh_ttl_days, token_exchange, scopes, scopes_listed, scopes_withdrawn, secrets, jwks,
	jwks_uri, claims, revoked_before, created_at, updated_at, version`

// appRow is an app as it is stored.
type appRow struct {
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
	Secrets          string       `db:"secrets"`
	JWKS             string       `db:"jwks"`
	JWKSURI          string       `db:"jwks_uri"`
	Claims           string       `db:"claims"`
	RevokedBefore    instant      `db:"revoked_before"`
	CreatedAt        instant      `db:"created_at"`
	UpdatedAt        instant      `db:"updated_at"`
	Version          int64        `db:"version"`
}

func (r *appRow) into() []any {
	return []any{
		(*string)(&r.ID), (*string)(&r.OrgID), &r.Slug, &r.Name, &r.Description, (*string)(&r.Type), &r.RedirectURLs, &r.LogoutURLs,
		&r.GrantTypes, &r.LogoURL, &r.PolicyURL, &r.TermsURL, &r.Enabled, &r.AccessTTLSeconds, &r.RefreshTTLDays, &r.TokenExchange,
		&r.Scopes, &r.Listed, &r.Withdrawn, &r.Secrets, &r.JWKS, &r.JWKSURI, &r.Claims, &r.RevokedBefore, &r.CreatedAt, &r.UpdatedAt, &r.Version,
	}
}

func (r *appRow) answer(_ *Store, into *outbound.AdmissionAnswer) error {
	snapshot, err := r.snapshot()
	into.Client = &outbound.Client{App: snapshot, Version: r.Version}
	return err
}

// snapshot decodes a stored app.
func (r *appRow) snapshot() (app.Snapshot, error) {
	s := app.Snapshot{
		ID: r.ID, OrgID: r.OrgID, Slug: r.Slug, Name: r.Name, Description: r.Description, Type: r.Type,
		Addresses: app.Addresses{LogoURL: r.LogoURL, PolicyURL: r.PolicyURL, TermsURL: r.TermsURL},
		Enabled:   r.Enabled, TokenExchange: r.TokenExchange,
		AccessTTL:  time.Duration(r.AccessTTLSeconds) * time.Second,
		RefreshTTL: time.Duration(r.RefreshTTLDays) * day,
		Listed:     r.Listed, JWKS: r.JWKS, JWKSURI: r.JWKSURI,
		RevokedBefore: r.RevokedBefore.Time, CreatedAt: r.CreatedAt.Time, UpdatedAt: r.UpdatedAt.Time,
	}
	decode := listDecoder{}
	decodeInto(&decode, r.RedirectURLs, &s.RedirectURLs)
	decodeInto(&decode, r.LogoutURLs, &s.LogoutURLs)
	decodeInto(&decode, r.GrantTypes, &s.GrantTypes)
	decodeInto(&decode, r.Scopes, &s.Scopes)
	decodeInto(&decode, r.Withdrawn, &s.Withdrawn)
	decodeInto(&decode, r.Secrets, &s.Secrets)
	if decode.err == nil && r.Claims != "" {
		decode.err = json.Unmarshal([]byte(r.Claims), &s.Claims)
	}
	if decode.err != nil {
		return app.Snapshot{}, fmt.Errorf("decode the app %s: %w", r.ID, decode.err)
	}
	return s, nil
}

// listDecoder keeps the first error of several lists.
type listDecoder struct{ err error }

func decodeInto[T any](d *listDecoder, encoded string, into *[]T) {
	if d.err == nil {
		*into, d.err = decodeList[T](encoded)
	}
}

// appState gives the columns of an app but for its identifier, and for
// revoked_before, which belongs to IssuedTokens.
func appState(s app.Snapshot) (row, error) {
	claims := ""
	if len(s.Claims) > 0 {
		encoded, err := json.Marshal(s.Claims, json.Deterministic(true))
		if err != nil {
			return nil, fmt.Errorf("encode the claims of the app %s: %w", s.ID, err)
		}
		claims = string(encoded)
	}
	encode := listEncoder{}
	state := row{
		{"org_id", s.OrgID.String()},
		{"slug", s.Slug},
		{"name", s.Name},
		{"name_folded", strings.ToLower(s.Name)},
		{"description", s.Description},
		{"type", string(s.Type)},
		{"redirect_urls", encodeInto(&encode, s.RedirectURLs)},
		{"logout_urls", encodeInto(&encode, s.LogoutURLs)},
		{"grant_types", encodeInto(&encode, s.GrantTypes)},
		{"logo_url", s.LogoURL},
		{"policy_url", s.PolicyURL},
		{"terms_url", s.TermsURL},
		{"enabled", s.Enabled},
		{"access_ttl_seconds", int64(s.AccessTTL / time.Second)},
		{"refresh_ttl_days", int64(s.RefreshTTL / day)},
		{"token_exchange", s.TokenExchange},
		{"scopes", encodeInto(&encode, s.Scopes)},
		{"scopes_listed", s.Listed},
		{"scopes_withdrawn", encodeInto(&encode, s.Withdrawn)},
		{"secrets", encodeInto(&encode, s.Secrets)},
		{"jwks", s.JWKS},
		{"jwks_uri", s.JWKSURI},
		{"claims", claims},
		{"created_at", at(s.CreatedAt)},
		{"updated_at", at(s.UpdatedAt)},
	}
	if encode.err != nil {
		return nil, fmt.Errorf("encode the app %s: %w", s.ID, encode.err)
	}
	return state, nil
}

// listEncoder keeps the first error of several lists.
type listEncoder struct{ err error }

func encodeInto[T any](e *listEncoder, list []T) string {
	if e.err != nil {
		return ""
	}
	var encoded string
	encoded, e.err = encodeList(list)
	return encoded
}

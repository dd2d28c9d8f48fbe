package machines

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/signingkey"
	"gatehouse.internal/ports/outbound/machines"
)

// Apps returns the apps.
func Apps(tx *sqlstore.Tx) machines.Apps { return apps{tx} }

type apps struct{ tx *sqlstore.Tx }

// ByID reads one app.
func (r apps) ByID(ctx context.Context, id app.ID) (*app.App, error) {
	found, err := oneApp(ctx, r.tx.Queries, " WHERE id = ?", id.String())
	if err != nil {
		return nil, err
	}
	snapshot, err := found.Snapshot()
	if err != nil {
		return nil, err
	}
	return app.Restore(snapshot, found.Version), nil
}

// oneApp reads one app that a clause names. It fails with app.ErrNotFound.
func oneApp(ctx context.Context, q *sqlstore.Queries, which string, args ...any) (*sqlstore.AppRow, error) {
	var found sqlstore.AppRow
	err := q.One(ctx, &found, app.ErrNotFound, "SELECT "+sqlstore.AppColumns+" FROM apps"+which, args...)
	if err != nil {
		return nil, err
	}
	return &found, nil
}

// Save stores an app. The slug is its only unique value and never changes, so it is claimed once,
// for good. The slug of an app that nobody vouches for is an identifier or an address, and claims
// nothing.
func (r apps) Save(ctx context.Context, a *app.App) error {
	state, err := appState(a.Snapshot())
	if err != nil {
		return err
	}
	if a.Version() == 0 && a.Snapshot().Origin.Vouched() {
		claimed, err := r.tx.ClaimName(ctx, a.Snapshot().Slug, a.Org(), true)
		if err != nil {
			return err
		}
		if !claimed {
			return app.ErrSlugTaken
		}
	}
	if err := r.forgetDropped(ctx, a.Snapshot()); err != nil {
		return err
	}
	err = r.tx.Save(ctx, "apps", sqlstore.Row{{"id", a.ID().String()}}, state, a)
	if errors.Is(err, aggregate.ErrConflict) && a.Version() == 0 {
		return app.ErrSlugTaken
	}
	if err != nil {
		return fmt.Errorf("save an app: %w", err)
	}
	return saveRedirects(ctx, r.tx, a.Snapshot())
}

// forgetDropped removes the recorded uses of the secrets that a stored app no longer has.
func (r apps) forgetDropped(ctx context.Context, a app.Snapshot) error {
	var stored []string
	if err := r.tx.List(ctx, &stored, `SELECT secrets FROM apps WHERE id = ?`, a.ID.String()); err != nil {
		return fmt.Errorf("read the secrets of an app: %w", err)
	}
	if len(stored) == 0 {
		return nil
	}
	before, err := sqlstore.DecodeList[app.Secret](stored[0])
	if err != nil {
		return fmt.Errorf("decode the secrets of the app %s: %w", a.ID, err)
	}
	var dropped []string
	for _, one := range before {
		if !slices.ContainsFunc(a.Secrets, func(kept app.Secret) bool { return kept.ID == one.ID }) {
			dropped = append(dropped, one.ID.String())
		}
	}
	return r.tx.ForgetUses(ctx, dropped)
}

// Delete removes an app. Its slug stays claimed; if the previous release stored it without a claim, it is
// claimed now.
func (r apps) Delete(ctx context.Context, a *app.App) error {
	if a.Snapshot().Origin.Vouched() {
		if _, err := r.tx.ClaimName(ctx, a.Snapshot().Slug, a.Org(), true); err != nil {
			return err
		}
	}
	if err := r.tx.Delete(ctx, "apps", sqlstore.Row{{"id", a.ID().String()}}, a); err != nil {
		return err
	}
	secrets := a.Snapshot().Secrets
	subjects := make([]string, len(secrets))
	for i, s := range secrets {
		subjects[i] = s.ID.String()
	}
	return r.tx.ForgetUses(ctx, subjects)
}

// signedBy returns the algorithm that signs the ID tokens of an app; "" if it has no user sign-in.
func signedBy(s app.Snapshot) signingkey.Algorithm {
	if !s.LogsIn() {
		return ""
	}
	return s.SignedBy()
}

// appState returns the columns of an app but for its identifier, and for
// revoked_before, which belongs to IssuedTokens.
func appState(s app.Snapshot) (sqlstore.Row, error) {
	rules, claims := "", ""
	if s.Rules != (app.Rules{}) {
		encoded, err := json.Marshal(s.Rules)
		if err != nil {
			return nil, fmt.Errorf("encode the rules of the app %s: %w", s.ID, err)
		}
		rules = string(encoded)
	}
	if len(s.Claims) > 0 {
		encoded, err := json.Marshal(s.Claims, json.Deterministic(true))
		if err != nil {
			return nil, fmt.Errorf("encode the claims of the app %s: %w", s.ID, err)
		}
		claims = string(encoded)
	}
	encode := sqlstore.ListEncoder{}
	state := sqlstore.Row{
		{"org_id", s.OrgID.String()},
		{"slug", s.Slug},
		{"name", s.Name},
		{"name_folded", strings.ToLower(s.Name)},
		{"description", s.Description},
		{"type", string(s.Type)},
		{"redirect_urls", sqlstore.EncodeInto(&encode, s.RedirectURLs)},
		{"logout_urls", sqlstore.EncodeInto(&encode, s.LogoutURLs)},
		{"grant_types", sqlstore.EncodeInto(&encode, s.GrantTypes)},
		{"logo_url", s.LogoURL},
		{"policy_url", s.PolicyURL},
		{"terms_url", s.TermsURL},
		{"enabled", s.Enabled},
		{"access_ttl_seconds", int64(s.AccessTTL / time.Second)},
		{"refresh_ttl_days", int64(s.RefreshTTL / sqlstore.Day)},
		{"token_exchange", s.TokenExchange},
		{"scopes", sqlstore.EncodeInto(&encode, s.Scopes)},
		{"scopes_listed", s.Listed},
		{"scopes_withdrawn", sqlstore.EncodeInto(&encode, s.Withdrawn)},
		{"scopes_vouched", sqlstore.EncodeInto(&encode, s.Vouched)},
		{"secrets", sqlstore.EncodeInto(&encode, s.Secrets)},
		{"jwks", s.JWKS},
		{"jwks_uri", s.JWKSURI},
		{"rules", rules},
		{"id_token_alg", string(signedBy(s))},
		{"origin", string(s.Origin)},
		{"registration", s.Registration},
		{"exchange_clients", sqlstore.EncodeInto(&encode, s.ExchangeClients)},
		{"claims", claims},
		{"created_at", sqlstore.At(s.CreatedAt)},
		{"updated_at", sqlstore.At(s.UpdatedAt)},
	}
	if encode.Err != nil {
		return nil, fmt.Errorf("encode the app %s: %w", s.ID, encode.Err)
	}
	return state, nil
}

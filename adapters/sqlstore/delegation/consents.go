package delegation

import (
	"context"
	"fmt"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/delegation"
)

const consentColumns = `c.user_id, c.app_id, c.org_id, c.scopes, c.granted_at, c.last_used_at, c.version`

type consentRow struct {
	UserID     user.ID          `db:"user_id"`
	AppID      app.ID           `db:"app_id"`
	OrgID      workspace.ID     `db:"org_id"`
	Scopes     string           `db:"scopes"`
	GrantedAt  sqlstore.Instant `db:"granted_at"`
	LastUsedAt sqlstore.Instant `db:"last_used_at"`
	Version    int64            `db:"version"`
}

func (r *consentRow) snapshot() (oauth.ConsentSnapshot, error) {
	scopes, err := sqlstore.DecodeList[string](r.Scopes)
	if err != nil {
		return oauth.ConsentSnapshot{}, fmt.Errorf("decode a consent: %w", err)
	}
	return oauth.ConsentSnapshot{
		UserID: r.UserID, AppID: r.AppID, OrgID: r.OrgID, Scopes: scopes, GrantedAt: r.GrantedAt.Time, LastUsedAt: r.LastUsedAt.Time,
	}, nil
}

const selectConsent = `SELECT ` + consentColumns + ` FROM oauth_consents c WHERE c.user_id = ? AND c.app_id = ?`

// Consents returns the repository of consents.
func Consents(tx *sqlstore.Tx) delegation.Consents { return consents{tx} }

type consents struct{ tx *sqlstore.Tx }

// Get reads one consent under a lock of its row, so that no grant is issued by a consent that is being
// revoked. It fails with oauth.ErrConsentNotFound.
func (r consents) Get(ctx context.Context, person user.ID, client app.ID) (*oauth.Consent, error) {
	found, version, err := consentOf(ctx, r.tx.Queries, " {for update}", person, client)
	if err != nil {
		return nil, err
	}
	return oauth.RestoreConsent(found, version), nil
}

// Of reads consents of a user under locks of their rows, as Get does.
func (r consents) Of(ctx context.Context, person user.ID, most int) ([]*oauth.Consent, error) {
	var found []consentRow
	err := r.tx.List(ctx, &found, `SELECT `+consentColumns+` FROM oauth_consents c WHERE c.user_id = ? ORDER BY c.app_id LIMIT ? {for update}`, person.String(), most)
	if err != nil {
		return nil, fmt.Errorf("list the consents of a person: %w", err)
	}
	return sqlstore.Map(found, func(row *consentRow) (*oauth.Consent, error) {
		s, err := row.snapshot()
		return oauth.RestoreConsent(s, row.Version), err
	})
}

func consentOf(ctx context.Context, q *sqlstore.Queries, lock string, person user.ID, client app.ID) (oauth.ConsentSnapshot, int64, error) {
	var found consentRow
	err := q.One(ctx, &found, oauth.ErrConsentNotFound, selectConsent+lock, person.String(), client.String())
	if err != nil {
		return oauth.ConsentSnapshot{}, 0, err
	}
	s, err := found.snapshot()
	return s, found.Version, err
}

// Save stores a consent.
func (r consents) Save(ctx context.Context, c *oauth.Consent) error {
	s := c.Snapshot()
	scopes, err := sqlstore.EncodeList(s.Scopes)
	if err != nil {
		return fmt.Errorf("encode a consent: %w", err)
	}
	return r.tx.Save(ctx, "oauth_consents", sqlstore.Row{{"user_id", s.UserID.String()}, {"app_id", s.AppID.String()}}, sqlstore.Row{
		{"org_id", s.OrgID.String()},
		{"scopes", scopes},
		{"granted_at", sqlstore.At(s.GrantedAt)},
		{"last_used_at", sqlstore.At(s.LastUsedAt)},
	}, c)
}

// Remove deletes a consent.
func (r consents) Remove(ctx context.Context, c *oauth.Consent) error {
	s := c.Snapshot()
	if _, err := r.tx.Exec(ctx, `DELETE FROM oauth_consents WHERE user_id = ? AND app_id = ?`, s.UserID.String(), s.AppID.String()); err != nil {
		return fmt.Errorf("remove a consent: %w", err)
	}
	return r.tx.RecordOf(ctx, c)
}

// ConsentDirectory returns the directory of consents.
func ConsentDirectory(store *sqlstore.Store) delegation.ConsentDirectory {
	return consentDirectory{store}
}

type consentDirectory struct{ store *sqlstore.Store }

// Find reads one consent. It fails with oauth.ErrConsentNotFound.
func (d consentDirectory) Find(ctx context.Context, person user.ID, client app.ID) (oauth.ConsentSnapshot, error) {
	found, _, err := consentOf(ctx, d.store.Reader(ctx), "", person, client)
	return found, err
}

// UsedIn reports whether an app has a grant of a session.
func (d consentDirectory) UsedIn(ctx context.Context, within session.ID, client app.ID) (bool, error) {
	var used bool
	err := d.store.Reader(ctx).Get(ctx, &used, `SELECT EXISTS (SELECT 1 FROM oauth_grants WHERE session_id = ? AND app_id = ?)`, within.String(), client.String())
	if err != nil {
		return false, fmt.Errorf("look for a grant of a session: %w", err)
	}
	return used, nil
}

// List reads consents with their apps.
func (d consentDirectory) List(ctx context.Context, query delegation.ConsentQuery) ([]delegation.ListedConsent, error) {
	where := &sqlstore.Filter{}
	where.Unless(query.User == "", "c.user_id = ?", query.User.String())
	where.Unless(query.App == "", "c.app_id = ?", query.App.String())
	where.Unless(query.AfterUser == "", "(c.user_id, c.app_id) > (?, ?)", query.AfterUser.String(), query.AfterApp.String())
	var found []struct {
		consentRow

		Slug    string `db:"slug"`
		Name    string `db:"name"`
		LogoURL string `db:"logo_url"`
	}
	err := d.store.Reader(ctx).List(ctx, &found, `SELECT `+consentColumns+`, a.slug, a.name, a.logo_url FROM oauth_consents c JOIN apps a ON a.id = c.app_id`+
		where.String()+` ORDER BY c.user_id, c.app_id LIMIT ?`, append(where.Args, query.Limit)...)
	if err != nil {
		return nil, fmt.Errorf("list consents: %w", err)
	}
	listed := make([]delegation.ListedConsent, len(found))
	for i, one := range found {
		listed[i] = delegation.ListedConsent{Slug: one.Slug, Name: one.Name, LogoURL: one.LogoURL}
		if listed[i].ConsentSnapshot, err = one.snapshot(); err != nil {
			return nil, err
		}
	}
	return listed, nil
}

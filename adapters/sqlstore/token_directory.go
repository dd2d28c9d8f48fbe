package sqlstore

import (
	"context"
	"fmt"
	"slices"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/m2m"
	"gatehouse.internal/ports/outbound"
)

// TokenDirectory lists tokens of apps.
func (s *Store) TokenDirectory() outbound.TokenDirectory { return tokenDirectory{s} }

type tokenDirectory struct{ store *Store }

// listedRow is a token with what its app says about it.
type listedRow struct {
	JTI       string  `db:"jti"`
	App       app.ID  `db:"app_id"`
	Scope     string  `db:"scope"`
	Audience  string  `db:"audience"`
	JKT       string  `db:"jkt"`
	IssuedAt  instant `db:"issued_at"`
	ExpiresAt instant `db:"expires_at"`
	RevokedAt instant `db:"revoked_at"`
	Enabled   bool    `db:"enabled"`
	Before    instant `db:"revoked_before"`
}

// newestOfApps gives the newest tokens of the apps that conditions name. The index by
// app and jti gives those of one app at once, and no order over the tokens of several:
// so the newest of each app are taken, and of these the newest.
const newestOfApps = `
SELECT t.jti, t.app_id, t.scope, t.audience, t.jkt, t.issued_at, t.expires_at, t.revoked_at, a.enabled, a.revoked_before
FROM m2m_tokens t JOIN apps a ON a.id = t.app_id
WHERE t.jti IN (
	SELECT newest.value FROM apps a CROSS JOIN
		{each}SELECT t.jti AS value FROM m2m_tokens t%s ORDER BY t.jti DESC LIMIT ?{as newest}%s
	ORDER BY newest.value DESC LIMIT ?)
ORDER BY t.jti DESC`

// List reads a page by one statement.
func (d tokenDirectory) List(ctx context.Context, query outbound.TokenQuery) ([]m2m.Listed, error) {
	matching, of := matchTokens(query), &filter{}
	of.where("a.org_id = ?", query.Org.String())
	of.unless(query.App == "", "a.id = ?", query.App.String())
	limit := atMost(query.Limit)
	var found []listedRow
	err := d.store.reader(ctx).search(ctx, &found, fmt.Sprintf(newestOfApps, matching, of),
		slices.Concat(matching.args, []any{limit}, of.args, []any{limit})...)
	if err != nil {
		return nil, fmt.Errorf("list M2M tokens: %w", err)
	}
	listed := make([]m2m.Listed, len(found))
	for i := range found {
		listed[i] = found[i].listed()
	}
	return listed, nil
}

// matchTokens gives the conditions of a query for tokens t of one app a.
func matchTokens(query outbound.TokenQuery) *filter {
	const good = "a.enabled AND t.revoked_at IS NULL AND t.expires_at > ? AND (a.revoked_before IS NULL OR t.issued_at >= a.revoked_before)"
	f := &filter{}
	f.where("t.app_id = a.id")
	f.unless(query.Before == "", "t.jti < ?", query.Before)
	if query.Active != nil && *query.Active {
		f.where(good, at(query.Now))
	}
	if query.Active != nil && !*query.Active {
		f.where("NOT ("+good+")", at(query.Now))
	}
	return f
}

// listed takes the end of all tokens of an app for that of each.
func (r *listedRow) listed() m2m.Listed {
	ended := r.RevokedAt.Time
	if ended.IsZero() && r.IssuedAt.Before(r.Before.Time) {
		ended = r.Before.Time
	}
	return m2m.Listed{
		Issued: m2m.Issued{
			JTI: r.JTI, App: r.App, Scope: r.Scope, Audience: r.Audience, JKT: r.JKT,
			IssuedAt: r.IssuedAt.Time, ExpiresAt: r.ExpiresAt.Time,
		},
		RevokedAt: ended, Enabled: r.Enabled,
	}
}

package machines

import (
	"context"
	"fmt"
	"slices"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/live"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/liveness"
	"gatehouse.internal/domain/m2m"
	"gatehouse.internal/ports/outbound/machines"
)

// TokenDirectory lists tokens of apps.
func TokenDirectory(store *sqlstore.Store) machines.TokenDirectory { return tokenDirectory{store} }

type tokenDirectory struct{ store *sqlstore.Store }

// listedRow is a token, and whether it is live.
type listedRow struct {
	JTI       string           `db:"jti"`
	App       app.ID           `db:"app_id"`
	Scope     string           `db:"scope"`
	Audience  string           `db:"audience"`
	JKT       string           `db:"jkt"`
	IssuedAt  sqlstore.Instant `db:"issued_at"`
	ExpiresAt sqlstore.Instant `db:"expires_at"`
	RevokedAt sqlstore.Instant `db:"revoked_at"`
	Before    sqlstore.Instant `db:"revoked_before"`
	Live      bool             `db:"live"`
}

//nolint:gochecknoglobals // they are never changed
var (
	// isLive is the condition that a token is live.
	isLive = live.Token(liveness.TokenLists)

	// selectListed selects all tokens whose app exists.
	selectListed = `
SELECT t.jti, t.app_id, t.scope, t.audience, t.jkt, t.issued_at, t.expires_at, t.revoked_at, a.revoked_before, ` + string(isLive) + ` AS live
FROM m2m_tokens t JOIN apps a ON a.id = t.app_id` + sqlstore.WithOwner

	// newestOfAll selects the newest tokens of all apps, in the order of the primary key.
	newestOfAll = selectListed + `%s
ORDER BY t.jti DESC LIMIT ?`

	// newestOfApps selects the newest tokens of the apps that match conditions. The index by app and jti is ordered
	// within one app only: so the newest tokens of each app are selected, and of these the newest.
	newestOfApps = selectListed + `
WHERE t.jti IN (
	SELECT newest.value FROM apps a` + sqlstore.WithOwner + ` CROSS JOIN
		{each}SELECT t.jti AS value FROM m2m_tokens t%s ORDER BY t.jti DESC LIMIT ?{as newest}%s
	ORDER BY newest.value DESC LIMIT ?)
ORDER BY t.jti DESC`
)

// List reads a page of tokens, newest first.
func (d tokenDirectory) List(ctx context.Context, query machines.TokenQuery) ([]m2m.ListedToken, error) {
	matching, of := matchTokens(query), &sqlstore.Filter{}
	of.Unless(query.Org == "", "a.org_id = ?", query.Org.String())
	of.Unless(query.App == "", "a.id = ?", query.App.String())
	limit, shown := sqlstore.AtMost(query.Limit), isLive.Args(sqlstore.At(query.Now))
	text, args := fmt.Sprintf(newestOfAll, matching), slices.Concat(shown, matching.Args, []any{limit})
	if len(of.Conditions) > 0 {
		text, args = fmt.Sprintf(newestOfApps, matching, of), slices.Concat(shown, matching.Args, []any{limit}, of.Args, []any{limit})
	}
	var found []listedRow
	err := d.store.Reader(ctx).Search(ctx, &found, text, args...)
	if err != nil {
		return nil, fmt.Errorf("list M2M tokens: %w", err)
	}
	listed := make([]m2m.ListedToken, len(found))
	for i := range found {
		listed[i] = found[i].listed()
	}
	return listed, nil
}

// matchTokens returns the conditions of a query for tokens t of one app a.
func matchTokens(query machines.TokenQuery) *sqlstore.Filter {
	f := &sqlstore.Filter{}
	f.Where("t.app_id = a.id")
	f.Unless(query.Before == "", "t.jti < ?", query.Before)
	if query.Active != nil {
		not := map[bool]string{false: "NOT "}[*query.Active]
		f.Where(not+"("+string(isLive)+")", isLive.Args(sqlstore.At(query.Now))...)
	}
	return f
}

// listed takes the end of all tokens of an app for that of each.
func (r *listedRow) listed() m2m.ListedToken {
	ended := r.RevokedAt.Time
	if ended.IsZero() && r.IssuedAt.Before(r.Before.Time) {
		ended = r.Before.Time
	}
	return m2m.ListedToken{
		Issued: m2m.Issued{
			JTI: r.JTI, App: r.App, Scope: r.Scope, Audience: r.Audience, JKT: r.JKT,
			IssuedAt: r.IssuedAt.Time, ExpiresAt: r.ExpiresAt.Time,
		},
		RevokedAt: ended, Active: r.Live,
	}
}

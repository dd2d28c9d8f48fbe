package machines

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/m2m"
	"gatehouse.internal/ports/outbound/machines"
)

// TokenDirectory lists tokens of apps.
func TokenDirectory(store *sqlstore.Store) machines.TokenDirectory { return tokenDirectory{store} }

type tokenDirectory struct{ store *sqlstore.Store }

// listedRow is a token with the columns of its app that decide whether it is valid.
type listedRow struct {
	JTI       string           `db:"jti"`
	App       app.ID           `db:"app_id"`
	Scope     string           `db:"scope"`
	Audience  string           `db:"audience"`
	JKT       string           `db:"jkt"`
	IssuedAt  sqlstore.Instant `db:"issued_at"`
	ExpiresAt sqlstore.Instant `db:"expires_at"`
	RevokedAt sqlstore.Instant `db:"revoked_at"`
	Enabled   bool             `db:"enabled"`
	Before    sqlstore.Instant `db:"revoked_before"`
	Moved     bool             `db:"moved"`
	sqlstore.OwnerRow
}

// selectListed selects all tokens whose app exists.
const selectListed = `
SELECT t.jti, t.app_id, t.scope, t.audience, t.jkt, t.issued_at, t.expires_at, t.revoked_at, a.enabled, a.revoked_before,
	NOT ` + audienceHeld + ` AS moved, ` + sqlstore.OwnerColumns + `
FROM m2m_tokens t JOIN apps a ON a.id = t.app_id` + sqlstore.WithOwner

// audienceHeld is the condition that the audience of a token t still belongs to the workspace of its app a or to
// the instance, in the epoch of the token. An audience without an owner dates from before audiences had owners.
const audienceHeld = `COALESCE((SELECT n.epoch = t.audience_epoch AND n.org_id IN ('', a.org_id)
	FROM audiences n WHERE n.name = t.audience), TRUE)`

// newestOfAll selects the newest tokens of all apps, in the order of the primary key.
const newestOfAll = selectListed + `%s
ORDER BY t.jti DESC LIMIT ?`

// newestOfApps selects the newest tokens of the apps that match conditions. The index by app and jti is ordered
// within one app only: so the newest tokens of each app are selected, and of these the newest.
const newestOfApps = selectListed + `
WHERE t.jti IN (
	SELECT newest.value FROM apps a` + sqlstore.WithOwner + ` CROSS JOIN
		{each}SELECT t.jti AS value FROM m2m_tokens t%s ORDER BY t.jti DESC LIMIT ?{as newest}%s
	ORDER BY newest.value DESC LIMIT ?)
ORDER BY t.jti DESC`

// List reads a page of tokens, newest first.
func (d tokenDirectory) List(ctx context.Context, query machines.TokenQuery) ([]m2m.Listed, error) {
	matching, of := matchTokens(query), &sqlstore.Filter{}
	of.Unless(query.Org == "", "a.org_id = ?", query.Org.String())
	of.Unless(query.App == "", "a.id = ?", query.App.String())
	limit := sqlstore.AtMost(query.Limit)
	text, args := fmt.Sprintf(newestOfAll, matching), append(matching.Args, limit)
	if len(of.Conditions) > 0 {
		text, args = fmt.Sprintf(newestOfApps, matching, of), slices.Concat(matching.Args, []any{limit}, of.Args, []any{limit})
	}
	var found []listedRow
	err := d.store.Reader(ctx).Search(ctx, &found, text, args...)
	if err != nil {
		return nil, fmt.Errorf("list M2M tokens: %w", err)
	}
	listed := make([]m2m.Listed, len(found))
	for i := range found {
		listed[i] = found[i].listed(query.Now)
	}
	return listed, nil
}

// matchTokens returns the conditions of a query for tokens t of one app a.
func matchTokens(query machines.TokenQuery) *sqlstore.Filter {
	const good = "a.enabled AND w.disabled_at IS NULL AND t.revoked_at IS NULL AND t.expires_at > ? AND (a.revoked_before IS NULL OR t.issued_at >= a.revoked_before) AND " +
		sqlstore.OwnerUsable + "?" + sqlstore.OwnerUsableEnd + " AND " + audienceHeld
	f := &sqlstore.Filter{}
	f.Where("t.app_id = a.id")
	f.Unless(query.Before == "", "t.jti < ?", query.Before)
	if query.Active != nil && *query.Active {
		f.Where(good, sqlstore.At(query.Now), sqlstore.At(query.Now))
	}
	if query.Active != nil && !*query.Active {
		f.Where("NOT ("+good+")", sqlstore.At(query.Now), sqlstore.At(query.Now))
	}
	return f
}

// listed takes the end of all tokens of an app for that of each.
func (r *listedRow) listed(now time.Time) m2m.Listed {
	ended := r.RevokedAt.Time
	if ended.IsZero() && r.IssuedAt.Before(r.Before.Time) {
		ended = r.Before.Time
	}
	return m2m.Listed{
		Issued: m2m.Issued{
			JTI: r.JTI, App: r.App, Scope: r.Scope, Audience: r.Audience, JKT: r.JKT,
			IssuedAt: r.IssuedAt.Time, ExpiresAt: r.ExpiresAt.Time,
		},
		RevokedAt: ended, Enabled: r.Enabled && r.SuspendedAt.IsZero() && r.Availability().Usable(now), Moved: r.Moved,
	}
}

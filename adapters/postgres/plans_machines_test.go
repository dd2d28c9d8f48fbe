package postgres_test

import (
	"context"
	"strings"
	"testing"
	"time"

	machinesstore "gatehouse.internal/adapters/sqlstore/machines"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/machines"
	"gatehouse.internal/test/harness"
)

// fillTokens stores a workspace of 40 apps, one of 10, and 1,000 tokens of each app.
func (e *explained) fillTokens(t *testing.T, now time.Time) {
	t.Helper()
	e.exec(t, `INSERT INTO workspaces (id, name, created_at, version)
		SELECT 'org_' || i, '', $1, 1 FROM generate_series(1, 2) AS i`, now)
	e.exec(t, `INSERT INTO apps (id, org_id, slug, name, name_folded, description, type, redirect_urls, logout_urls, grant_types, logo_url,
			policy_url, terms_url, enabled, access_ttl_seconds, refresh_ttl_days, token_exchange, scopes, scopes_listed, secrets, jwks,
			jwks_uri, claims, created_at, updated_at, version)
		SELECT 'app_' || i, CASE WHEN i <= 40 THEN 'org_1' ELSE 'org_2' END, i::text, '', '', '', 'service', '', '', '', '', '', '', TRUE,
			0, 0, FALSE, '', FALSE, '', '', '', '', $1, $1, 1 FROM generate_series(1, 50) AS i`, now)
	e.exec(t, `INSERT INTO m2m_tokens (jti, app_id, scope, audience, jkt, issued_at, expires_at)
		SELECT lpad(i::text, 10, '0'), 'app_' || (i % 50 + 1), '', '', '', $1, $1::timestamptz + INTERVAL '1 hour'
		FROM generate_series(1, 50000) AS i`, now)
	e.exec(t, `VACUUM (ANALYZE) workspaces, apps, m2m_tokens`)
}

// A page of tokens costs one statement, however many apps there are, and reads few
// tokens that are not on it.
func TestPlansOfTokens(t *testing.T) {
	t.Parallel()
	dsn, now := harness.PostgresServer(t).DSN(), planTime()
	yes, no := true, false
	e := explainedStore(t, dsn, nil)
	e.fillTokens(t, now)
	type query = machines.TokenQuery
	const org = workspace.ID("org_1")
	for _, c := range []struct {
		what  string
		query query
		found int
	}{
		{"all", query{Org: org}, 51},
		{"the next page", query{Org: org, Before: "0000030000"}, 51},
		{"those of one app", query{Org: org, App: "app_7"}, 51},
		{"good ones", query{Org: org, Active: &yes}, 51},
		{"good ones of nobody", query{Org: org, App: "app_50", Active: &yes}, 0},
		{"others of one app", query{Org: org, App: "app_7", Active: &no}, 0},
		{"all of the instance", query{}, 51},
		{"the next page of the instance", query{Before: "0000030000"}, 51},
		{"good ones of the instance", query{Active: &yes}, 51},
	} {
		c.query.Limit, c.query.Now = 51, now
		plan := e.finding(t, c.found, func(ctx context.Context) (int, error) {
			found, err := machinesstore.TokenDirectory(e.Store).List(ctx, c.query)
			return len(found), err
		})
		if strings.Count(plan, "SELECT t.jti, t.app_id") != 1 || strings.Contains(plan, "Seq Scan on m2m_tokens") || thrown(plan) > 1000 {
			t.Errorf("%s: want one statement by indexes:\n%s", c.what, plan)
		}
	}
}

// Whether an app has an address at an origin is found by the index, however many there are.
func TestPlansOfOrigins(t *testing.T) {
	t.Parallel()
	dsn, now := harness.PostgresServer(t).DSN(), planTime()
	e := explainedStore(t, dsn, nil)
	e.fillTokens(t, now)
	e.exec(t, `INSERT INTO app_redirects (url, app_id) SELECT 'https://' || i || '.example/cb', 'app_' || (i % 50 + 1) FROM generate_series(1, 20000) AS i`)
	e.exec(t, `VACUUM (ANALYZE) app_redirects`)
	for origin, want := range map[string]bool{"https://77.example": true, "https://x.example": false} {
		plan := e.of(t, func(ctx context.Context) error {
			found, err := machinesstore.Redirects(e.Store).At(ctx, origin)
			if found != want {
				t.Errorf("At(%s) = %v", origin, found)
			}
			return err
		})
		if strings.Contains(plan, "Seq Scan on app_redirects") || thrown(plan) > 1 {
			t.Errorf("%s: want the index:\n%s", origin, plan)
		}
	}
}

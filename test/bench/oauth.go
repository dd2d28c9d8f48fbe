package main

import (
	"context"
	"database/sql"
	"encoding/base64"
	"fmt"
	"iter"
	"time"

	"gatehouse.internal/adapters/cipher"
	"gatehouse.internal/adapters/system"
	"gatehouse.internal/application/token"
	"gatehouse.internal/domain/oauth"
)

const (
	// leastCodes and leastRefreshes are how many are wanted in a second: authorizations with the
	// exchange of their code, each of two requests, and refreshes.
	leastCodes, leastRefreshes = 1500, 3000
	// clientCount is how many applications people sign in to.
	clientCount = 20
	// callback is where each of them has its answers sent.
	callback = "https://bench.example/callback"
	// granted are the scopes that people agreed to.
	granted = `["openid","profile","offline_access"]`
	// usualGrants is how many grants there are in a plain run, and in the two stores of -growth.
	usualGrants, smallGrants, largeGrants = 10_000, 1000, 10_000_000
)

// grants are those of a filled store. Like people, each follows from its number: grant k is one
// of session k modulo their number, for client k modulo theirs.
type grants struct {
	people  *people
	clients []registered
	// sample are from all over them, with tokens that are good now.
	sample []*grant
}

// grant is one as its client knows it; basic authenticates that.
type grant struct {
	held

	basic string
}

func (g *grants) id(k int) string { return g.people.id("grt", k, g.people.grants) }

// refreshToken is the first refresh token of a grant, and its digest.
func (g *grants) refreshToken(k int) (string, string) {
	made := token.Grants{Key: g.people.refreshKey, Random: drawn(digest("grant", k))}
	shown, sum := made.Refresh(oauth.GrantID(g.id(k)))
	return string(shown), string(sum)
}

// tables are the grants, and that everybody agreed to every client.
func (g *grants) tables() []table {
	p := g.people
	return []table{
		{"oauth_grants", columns(`id app_id user_id org_id session_id subject scopes resources offline auth_time amr acr nonce claims jkt created_at
			code redirect_uri challenge code_expires_at redeemed_at refresh previous rotated_at last_used_at idle_seconds
			expires_at ended_at end_reason source purge_at version`), each(p.grants, g.row)},
		{"oauth_consents", columns(`user_id app_id org_id scopes granted_at last_used_at version`), g.consents()},
	}
}

func (g *grants) row(k int) []any {
	p, j, made := g.people, k%g.people.sessions, g.people.when(k, g.people.grants)
	_, sum := g.refreshToken(k)
	code := fmt.Sprintf("%x", digest("code", k))
	ends := made.Add(absolute)
	return []any{
		g.id(k), g.clients[k%clientCount].id, p.user(j % p.users), p.org(j % p.users), p.session(j), p.user(j % p.users), granted, `[]`, true, made,
		`["pwd"]`, "urn:gatehouse:acr:1", "", "", "", made, code, callback, pkceChallenge(), made.Add(oauth.CodeLife), made, sum, "", made, made,
		int64(idle / time.Second), ends, nil, "", "", ends.Add(7 * 24 * time.Hour), 1,
	}
}

// consents has each person agree to one client.
func (g *grants) consents() iter.Seq[[]any] {
	p := g.people
	return each(p.users, func(i int) []any {
		made := p.when(i, p.users)
		return []any{p.user(i), g.clients[i%clientCount].id, p.org(i), granted, made, made, 1}
	})
}

// delegate registers clients and fills the store with grants of theirs, once.
func delegate(ctx context.Context, c *contest) error {
	i := c.i
	if i.grants != nil {
		return nil
	}
	g := &grants{people: i.people}
	if err := g.register(ctx, i); err != nil {
		return err
	}
	err := i.db.onOne(ctx, func(conn *sql.Conn) error {
		into := filler{conn: conn, sqlite: i.db.store == sqliteStore}
		return into.all(ctx, g.tables())
	})
	if err != nil {
		return err
	}
	i.grants = g
	return g.wake(ctx, i)
}

// wake refreshes a sample of the grants.
func (g *grants) wake(ctx context.Context, i *instance) error {
	g.sample = make([]*grant, min(len(i.sessions), g.people.grants))
	for n := range g.sample {
		k := n * (g.people.grants / len(g.sample))
		first, _ := g.refreshToken(k)
		g.sample[n] = &grant{held: held{refresh: first}, basic: g.clients[k%clientCount].basic()}
	}
	return i.together(ctx, len(g.sample), func(on *conversation, n int) error {
		s := &renewing{grants: g.sample[n : n+1]}
		status, body, err := on.ask(s.next())
		if err == nil {
			err = s.heard(status, body)
		}
		if err != nil {
			return fmt.Errorf("use a grant: %w", err)
		}
		return nil
	})
}

func (g *grants) register(ctx context.Context, i *instance) error {
	g.clients = make([]registered, clientCount)
	return i.together(ctx, clientCount, func(on *conversation, k int) error {
		g.clients[k].slug = fmt.Sprintf("wiki-%d", k)
		body, err := demand(on, post(nil, i.admin, fmt.Sprintf(
			`{"command":"APP.REGISTER","params":{"name":"Wiki %d","slug":%q,"type":"web","scopes":["tokens:introspect"],"redirect_urls":[%q]}}`, k, g.clients[k].slug, callback)))
		if err != nil {
			return fmt.Errorf("register a client: %w", err)
		}
		if g.clients[k].id, err = field(body, "id"); err != nil {
			return err
		}
		g.clients[k].secret, err = field(body, "api_key")
		return err
	})
}

// basic is the header by which a client authenticates (RFC 6749 section 2.3.1).
func (r registered) basic() string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(r.slug+":"+r.secret))
}

// cookie is what the browser of somebody who is signed in sends.
func (i *instance) cookie(of *held) string {
	sealer := cipher.FromSecret(i.workshop.secret, "gatehouse browser sessions", system.Random{})
	return "gatehouse=" + sealer.Seal(`{"a":"`+of.access+`"}`, "pages/cookie/gatehouse")
}

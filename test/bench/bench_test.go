package main

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/adapters/jose"
	"gatehouse.internal/adapters/system"
	"gatehouse.internal/application/proof"
	"gatehouse.internal/test/harness"
)

const secret = "3kq9Zr7VwYt2LmXe8BnPc5HsDfGjKa4U"

// onEachDatabase runs a test on an empty SQLite and an empty PostgreSQL.
func onEachDatabase(t *testing.T, test func(*testing.T, *database)) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "gatehouse.db")
	for name, db := range map[string]*database{
		"sqlite":   {store: sqliteStore, url: "sqlite://" + file, dsn: "file:" + file},
		"postgres": postgresDatabase(harness.Postgres(t)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, db)
		})
	}
}

// A store that is filled past the service must be one that the service could
// have filled: otherwise what is measured is something else.
func TestPeopleOfAFilledStoreAreServed(t *testing.T) {
	t.Parallel()
	onEachDatabase(t, func(t *testing.T, db *database) {
		service := harness.On(t, db.url, "JWT_SECRET="+secret, "ARGON2_MEMORY_KIB=19456", "ARGON2_TIME=2")
		p, err := fill(t.Context(), db, secret, population{users: 130, sessions: 250})
		if err != nil {
			t.Fatalf("fill() = %v", err)
		}
		service.Clock.Advance(time.Minute) // its clock stood still meanwhile
		member := service.Login(email(129), memberPassword)
		if member.UserID != p.user(129) || member.OrgID != p.org(129) {
			t.Errorf("logged in as %s in %s, want %s in %s", member.UserID, member.OrgID, p.user(129), p.org(129))
		}
		pair := service.Anonymous().Do("AUTH.REFRESH", harness.P{"refresh_token": p.refreshToken(249)}).OK()
		me := service.With(pair.String("access_token")).Do("USER.ME", nil).OK()
		if got := me.String("email"); got != email(119) {
			t.Errorf("session 249 is of %s, want %s", got, email(119))
		}
		admin := service.Superadmin()
		if got := admin.Do("USER.LIST", harness.P{"limit": 200}).List("items"); len(got) != 131 {
			t.Errorf("USER.LIST gives %d accounts, want 130 and the superadmin", len(got))
		}
		if got := admin.Do("SESSION.SEARCH", harness.P{"user_id": p.user(7)}).List("items"); len(got) != 2 {
			t.Errorf("SESSION.SEARCH gives %d sessions of a user, want 2", len(got))
		}
		if got := admin.Do("AUDIT.SEARCH", harness.P{"user_id": p.user(7)}).List("items"); len(got) != 1 {
			t.Errorf("AUDIT.SEARCH gives %d events of a user, want 1", len(got))
		}
	})
}

func postgresDatabase(dsn string) *database {
	return &database{store: postgresStore, url: dsn, dsn: dsn}
}

// answering returns a conversation with somebody who says the same to everything.
func answering(t *testing.T, answer string) *conversation {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		c, err := listener.Accept()
		if err != nil {
			return
		}
		_, _ = io.WriteString(c, answer+answer)
		_, _ = io.Copy(io.Discard, c)
	}()
	c, err := dial(context.Background(), listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.close)
	return c
}

func TestConversationReadsAnswerAfterAnswer(t *testing.T) {
	t.Parallel()
	c := answering(t, "HTTP/1.1 404 Not Found\r\nX-A: b\r\ncontent-LENGTH: 5\r\n\r\nhello")
	for range 2 {
		status, body, err := c.ask(get("/"))
		if status != 404 || string(body) != "hello" || err != nil {
			t.Errorf("ask() = %d, %q, %v", status, body, err)
		}
	}
}

func TestConversationRefusesWhatItCannotRead(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]string{
		"no length": "HTTP/1.1 200 OK\r\n\r\n", "no length at all": "HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n",
		"no HTTP": "hello\r\n", "no status": "HTTP/1.1 abc OK\r\nContent-Length: 0\r\n\r\n",
	} {
		if status, body, err := answering(t, answer).ask(get("/")); err == nil {
			t.Errorf("%s: ask() = %d, %q, want an error", name, status, body)
		}
	}
}

func TestMergeTakesMediansAndCostsOfAllRequests(t *testing.T) {
	t.Parallel()
	at := func(requests int, p50 time.Duration, server time.Duration) sample {
		return sample{requests: requests, window: time.Second, p50: p50, p99: 2 * p50, cost: spent{server: server}}
	}
	got := merge([]sample{at(10, 3, time.Second), at(30, 1, 2*time.Second), at(20, 2, 3*time.Second)})
	if got.rate != 20 || got.p50 != 2 || got.p99 != 4 || got.each.server != 100*time.Millisecond {
		t.Errorf("merge() = %+v", got)
	}
}

func TestLatestPlansAreReadFromALog(t *testing.T) {
	t.Parallel()
	entry := func(id string) string {
		return "2026 [1] LOG:  duration: 0.1 ms  plan:\n\tQuery Text: SELECT *\n\tFROM users\n" +
			"\tSeq Scan on users  (cost=" + id + " rows=1)\n\t  Filter: (id = 1)\n2026 [1] LOG:  other\n"
	}
	got := latest(entry("1") + entry("2"))
	if len(got) != 1 || wasteful(got[0]) != "Seq Scan on users" || !strings.Contains(got[0], "cost=2") {
		t.Errorf("latest() = %q", got)
	}
	for plan, want := range map[string]string{
		"Index Scan\n  Rows Removed by Filter: 1000": "",
		"Rows Removed by Join Filter: 40416":         "Rows Removed by Join Filter: 40416",
		"Seq Scan on settings":                       "",
	} {
		if got := wasteful(plan); got != want {
			t.Errorf("wasteful(%q) = %q, want %q", plan, got, want)
		}
	}
}

// Tokens that are written past the service must be ones that it would have issued.
func TestTokensOfAFilledStoreAreActive(t *testing.T) {
	t.Parallel()
	onEachDatabase(t, func(t *testing.T, db *database) {
		service := harness.On(t, db.url, "JWT_SECRET="+secret)
		admin := service.Superadmin()
		i := &instance{
			workshop: &workshop{secret: secret}, db: db, issuer: harness.Issuer, org: admin.OrgID,
			people: &people{population: population{tokens: 250}, now: service.Clock.Now()},
		}
		service.Clock.Advance(time.Second)
		for _, slug := range []string{"first", "second", "third"} {
			app := admin.Do("APP.REGISTER", harness.P{"name": slug, "slug": slug, "scopes": []string{machineScope}}).OK()
			i.apps = append(i.apps, registered{id: app.String("app.id"), slug: slug})
		}
		if err := i.storeTokens(t.Context(), 250); err != nil {
			t.Fatalf("storeTokens() = %v", err)
		}
		for k, text := range i.tokens {
			got := service.Anonymous().Do("M2M.INTROSPECT", harness.P{"token": text}).OK()
			if !got.Bool("active") || got.String("scope") != machineScope {
				t.Fatalf("token %d is answered %s", k, got.Data)
			}
		}
		if got := admin.Do("M2M.LIST", harness.P{"active": true, "limit": 200, "app_id": i.apps[0].id}).List("items"); len(got) != 75 {
			t.Errorf("M2M.LIST gives %d live tokens of an app, want 75", len(got))
		}
	})
}

// Grants that are written past the service must be ones that it would have stored.
func TestGrantsOfAFilledStoreAreRefreshed(t *testing.T) {
	t.Parallel()
	onEachDatabase(t, func(t *testing.T, db *database) {
		service := harness.On(t, db.url, "JWT_SECRET="+secret, "ARGON2_MEMORY_KIB=19456", "ARGON2_TIME=2")
		p, err := fill(t.Context(), db, secret, population{users: 30, sessions: 50, grants: 130})
		if err != nil {
			t.Fatalf("fill() = %v", err)
		}
		admin, g := service.Superadmin(), &grants{people: p}
		for k := range clientCount {
			slug := fmt.Sprintf("wiki-%d", k)
			made := admin.Do("APP.REGISTER", harness.P{"name": slug, "slug": slug, "type": "web", "redirect_urls": []string{callback}}).OK()
			g.clients = append(g.clients, registered{id: made.String("app.id"), slug: slug, secret: made.String("api_key")})
		}
		if err := db.onOne(t.Context(), func(conn *sql.Conn) error {
			into := filler{conn: conn, sqlite: db.store == sqliteStore}
			return into.all(t.Context(), g.tables())
		}); err != nil {
			t.Fatalf("fill the store with grants: %v", err)
		}
		service.Clock.Advance(time.Minute) // its clock stood still meanwhile
		first, _ := g.refreshToken(129)
		by := g.clients[129%clientCount]
		pair := service.Anonymous().Do("OAUTH.TOKEN", harness.P{
			"grant_type": "refresh_token", "refresh_token": first, "client_id": by.slug, "client_secret": by.secret,
		}).OK()
		who := service.With(pair.String("access_token")).Do("OAUTH.USERINFO", nil).OK()
		if got := who.String("sub"); got != p.user(29) {
			t.Errorf("grant 129 is of %s, want %s", got, p.user(29))
		}
		member := service.Login(email(7), memberPassword)
		if got := member.Do("OAUTH.CONSENT_LIST", nil).List("items"); len(got) != 1 {
			t.Errorf("OAUTH.CONSENT_LIST lists %d apps, want 1", len(got))
		}
	})
}

// unused takes every proof for a fresh one.
type unused struct{}

func (unused) Use(context.Context, string, time.Time) (bool, error) { return true, nil }

func TestProofsAreGood(t *testing.T) {
	t.Parallel()
	const url = "http://localhost:8400" + executePath
	checker := proof.Checker{Keys: jose.JOSE{}, Proofs: unused{}, Clock: system.Clock{}}
	h := newHolder(url)
	ask := func(token string) proof.Proof {
		return proof.Proof{Text: h.proof(), Method: "POST", URL: url, AccessToken: token}
	}
	bare, err := checker.Check(t.Context(), ask(""))
	if err != nil {
		t.Fatalf("without a token: %v", err)
	}
	h.bind("a token")
	bound, err := checker.Check(t.Context(), ask("a token"))
	if err != nil || bound != bare {
		t.Errorf("with a token: %q, %v, want %q", bound, err, bare)
	}
	if _, err := checker.Check(t.Context(), ask("another token")); err == nil {
		t.Error("a proof holds for another token")
	}
}

// proving sends each proof once, whether it was signed before or is signed now.
func TestNoProofIsSentTwice(t *testing.T) {
	t.Parallel()
	c := &contest{
		i: &instance{holders: []*holder{newHolder("http://localhost" + executePath)}}, connections: 1,
		options: options{window: time.Millisecond},
	}
	s := provingAll(c)(0)
	sent := map[string]bool{}
	for range 40 {
		sent[string(s.next())] = true
	}
	if len(sent) != 40 {
		t.Errorf("%d of 40 requests differ", len(sent))
	}
}

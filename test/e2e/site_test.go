package e2e_test

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse.internal/test/harness"
)

const (
	adminEmail    = "root@example.com"
	adminPassword = "an Administrator's own phrase 41"
	jwtSecret     = "3kq9Zr7VwYt2LmXe8BnPc5HsDfGjKa4U"
	issuer        = "http://gatehouse.test"
)

// store is one of the databases the service runs on.
type store struct {
	name string
	// replicas is how many processes share it in tests.
	replicas int
	// database has the schema and nothing in it; empty has no schema.
	database, empty func(testing.TB) string
}

func sqlite() store {
	return store{name: "sqlite", replicas: 1, database: harness.SQLite, empty: func(t testing.TB) string {
		return "sqlite://" + filepath.Join(t.TempDir(), "gatehouse.db")
	}}
}

func postgres() store {
	return store{name: "postgres", replicas: 2, database: harness.Postgres, empty: harness.EmptyPostgres}
}

// both lets every scenario of a browser run on both stores.
var both = flag.Bool("both", false, "run what needs Chromium on both databases")

// onBoth runs a test on both stores, side by side with others.
func onBoth(t *testing.T, test func(t *testing.T, on store)) {
	onEach(t, []store{sqlite(), postgres()}, test)
}

// onIts runs a test on the store that was chosen for it: Chromium is too dear to do
// all twice. What leans on the store most is on PostgreSQL.
func onIts(t *testing.T, its store, test func(t *testing.T, on store)) {
	if *both {
		onBoth(t, test)
		return
	}
	onEach(t, []store{its}, test)
}

func onEach(t *testing.T, stores []store, test func(t *testing.T, on store)) {
	t.Parallel()
	for _, on := range stores {
		t.Run(on.name, func(t *testing.T) {
			t.Parallel()
			test(t, on)
		})
	}
}

// site is an installation: its configuration and its running replicas.
type site struct {
	t           testing.TB
	environment map[string]string
	secrets     *secrets
	replicas    []*replica
	directory   string
}

// plan is a site before it runs, with variables of its own as NAME=value.
func plan(t testing.TB, database string, variables ...string) *site {
	t.Helper()
	s := &site{t: t, secrets: &secrets{}, directory: t.TempDir(), environment: map[string]string{
		"DATABASE_URL": database, "SERVICE_HOST": issuer, "JWT_SECRET": jwtSecret,
		"BOOTSTRAP_ADMIN_EMAIL": adminEmail, "BOOTSTRAP_ADMIN_PASSWORD": adminPassword,
		"ARGON2_MEMORY_KIB": "1024", "ARGON2_TIME": "1",
		"TRUSTED_PROXIES": "127.0.0.1", "LOG_LEVEL": "debug", "DATABASE_MAX_CONNECTIONS": "8",
	}}
	s.set(variables...)
	s.secrets.add("JWT_SECRET", jwtSecret)
	s.secrets.add("BOOTSTRAP_ADMIN_PASSWORD", adminPassword)
	return s
}

// set changes the environment for the next start.
func (s *site) set(variables ...string) {
	s.environment = maps.Clone(s.environment)
	for _, variable := range variables {
		name, value, _ := strings.Cut(variable, "=")
		s.environment[name] = value
	}
}

// open starts a site on a store.
func open(t testing.TB, on store, variables ...string) *site {
	t.Helper()
	s := plan(t, on.database(t), variables...)
	s.start(on.replicas)
	return s
}

// start starts replicas together.
func (s *site) start(n int) {
	s.t.Helper()
	program(s.t) // built before anything waits for it
	s.replicas = make([]*replica, n)
	var starting sync.WaitGroup
	for i := range n {
		starting.Go(func() { s.replicas[i] = launch(s.t, s.secrets, s.directory, s.environment, "serve") })
	}
	starting.Wait()
	for _, r := range s.replicas {
		if r == nil {
			s.t.FailNow()
		}
	}
	running := s.replicas
	s.t.Cleanup(func() { stop(running...) })
}

// restart stops all replicas well and starts as many again.
func (s *site) restart() {
	s.t.Helper()
	stop(s.replicas...)
	s.start(len(s.replicas))
}

// any is the replica for the i-th call, in turn.
func (s *site) any(i int) *replica { return s.replicas[i%len(s.replicas)] }

// first is the first replica, last the last one: another one where there are two.
func (s *site) first() *replica { return s.replicas[0] }
func (s *site) last() *replica  { return s.replicas[len(s.replicas)-1] }

// query opens the database beside the service, to look at what is stored.
func (s *site) query(query string, into ...any) {
	s.t.Helper()
	s.onDatabase(func(ctx context.Context, db *sql.DB) error { return db.QueryRowContext(ctx, query).Scan(into...) })
}

// exec changes what is stored.
func (s *site) exec(statement string) {
	s.t.Helper()
	s.onDatabase(func(ctx context.Context, db *sql.DB) error {
		_, err := db.ExecContext(ctx, statement)
		return err
	})
}

// onDatabase does something on a connection beside those of the replicas.
func (s *site) onDatabase(do func(ctx context.Context, db *sql.DB) error) {
	s.t.Helper()
	driver, name := "postgres", s.environment["DATABASE_URL"]
	if file, is := strings.CutPrefix(name, "sqlite://"); is {
		driver, name = "sqlite", "file:"+file+"?_pragma=busy_timeout(5000)"
	}
	db, err := sql.Open(driver, name)
	if err != nil {
		s.t.Fatalf("open the database: %v", err)
	}
	defer db.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := do(ctx, db); err != nil {
		s.t.Fatalf("ask the database: %v", err)
	}
}

// person is an account with one session.
type person struct {
	email, password  string
	id, session, org string
	access, refresh  string
}

var people atomic.Uint32

// newcomer is a person without an account.
func newcomer() person {
	n := people.Add(1)
	return person{
		email:    fmt.Sprintf("person%d@example.com", n),
		password: fmt.Sprintf("the %dth uncommon passphrase", n),
	}
}

// signUp makes an account at a replica.
func (r *replica) signUp() person {
	r.t.Helper()
	p := newcomer()
	answer := r.do(signup(p))
	p.id, p.org = answer.text("user.id"), answer.text("organization.id")
	return r.holding(p, answer)
}

func signup(p person) call {
	return call{command: "AUTH.SIGNUP", params: P{"email": p.email, "password": p.password, "display_name": "Somebody"}}
}

func login(p person) call {
	return call{command: "AUTH.LOGIN", params: P{"email": p.email, "password": p.password}}
}

// again opens another session of a person.
func (r *replica) again(p person) person {
	r.t.Helper()
	return r.holding(p, r.do(login(p)))
}

// admin logs the first superadmin in.
func (r *replica) admin() person {
	r.t.Helper()
	return r.again(person{email: adminEmail, password: adminPassword})
}

// holding is a person with the tokens of an answer.
func (r *replica) holding(p person, answer *reply) person {
	r.t.Helper()
	p.access, p.refresh = answer.text("access_token"), answer.text("refresh_token")
	claims := claimsOf(r.t, p.access)
	p.id, p.session, p.org = claims["sub"].(string), claims["sid"].(string), claims["org_id"].(string)
	return p
}

// as calls a command with a person's access token.
func (r *replica) as(p person, command string, params P) *reply {
	r.t.Helper()
	return r.do(call{command: command, params: params, token: p.access})
}

// rotate exchanges a refresh token.
func (r *replica) rotate(token string) *reply {
	r.t.Helper()
	return r.do(call{command: "AUTH.REFRESH", params: P{"refresh_token": token}})
}

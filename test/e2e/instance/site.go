package instance

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
	AdminEmail    = "root@example.com"
	AdminPassword = "an Administrator's own phrase 41"
	JwtSecret     = "3kq9Zr7VwYt2LmXe8BnPc5HsDfGjKa4U"
	Issuer        = "http://gatehouse.test"
)

// Store is one of the databases the service runs on.
type Store struct {
	Name string
	// Replicas is how many processes share it in tests.
	Replicas int
	// Database has the schema and nothing in it; empty has no schema.
	Database, Empty func(testing.TB) string
}

func SQLite() Store {
	return Store{Name: "sqlite", Replicas: 1, Database: harness.SQLite, Empty: func(t testing.TB) string {
		return "sqlite://" + filepath.Join(t.TempDir(), "gatehouse.db")
	}}
}

func Postgres() Store {
	return Store{Name: "postgres", Replicas: 2, Database: harness.Postgres, Empty: harness.EmptyPostgres}
}

// both lets every scenario of a browser run on both stores.
var both = flag.Bool("both", false, "run what needs Chromium on both databases")

// OnBoth runs a test on both stores, side by side with others.
func OnBoth(t *testing.T, test func(t *testing.T, on Store)) {
	OnEach(t, []Store{SQLite(), Postgres()}, test)
}

// OnIts runs a test on the store that was chosen for it: Chromium is too dear to do
// all twice. What leans on the store most is on PostgreSQL.
func OnIts(t *testing.T, its Store, test func(t *testing.T, on Store)) {
	if *both {
		OnBoth(t, test)
		return
	}
	OnEach(t, []Store{its}, test)
}

func OnEach(t *testing.T, stores []Store, test func(t *testing.T, on Store)) {
	t.Parallel()
	for _, on := range stores {
		t.Run(on.Name, func(t *testing.T) {
			t.Parallel()
			test(t, on)
		})
	}
}

// Site is an installation: its configuration and its running replicas.
type Site struct {
	T           testing.TB
	Environment map[string]string
	Secrets     *secrets
	Replicas    []*Replica
	Directory   string
}

// Plan is a site before it runs, with variables of its own as NAME=value.
func Plan(t testing.TB, database string, variables ...string) *Site {
	t.Helper()
	s := &Site{T: t, Secrets: &secrets{}, Directory: t.TempDir(), Environment: map[string]string{
		"DATABASE_URL": database, "SERVICE_HOST": Issuer, "JWT_SECRET": JwtSecret,
		"BOOTSTRAP_ADMIN_EMAIL": AdminEmail, "BOOTSTRAP_ADMIN_PASSWORD": AdminPassword,
		"ARGON2_MEMORY_KIB": "1024", "ARGON2_TIME": "1",
		"TRUSTED_PROXIES": "127.0.0.1", "LOG_LEVEL": "debug", "DATABASE_MAX_CONNECTIONS": "8",
	}}
	s.Set(variables...)
	s.Secrets.Add("JWT_SECRET", JwtSecret)
	s.Secrets.Add("BOOTSTRAP_ADMIN_PASSWORD", AdminPassword)
	return s
}

// Set changes the environment for the next start.
func (s *Site) Set(variables ...string) {
	s.Environment = maps.Clone(s.Environment)
	for _, variable := range variables {
		name, value, _ := strings.Cut(variable, "=")
		s.Environment[name] = value
	}
}

// Open starts a site on a store.
func Open(t testing.TB, on Store, variables ...string) *Site {
	t.Helper()
	s := Plan(t, on.Database(t), variables...)
	s.Start(on.Replicas)
	return s
}

// Start starts replicas together.
func (s *Site) Start(n int) {
	s.T.Helper()
	program(s.T) // built before anything waits for it
	s.Replicas = make([]*Replica, n)
	var starting sync.WaitGroup
	for i := range n {
		starting.Go(func() { s.Replicas[i] = Launch(s.T, s.Secrets, s.Directory, s.Environment, "serve") })
	}
	starting.Wait()
	for _, r := range s.Replicas {
		if r == nil {
			s.T.FailNow()
		}
	}
	running := s.Replicas
	s.T.Cleanup(func() { Stop(running...) })
}

// Restart stops all replicas well and starts as many again.
func (s *Site) Restart() {
	s.T.Helper()
	Stop(s.Replicas...)
	s.Start(len(s.Replicas))
}

// Any is the replica for the i-th call, in turn.
func (s *Site) Any(i int) *Replica { return s.Replicas[i%len(s.Replicas)] }

// First is the first replica, last the last one: another one where there are two.
func (s *Site) First() *Replica { return s.Replicas[0] }

func (s *Site) Last() *Replica { return s.Replicas[len(s.Replicas)-1] }

// Query opens the database beside the service, to look at what is stored.
func (s *Site) Query(query string, into ...any) {
	s.T.Helper()
	s.onDatabase(func(ctx context.Context, db *sql.DB) error { return db.QueryRowContext(ctx, query).Scan(into...) })
}

// Exec changes what is stored.
func (s *Site) Exec(statement string) {
	s.T.Helper()
	s.onDatabase(func(ctx context.Context, db *sql.DB) error {
		_, err := db.ExecContext(ctx, statement)
		return err
	})
}

// onDatabase does something on a connection beside those of the replicas.
func (s *Site) onDatabase(do func(ctx context.Context, db *sql.DB) error) {
	s.T.Helper()
	driver, name := "postgres", s.Environment["DATABASE_URL"]
	if file, is := strings.CutPrefix(name, "sqlite://"); is {
		driver, name = "sqlite", "file:"+file+"?_pragma=busy_timeout(5000)"
	}
	db, err := sql.Open(driver, name)
	if err != nil {
		s.T.Fatalf("open the database: %v", err)
	}
	defer db.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := do(ctx, db); err != nil {
		s.T.Fatalf("ask the database: %v", err)
	}
}

// Person is an account with one session.
type Person struct {
	Email, Password  string
	ID, Session, Org string
	Access, Refresh  string
}

var people atomic.Uint32

// Newcomer is a person without an account.
func Newcomer() Person {
	n := people.Add(1)
	return Person{
		Email:    fmt.Sprintf("person%d@example.com", n),
		Password: fmt.Sprintf("the %dth uncommon passphrase", n),
	}
}

// SignUp makes an account at a replica.
func (r *Replica) SignUp() Person {
	r.T.Helper()
	p := Newcomer()
	answer := r.Do(Signup(p))
	p.ID, p.Org = answer.Text("user.id"), answer.Text("organization.id")
	return r.Holding(p, answer)
}

func Signup(p Person) Call {
	return Call{Command: "AUTH.SIGNUP", Params: P{"email": p.Email, "password": p.Password, "display_name": "Somebody"}}
}

func Login(p Person) Call {
	return Call{Command: "AUTH.LOGIN", Params: P{"email": p.Email, "password": p.Password}}
}

// Again opens another session of a person.
func (r *Replica) Again(p Person) Person {
	r.T.Helper()
	return r.Holding(p, r.Do(Login(p)))
}

// Admin logs the first superadmin in.
func (r *Replica) Admin() Person {
	r.T.Helper()
	return r.Again(Person{Email: AdminEmail, Password: AdminPassword})
}

// Holding is a person with the tokens of an answer.
func (r *Replica) Holding(p Person, answer *Reply) Person {
	r.T.Helper()
	p.Access, p.Refresh = answer.Text("access_token"), answer.Text("refresh_token")
	claims := ClaimsOf(r.T, p.Access)
	p.ID, p.Session, p.Org = claims["sub"].(string), claims["sid"].(string), claims["org_id"].(string)
	return p
}

// As calls a command with a person's access token.
func (r *Replica) As(p Person, command string, params P) *Reply {
	r.T.Helper()
	return r.Do(Call{Command: command, Params: params, Token: p.Access})
}

// Rotate exchanges a refresh token.
func (r *Replica) Rotate(token string) *Reply {
	r.T.Helper()
	return r.Do(Call{Command: "AUTH.REFRESH", Params: P{"refresh_token": token}})
}

package bootstrap_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"gatehouse.internal/adapters/system"
	"gatehouse.internal/bootstrap"
	"gatehouse.internal/bootstrap/config"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/signingkey"
	"gatehouse.internal/test/harness"
)

const goodSecret = "3kq9Zr7VwYt2LmXe8BnPc5HsDfGjKa4U"

// good returns the minimal configuration of a production instance, with changes as
// NAME=value.
func good(changes ...string) map[string]string {
	variables := map[string]string{
		"DATABASE_URL": "postgres://gatehouse@db.example.com/gatehouse", "JWT_SECRET": goodSecret, "SERVICE_HOST": "https://auth.example.com",
	}
	for _, change := range changes {
		name, value, _ := strings.Cut(change, "=")
		variables[name] = value
	}
	return variables
}

// build starts an instance like production, and stops it with the test.
func build(t *testing.T, database string, changes ...string) (*bootstrap.Service, error) {
	t.Helper()
	cheap := []string{"DATABASE_URL=" + database, "ARGON2_MEMORY_KIB=1024", "ARGON2_TIME=1"}
	c, err := config.Load(good(append(cheap, changes...)...), false)
	if err != nil {
		t.Fatal(err)
	}
	s, err := bootstrap.Build(context.Background(), c, bootstrap.Options{
		Clock: system.Clock{}, IDs: system.IDs{}, Random: system.Random{}, Logger: slog.New(slog.DiscardHandler),
	})
	if err == nil {
		t.Cleanup(func() { _ = s.Close() })
	}
	return s, err
}

func sqliteFile(t *testing.T) string {
	t.Helper()
	return "sqlite://" + filepath.Join(t.TempDir(), "gatehouse.db")
}

// number returns the result of a counting query.
func number(t *testing.T, s *bootstrap.Service, query string) int {
	t.Helper()
	var n int
	if err := s.Store.Database().Read.GetContext(t.Context(), &n, query); err != nil {
		t.Fatal(err)
	}
	return n
}

const superadmins = `SELECT COUNT(*) FROM users WHERE superadmin`

var admin = []string{"BOOTSTRAP_ADMIN_EMAIL=root@example.com", "BOOTSTRAP_ADMIN_PASSWORD=correct horse battery"}

// Replicas that start concurrently on an empty database create one key ring and one
// superadmin, and none fails.
func TestStartsAtOnce(t *testing.T) {
	t.Parallel()
	for name, database := range map[string]func(t *testing.T) string{"sqlite": sqliteFile, "postgres": func(t *testing.T) string { return harness.EmptyPostgres(t) }} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dsn := database(t)
			var all sync.WaitGroup
			started := make([]*bootstrap.Service, 6)
			for i := range started {
				all.Go(func() {
					s, err := build(t, dsn, admin...)
					if err != nil {
						t.Errorf("Build() = %v", err)
					}
					started[i] = s
				})
			}
			all.Wait()
			if t.Failed() {
				return
			}
			if n := number(t, started[0], superadmins); n != 1 {
				t.Errorf("%d superadmins, want 1", n)
			}
			active := started[0].Engine.Instance.State().Keys.Ring
			for _, s := range started {
				ring := s.Engine.Instance.State().Keys.Ring
				if len(ring.Keys) != 2 || !reflect.DeepEqual(kids(ring), kids(active)) {
					t.Errorf("keys = %v and %v", kids(ring), kids(active))
				}
			}
		})
	}
}

// Of replicas that all find no superadmin, one creates it: slow password hashes ensure
// that each looks before any of them stores.
func TestSuperadminsAtOnce(t *testing.T) {
	t.Parallel()
	dsn := harness.Postgres(t)
	first, err := build(t, dsn)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			if _, err := build(t, dsn, append([]string{"ARGON2_MEMORY_KIB=65536", "ARGON2_TIME=4"}, admin...)...); err != nil {
				t.Errorf("Build() = %v", err)
			}
		})
	}
	all.Wait()
	if n := number(t, first, superadmins); n != 1 {
		t.Errorf("%d superadmins, want 1", n)
	}
}

func kids(ring signingkey.Snapshot) []string {
	var all []string
	for _, key := range ring.Keys {
		all = append(all, key.KID)
	}
	return all
}

// The first superadmin is created once; later changes to the environment have no
// effect.
func TestFirstSuperadmin(t *testing.T) {
	t.Parallel()
	dsn := sqliteFile(t)
	h := harness.On(t, dsn)
	root := h.Superadmin()
	me := root.Do("USER.ME", nil).OK()
	if !me.Bool("is_superadmin") || !me.Bool("email_verified") || me.String("email") != harness.AdminEmail {
		t.Errorf("the first superadmin = %v", me.Data)
	}
	again := harness.On(t, dsn, "BOOTSTRAP_ADMIN_PASSWORD=another battery staple")
	again.Superadmin()
	other := harness.On(t, dsn, "BOOTSTRAP_ADMIN_EMAIL=other@example.com")
	other.Anonymous().Do("AUTH.LOGIN", harness.P{"email": "other@example.com", "password": harness.Password}).Fails(fault.Auth)
	if n := number(t, other.Service, `SELECT COUNT(*) FROM users`); n != 1 {
		t.Errorf("%d accounts, want 1", n)
	}
}

func TestNoSuperadminUnasked(t *testing.T) {
	t.Parallel()
	s, err := build(t, sqliteFile(t))
	if err != nil {
		t.Fatal(err)
	}
	if n := number(t, s, `SELECT COUNT(*) FROM users`); n != 0 {
		t.Errorf("%d accounts of a fresh instance", n)
	}
}

// If the superadmin cannot be created, the start fails, and the error names the
// variables.
func TestSuperadminThatCannotBe(t *testing.T) {
	t.Parallel()
	dsn := sqliteFile(t)
	if _, err := build(t, dsn); err != nil {
		t.Fatal(err)
	}
	taken := harness.On(t, dsn, "BOOTSTRAP_ADMIN_EMAIL=", "BOOTSTRAP_ADMIN_PASSWORD=", "JWT_SECRET="+goodSecret)
	taken.SignUp("root@example.com")
	if _, err := build(t, dsn, admin...); err == nil || !strings.Contains(err.Error(), "BOOTSTRAP_ADMIN_EMAIL") {
		t.Errorf("Build() with somebody else's address = %v", err)
	}
	if n := number(t, taken.Service, superadmins); n != 0 {
		t.Error("somebody who signed up was made superadmin")
	}
}

// With another JWT_SECRET the start fails with an explanation, and stored data is
// unchanged.
func TestOtherSecret(t *testing.T) {
	t.Parallel()
	dsn := sqliteFile(t)
	if _, err := build(t, dsn); err != nil {
		t.Fatal(err)
	}
	const other = "Zr7VwYt2LmXe8BnPc5HsDfGjKa4U3kq9"
	if _, err := build(t, dsn, "JWT_SECRET="+other); err == nil || strings.Contains(err.Error(), other) {
		t.Errorf("Build() under another secret = %v", err)
	}
	if _, err := build(t, dsn); err != nil {
		t.Errorf("Build() under the right secret = %v", err)
	}
}

func TestUnreachableStore(t *testing.T) {
	t.Parallel()
	_, err := build(t, "postgres://gatehouse:zq5@127.0.0.1:1/none?sslmode=disable&connect_timeout=2")
	if err == nil || strings.Contains(err.Error(), "zq5") {
		t.Errorf("Build() = %v", err)
	}
}

// The catalog without a store equals that of a running instance.
func TestCatalogIsTheRegistry(t *testing.T) {
	t.Parallel()
	commands, events, err := bootstrap.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	h := harness.New(t)
	if wired := h.Engine.Catalog(); len(wired) == 0 || !reflect.DeepEqual(wired, commands) {
		t.Errorf("%d commands are wired, %d published", len(wired), len(commands))
	}
	kinds := h.Superadmin().Do("EVENT.KIND_LIST", nil)
	if got := len(kinds.List("items")); got != len(events) {
		t.Errorf("%d kinds are wired, %d published", got, len(events))
	}
	for _, c := range commands {
		if found, ok := h.Engine.Registry.Find(c.Name); !ok || found.Name != c.Name {
			t.Errorf("%s is not to be found", c.Name)
		}
	}
}

func TestReady(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	if err := h.Ready(t.Context()); err != nil {
		t.Errorf("Ready() = %v", err)
	}
	connection := func() string { return page(h.Handler, "/health?check=live").Header().Get("Connection") }
	if got := connection(); got != "" {
		t.Errorf("before draining, Connection: %q", got)
	}
	h.Drain()
	if got := connection(); got != "close" {
		t.Errorf("while draining, Connection: %q, want close", got)
	}
	if err := h.Ready(t.Context()); err == nil || err.Error() != "draining" {
		t.Errorf("Ready() while draining = %v", err)
	}
	h.SignUp("alice@example.com") // requests are still served
	s, err := build(t, sqliteFile(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Ready(t.Context()); err == nil || err.Error() != "the database does not respond" {
		t.Errorf("Ready() without a store = %v", err)
	}
}

// The error of an unusable database names the variable and the cause, without the
// address.
func TestDatabaseThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	server, err := url.Parse(harness.EmptyPostgres(t))
	if err != nil {
		t.Fatal(err)
	}
	missing := *server
	missing.Path = "/missing"
	file := filepath.Join(t.TempDir(), "zq5")
	if err := os.WriteFile(file, bytes.Repeat([]byte("no database"), 100), 0o600); err != nil {
		t.Fatal(err)
	}
	for address, reason := range map[string]string{
		missing.String(): `database "missing" does not exist`,
		"postgres://zq5user:zq5pass@127.0.0.1:1/zq5?sslmode=disable": "connection refused",
		"postgres://zq5user:zq5pass@zq5..example/zq5":                "no such host",
		"postgres://zq5user:zq5pass@127.0.0.1:1,zq5..example/zq5":    "connection refused; no such host",
		"sqlite://" + file:                       "file is not a database",
		"sqlite://" + filepath.Join(file, "zq5"): "not a directory",
	} {
		_, err := build(t, address)
		if err == nil {
			t.Errorf("Build() with %s succeeds", address)
			continue
		}
		said := err.Error()
		if !strings.HasPrefix(said, "failed to connect to the database at DATABASE_URL: ") || !strings.Contains(said, reason) {
			t.Errorf("Build() with %s = %v, want %q", address, err, reason)
		}
		if strings.Contains(said, "zq5") || strings.Contains(said, "127.0.0.1") {
			t.Errorf("Build() tells the address %s: %v", address, err)
		}
	}
}

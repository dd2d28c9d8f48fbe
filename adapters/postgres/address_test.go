package postgres_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"gatehouse.internal/adapters/postgres"
	"gatehouse.internal/test/harness"
)

func TestHosts(t *testing.T) {
	t.Parallel()
	for dsn, want := range map[string][]string{
		"postgres://u:p@h1:5433/db":                                        {"h1"},
		"postgres://u:p@h1:5433,h2:5434/db":                                {"h1", "h2"},
		"postgresql://h1,h2,h3":                                            {"h1", "h2", "h3"},
		"postgres://u:a%2Cb%40@h1,h2:5434/db?target_session_attrs=primary": {"h1", "h2"},
		"postgres://u:p,q@r@h1,h2/db":                                      {"h1", "h2"},
		"postgres://[::1]:5433,[2001:db8::1]/db":                           {"::1", "2001:db8::1"},
		"postgres://u@/db?host=h1,h2&port=5433,5434":                       {"h1", "h2"},
		"postgres:///db?host=/run/postgresql":                              {"/run/postgresql"},
		"host=h1,h2 port=5433 dbname=db":                                   {"h1", "h2"},
	} {
		if got := postgres.Hosts(dsn); !slices.Equal(got, want) {
			t.Errorf("Hosts(%s) = %q, want %q", dsn, got, want)
		}
	}
	for _, dsn := range []string{
		"postgres://u:s3cret@h1,/db", "postgres://u:s3cret@,h2/db", "postgres://u:s3cret@h1:x,h2/db", "postgres://u:s3cret@h1:1:2,h2/db",
		"postgres://u:s3cret@h1:99999,h2/db", "postgres://u:s3cret@h 1,h2/db", "postgres://u:s3cret%zz@h1,h2/db",
		"postgres://u:s3cret@h1,h2/db?host=h3", "postgres://u:s3cret@h1,h2/db?port=5", "postgres://u:s3cret@h1,h2/db?target_session_attrs=best",
	} {
		if err := postgres.CheckURL(dsn); err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("CheckURL(%s) = %v", dsn, err)
		}
	}
}

// TestSeveralHosts reaches a database by the second of two hosts, whose server can be
// written to or not.
func TestSeveralHosts(t *testing.T) {
	t.Parallel()
	address, err := url.Parse(harness.EmptyPostgres(t))
	if err != nil {
		t.Fatal(err)
	}
	dsn := fmt.Sprintf("postgres://%s@127.0.0.1:1,%s%s?%s", address.User, address.Host, address.Path, address.RawQuery)
	ping := func(dsn string) error {
		database, err := postgres.Open(dsn, postgres.Pools{Main: 1, Hot: 1})
		if err != nil {
			return err
		}
		defer database.Close()
		return database.Write.PingContext(t.Context())
	}
	if err := ping(dsn); err != nil {
		t.Fatalf("the second host is not reached: %v", err)
	}
	database, err := postgres.Open(dsn, postgres.Pools{Main: 1, Hot: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer database.Close()
	_, err = database.Write.ExecContext(t.Context(), `ALTER DATABASE `+strings.TrimPrefix(address.Path, "/")+` SET default_transaction_read_only = on`)
	if err != nil {
		t.Fatal(err)
	}
	if err := ping(dsn); err == nil || !strings.Contains(err.Error(), "read-only") {
		t.Errorf("a server that cannot be written to is taken: %v", err)
	}
	if err := ping(dsn + "&target_session_attrs=any"); err != nil {
		t.Errorf("any server is not taken: %v", err)
	}
}

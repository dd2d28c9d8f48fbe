package harness

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"strconv"

	"github.com/lib/pq"

	"gatehouse.internal/test/harness/cluster"
)

// address is a PostgreSQL URL with an explicit sslmode.
type address struct{ url url.URL }

func parseAddress(dsn string) (address, error) {
	parsed, err := url.Parse(dsn)
	if err != nil || parsed.Host == "" {
		return address{}, errors.New("TEST_DATABASE_URL must look like postgres://user:password@host:port/database")
	}
	query := parsed.Query()
	if !query.Has("sslmode") {
		query.Set("sslmode", "disable")
		parsed.RawQuery = query.Encode()
	}
	return address{*parsed}, nil
}

func (a address) String() string { return a.url.String() }

// database is the address of another database on the same server.
func (a address) database(name string) address {
	a.url.Path = "/" + name
	return a
}

// mark begins the name of every database a process makes. Its number is also
// that of an advisory lock which the process holds while it lives, so that
// others can tell which databases nobody uses any more.
type mark string

func newMark() mark {
	var number [4]byte
	_, _ = rand.Read(number[:])
	return mark(fmt.Sprintf("gatehouse_%08x", binary.BigEndian.Uint32(number[:])))
}

var markPattern = regexp.MustCompile(`^gatehouse_([0-9a-f]{8})_`)

// lockOf is the number in a mark or in the name of a database that carries it;
// it is false for databases that are not ours.
func lockOf(name string) (int64, bool) {
	parts := markPattern.FindStringSubmatch(name)
	if parts == nil {
		return 0, false
	}
	number, err := strconv.ParseInt(parts[1], 16, 64)
	return number, err == nil
}

// connect finds or starts the server, and claims a mark on it.
func connect() (*server, error) {
	s := &server{mark: newMark(), templates: map[string]func() (string, error){}}
	dsn := os.Getenv("TEST_DATABASE_URL")
	if dsn == "" {
		started, err := cluster.Start(context.Background())
		if err != nil {
			return nil, err
		}
		s.keep = append(s.keep, started)
		dsn = started.DSN("postgres")
	}
	at, err := parseAddress(dsn)
	if err != nil {
		return nil, err
	}
	s.address = at
	if err := s.claim(); err != nil {
		return nil, err
	}
	return s, s.sweep()
}

// claim takes the mark's lock on a connection that stays open until the process
// ends. It is a bare connection of the driver: it runs no goroutine.
func (s *server) claim() error {
	conn, err := pq.Open(s.address.String())
	if err != nil {
		return fmt.Errorf("connect to PostgreSQL: %w", err)
	}
	number, _ := lockOf(string(s.mark) + "_")
	statement, err := conn.Prepare("SELECT pg_advisory_lock(" + strconv.FormatInt(number, 10) + ")")
	if err != nil {
		return fmt.Errorf("claim the databases' mark: %w", err)
	}
	if _, err := statement.Exec(nil); err != nil { //nolint:staticcheck // a bare connection offers nothing newer
		return fmt.Errorf("claim the databases' mark: %w", err)
	}
	s.keep = append(s.keep, conn)
	return nil
}

// sweep drops the databases of processes that died before their clean-up.
func (s *server) sweep() error {
	return s.address.with(func(ctx context.Context, db *sql.DB) error {
		// The lock belongs to a connection: look and drop on the same one.
		conn, err := db.Conn(ctx)
		if err != nil {
			return fmt.Errorf("look for left-over databases: %w", err)
		}
		defer conn.Close()
		names, err := databases(ctx, conn)
		if err != nil {
			return fmt.Errorf("look for left-over databases: %w", err)
		}
		for _, name := range names {
			if err := dropUnclaimed(ctx, conn, name); err != nil {
				return fmt.Errorf("drop the left-over database %s: %w", name, err)
			}
		}
		return nil
	})
}

func databases(ctx context.Context, conn *sql.Conn) ([]string, error) {
	rows, err := conn.QueryContext(ctx, `SELECT datname FROM pg_database WHERE datname LIKE 'gatehouse\_%'`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var names []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, rows.Err()
}

func dropUnclaimed(ctx context.Context, conn *sql.Conn, name string) error {
	number, ours := lockOf(name)
	if !ours {
		return nil
	}
	var free bool
	if err := conn.QueryRowContext(ctx, `SELECT pg_try_advisory_lock($1)`, number).Scan(&free); err != nil || !free {
		return err
	}
	_, err := conn.ExecContext(ctx, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)")
	_, unlock := conn.ExecContext(ctx, `SELECT pg_advisory_unlock($1)`, number)
	return errors.Join(err, unlock)
}

package bootstrap

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"slices"
	"strings"

	"gatehouse.internal/adapters/cipher"
	"gatehouse.internal/adapters/postgres"
	"gatehouse.internal/adapters/sqlite"
	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/bootstrap/config"
	"gatehouse.internal/domain/label"
	"gatehouse.internal/ports/outbound"
)

// sealers are the configured keys, by purpose.
type sealers struct {
	personal outbound.Sealer
	secrets  outbound.Sealer
	answers  outbound.Sealer
	browsers outbound.Sealer
	requests outbound.Sealer
	refresh  []byte
	cursors  []byte
	forms    []byte
	flows    []byte
	sandbox  []byte
}

func newSealers(c *config.Config, random outbound.Random) sealers {
	secret := []byte(c.JWTSecret)
	return sealers{
		personal: cipher.New(c.Keys, random),
		secrets:  cipher.FromSecret(c.JWTSecret, label.SigningKeys, random),
		answers:  cipher.FromSecret(c.JWTSecret, label.StoredAnswers, random),
		browsers: cipher.FromSecret(c.JWTSecret, label.BrowserSessions, random),
		requests: cipher.FromSecret(c.JWTSecret, label.PendingRequests, random),
		refresh:  cipher.Derive(secret, label.RefreshTokens, 32),
		cursors:  cipher.Derive(secret, label.PageCursors, 32),
		forms:    cipher.Derive(secret, label.PageForms, 32),
		flows:    cipher.Derive(secret, label.FlowQuestions, 32),
		sandbox:  cipher.Derive(secret, label.PaymentSandbox, 32),
	}
}

// openDatabase opens the database and connects once, so that an unreachable address is
// reported as such.
func openDatabase(ctx context.Context, c *config.Config) (sqlstore.Database, error) {
	database, err := open(c)
	if err == nil {
		if err = database.Write.PingContext(ctx); err != nil {
			_ = database.Close()
		}
	}
	if err != nil {
		return sqlstore.Database{}, fmt.Errorf("failed to connect to the database at DATABASE_URL: %w", withoutPlace(err))
	}
	return database, nil
}

// withoutPlace removes addresses that the driver, the network and the file system add
// to an error. For several hosts, each reason is kept once.
func withoutPlace(err error) error {
	var several interface{ Unwrap() []error }
	if errors.As(err, &several) {
		var reasons []string
		for _, one := range several.Unwrap() {
			if reason := withoutPlace(cmp.Or(errors.Unwrap(one), one)).Error(); !slices.Contains(reasons, reason) {
				reasons = append(reasons, reason)
			}
		}
		return errors.New(strings.Join(reasons, "; "))
	}
	if lookup, ok := errors.AsType[*net.DNSError](err); ok {
		return errors.New(lookup.Err)
	}
	if network, ok := errors.AsType[*net.OpError](err); ok {
		return network.Err
	}
	if file, ok := errors.AsType[*fs.PathError](err); ok {
		return file.Err
	}
	return err
}

func open(c *config.Config) (sqlstore.Database, error) {
	if path, isSQLite := strings.CutPrefix(c.DatabaseURL, "sqlite://"); isSQLite {
		return sqlite.Open(path)
	}
	return postgres.Open(c.DatabaseURL, postgres.Pools{Main: c.MaxConnections})
}

// tools are the system dependencies of all parts.
type tools struct {
	clock  outbound.Clock
	ids    outbound.IDs
	random outbound.Random
	logger *slog.Logger
}

// openStore opens the database and migrates its schema.
func openStore(ctx context.Context, c *config.Config, t tools, keys sealers) (*sqlstore.Store, error) {
	database, err := openDatabase(ctx, c)
	if err != nil {
		return nil, err
	}
	store, err := sqlstore.Open(ctx, sqlstore.Config{
		Database: database, Personal: keys.personal, Secrets: keys.secrets,
		Clock: t.clock, IDs: t.ids, Random: t.random, Logger: t.logger,
	})
	if err != nil {
		_ = database.Close()
		return nil, fmt.Errorf("open the store: %w", err)
	}
	return store, nil
}

package bootstrap

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	"gatehouse.internal/adapters/cipher"
	"gatehouse.internal/adapters/postgres"
	"gatehouse.internal/adapters/sqlite"
	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/ports/outbound"
)

// sealers are the keys that the configuration gives, by purpose.
type sealers struct {
	personal outbound.Sealer
	secrets  outbound.Sealer
	answers  outbound.Sealer
	browsers outbound.Sealer
	refresh  []byte
	cursors  []byte
	forms    []byte
}

func (c *Config) sealers(random outbound.Random) sealers {
	secret := []byte(c.JWTSecret)
	return sealers{
		personal: cipher.New(c.keys, random),
		secrets:  cipher.FromSecret(c.JWTSecret, "gatehouse signing keys", random),
		answers:  cipher.FromSecret(c.JWTSecret, "gatehouse stored answers", random),
		browsers: cipher.FromSecret(c.JWTSecret, "gatehouse browser sessions", random),
		refresh:  cipher.Derive(secret, "gatehouse refresh tokens", 32),
		cursors:  cipher.Derive(secret, "gatehouse page cursors", 32),
		forms:    cipher.Derive(secret, "gatehouse page forms", 32),
	}
}

func (c *Config) database() (sqlstore.Database, error) {
	if path, isSQLite := strings.CutPrefix(c.DatabaseURL, "sqlite://"); isSQLite {
		return sqlite.Open(path)
	}
	return postgres.Open(c.DatabaseURL, postgres.Pools{Main: c.MaxConnections})
}

// tools are what every part needs of the machine.
type tools struct {
	clock  outbound.Clock
	ids    outbound.IDs
	random outbound.Random
	logger *slog.Logger
}

// store opens the database and brings its schema up to date.
func (c *Config) store(ctx context.Context, t tools, keys sealers) (*sqlstore.Store, error) {
	database, err := c.database()
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
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

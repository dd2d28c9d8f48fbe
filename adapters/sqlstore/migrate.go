package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/pressly/goose/v3"

	"gatehouse.internal/migrations"
)

// ErrOutdated says that the schema is older than this program needs.
var ErrOutdated = errors.New("the database schema is too old for this program: run gatehouse migrate")

// migrate brings the schema up to date, or only checks that it is. A newer schema is accepted:
// the next release created it, and it supports this release.
func (s *Store) migrate(ctx context.Context, checkOnly bool) error {
	if checkOnly {
		have, want, err := s.Versions(ctx)
		if err != nil {
			return err
		}
		if have < want {
			return fmt.Errorf("%w (current version %d, required version %d)", ErrOutdated, have, want)
		}
		return nil
	}
	provider, err := s.provider()
	if err != nil {
		return fmt.Errorf("prepare the migrations: %w", err)
	}
	applied, err := provider.Up(ctx)
	if err != nil {
		return fmt.Errorf("migrate the schema: %w", err)
	}
	if len(applied) == 0 {
		return nil
	}
	var took time.Duration
	for _, one := range applied {
		took += one.Duration
	}
	s.log.InfoContext(ctx, "the schema was migrated",
		"version", applied[len(applied)-1].Source.Version, "migrations", len(applied), "duration", took.Round(time.Millisecond))
	return nil
}

func (s *Store) provider() (*goose.Provider, error) {
	dialect, locker, err := s.dialect.Migrations()
	if err != nil {
		return nil, err
	}
	steps, err := s.steps()
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(dialect, s.write.db.DB, nil, locker,
		goose.WithGoMigrations(steps...), goose.WithDisableGlobalRegistry(true))
}

// steps returns the migrations, translated for the dialect.
func (s *Store) steps() ([]*goose.Migration, error) {
	names, err := fs.Glob(migrations.Files(), "*.sql")
	if err != nil {
		return nil, err
	}
	steps := make([]*goose.Migration, 0, len(names))
	for _, name := range names {
		portable, err := fs.ReadFile(migrations.Files(), name)
		if err != nil {
			return nil, err
		}
		translated, err := translate(s.dialect, string(portable))
		if err != nil {
			return nil, fmt.Errorf("translate %s: %w", name, err)
		}
		version, err := goose.NumericComponent(name)
		if err != nil {
			return nil, err
		}
		steps = append(steps, goose.NewGoMigration(version, &goose.GoFunc{
			RunTx: func(ctx context.Context, tx *sql.Tx) error {
				_, err := tx.ExecContext(ctx, translated.text)
				return err
			},
		}, nil))
	}
	return steps, nil
}

// NewestSchema returns the version of the schema that this program creates.
func NewestSchema() (int64, error) {
	names, err := fs.Glob(migrations.Files(), "*.sql")
	if err != nil {
		return 0, err
	}
	var newest int64
	for _, name := range names {
		version, err := goose.NumericComponent(name)
		if err != nil {
			return 0, err
		}
		newest = max(newest, version)
	}
	return newest, nil
}

// Versions returns the version of the schema and the one that this program needs. The version
// of an empty database is 0, as is that of one that cannot be read.
func (s *Store) Versions(ctx context.Context) (have, want int64, err error) {
	if want, err = NewestSchema(); err != nil {
		return 0, 0, err
	}
	if err := s.write.db.PingContext(ctx); err != nil {
		return 0, want, fmt.Errorf("reach the database: %w", err)
	}
	query := "SELECT COALESCE(MAX(version_id), 0) FROM " + goose.DefaultTablename
	if err := s.Reader(ctx).Get(ctx, &have, query); err != nil {
		return 0, want, nil //nolint:nilerr // There is no such table before the first migration.
	}
	return have, want, nil
}

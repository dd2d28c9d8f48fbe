package ops

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/ports/outbound/ops"
)

// Settings returns the repository of runtime settings.
func Settings(tx *sqlstore.Tx) ops.Settings { return settings{tx} }

type settings struct{ tx *sqlstore.Tx }

// Set stores values, and deletes the settings whose value is nil.
func (r settings) Set(ctx context.Context, values map[string]json.RawMessage) error {
	var stored sqlstore.Rows
	var dropped []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if values[name] == nil {
			dropped = append(dropped, name)
		} else {
			stored = append(stored, []any{name, string(values[name])})
		}
	}
	if err := moveRevision(ctx, r.tx); err != nil {
		return err
	}
	if _, err := r.tx.Exec(ctx, `DELETE FROM settings WHERE name IN (SELECT r.name FROM {rows name text})`, sqlstore.OneColumn(dropped)); err != nil {
		return fmt.Errorf("reset settings: %w", err)
	}
	_, err := r.tx.Exec(ctx, `
		INSERT INTO settings (name, value) SELECT r.name, r.value FROM {rows name text, value text} WHERE TRUE
		ON CONFLICT (name) DO UPDATE SET value = excluded.value`, stored)
	if err != nil {
		return fmt.Errorf("store settings: %w", err)
	}
	return nil
}

// moveRevision increments the revision of the configuration, so that every replica loads it again. It
// is called before a change, because it also serializes concurrent changes.
func moveRevision(ctx context.Context, tx *sqlstore.Tx) error {
	if _, err := tx.Exec(ctx, `UPDATE instance SET revision = revision + 1 WHERE id = 1`); err != nil {
		return fmt.Errorf("move the instance's revision: %w", err)
	}
	return nil
}

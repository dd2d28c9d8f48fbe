package sqlstore

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"gatehouse.internal/ports/outbound"
)

// Settings gives the runtime settings.
func (t *Tx) Settings() outbound.Settings { return settings{t} }

type settings struct{ tx *Tx }

// Set stores values, and drops those that are nil.
func (r settings) Set(ctx context.Context, values map[string]json.RawMessage) error {
	var stored rows
	var dropped []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if values[name] == nil {
			dropped = append(dropped, name)
		} else {
			stored = append(stored, []any{name, string(values[name])})
		}
	}
	if err := r.tx.moveRevision(ctx); err != nil {
		return err
	}
	if _, err := r.tx.q.exec(ctx, `DELETE FROM settings WHERE name IN (SELECT r.name FROM {rows name text})`, column(dropped)); err != nil {
		return fmt.Errorf("reset settings: %w", err)
	}
	_, err := r.tx.q.exec(ctx, `
		INSERT INTO settings (name, value) SELECT r.name, r.value FROM {rows name text, value text} WHERE TRUE
		ON CONFLICT (name) DO UPDATE SET value = excluded.value`, stored)
	if err != nil {
		return fmt.Errorf("store settings: %w", err)
	}
	return nil
}

// moveRevision tells every replica to load the instance's configuration again.
// Changes of it wait here for each other, which is why it comes before them.
func (t *Tx) moveRevision(ctx context.Context) error {
	if _, err := t.q.exec(ctx, `UPDATE instance SET revision = revision + 1 WHERE id = 1`); err != nil {
		return fmt.Errorf("move the instance's revision: %w", err)
	}
	return nil
}

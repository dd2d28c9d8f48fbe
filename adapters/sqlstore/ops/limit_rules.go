package ops

import (
	"context"
	"fmt"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/ports/outbound/ops"
)

// LimitRules returns the repository of rate limits that differ from the default.
func LimitRules(tx *sqlstore.Tx) ops.LimitRules { return limitRules{tx} }

type limitRules struct{ tx *sqlstore.Tx }

// Set stores the limit of a command.
func (r limitRules) Set(ctx context.Context, rule ops.TunedLimit) error {
	if err := moveRevision(ctx, r.tx); err != nil {
		return err
	}
	_, err := r.tx.Exec(ctx, `
		INSERT INTO rate_limit_rules (command, counted_by, max_count, window_micros) VALUES (?, ?, ?, ?)
		ON CONFLICT (command, counted_by) DO UPDATE SET max_count = excluded.max_count, window_micros = excluded.window_micros`,
		rule.Command, string(rule.By), rule.Rule.Limit, rule.Rule.Window.Microseconds())
	if err != nil {
		return fmt.Errorf("store a limit: %w", err)
	}
	return nil
}

// Reset deletes the stored limits of a command, or of all for "".
func (r limitRules) Reset(ctx context.Context, command string) error {
	if err := moveRevision(ctx, r.tx); err != nil {
		return err
	}
	f := &sqlstore.Filter{}
	f.Unless(command == "", "command = ?", command)
	if _, err := r.tx.Exec(ctx, "DELETE FROM rate_limit_rules"+f.String(), f.Args...); err != nil {
		return fmt.Errorf("reset limits: %w", err)
	}
	return nil
}

// Clear deletes counters. They are not part of the configuration, so the revision stays the same.
func (r limitRules) Clear(ctx context.Context, keys []string) error {
	_, err := r.tx.Exec(ctx, `DELETE FROM rate_limits WHERE key IN (SELECT r.key FROM {rows key text})`, sqlstore.OneColumn(keys))
	if err != nil {
		return fmt.Errorf("clear counters: %w", err)
	}
	return nil
}

package sqlstore

import (
	"context"
	"fmt"

	"gatehouse.internal/ports/outbound"
)

// LimitRules gives the tuned limits.
func (t *Tx) LimitRules() outbound.LimitRules { return limitRules{t} }

type limitRules struct{ tx *Tx }

// Set tunes a limit.
func (r limitRules) Set(ctx context.Context, rule outbound.TunedLimit) error {
	if err := r.tx.moveRevision(ctx); err != nil {
		return err
	}
	_, err := r.tx.q.exec(ctx, `
		INSERT INTO rate_limit_rules (command, counted_by, max_count, window_micros) VALUES (?, ?, ?, ?)
		ON CONFLICT (command, counted_by) DO UPDATE SET max_count = excluded.max_count, window_micros = excluded.window_micros`,
		rule.Command, string(rule.By), rule.Rule.Limit, rule.Rule.Window.Microseconds())
	if err != nil {
		return fmt.Errorf("store a limit: %w", err)
	}
	return nil
}

// Reset drops the tuned limits of a command, or of all.
func (r limitRules) Reset(ctx context.Context, command string) error {
	if err := r.tx.moveRevision(ctx); err != nil {
		return err
	}
	f := &filter{}
	f.unless(command == "", "command = ?", command)
	if _, err := r.tx.q.exec(ctx, "DELETE FROM rate_limit_rules"+f.String(), f.args...); err != nil {
		return fmt.Errorf("reset limits: %w", err)
	}
	return nil
}

// Clear forgets counters. They are no configuration, so the revision stays.
func (r limitRules) Clear(ctx context.Context, keys []string) error {
	_, err := r.tx.q.exec(ctx, `DELETE FROM rate_limits WHERE key IN (SELECT r.key FROM {rows key text})`, column(keys))
	if err != nil {
		return fmt.Errorf("clear counters: %w", err)
	}
	return nil
}

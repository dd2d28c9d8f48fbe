package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/wait"
	"gatehouse.internal/ports/outbound/ops"
)

// reencryptBatch is the number of rows in one batch.
const reencryptBatch = 500

// How long emptying the log of a busy database is tried, and the pause between two tries.
const (
	emptyingTime  = 5 * time.Second
	emptyingPause = 50 * time.Millisecond
)

// Reencryption returns the port that seals everything under the newest key.
func (s *Store) Reencryption() ops.Reencryption { return reencryption{s} }

type reencryption struct{ store *Store }

// sealedTable is a table with sealed columns.
type sealedTable struct {
	name string
	// key is the column that identifies a row; "" for id.
	key string
	// columns are the sealed columns, followed by those derived from them.
	columns []string
	sealed  int
	// derive returns the derived values from the plaintext of the sealed ones.
	derive func(plain []string) []string
	// also is what else is set in a row that is written.
	also string
}

// sealedTables lists all tables with sealed columns except the instance, which has one row.
func (s *Store) sealedTables() []sealedTable {
	none := func([]string) []string { return nil }
	all := func(name string, columns ...string) sealedTable {
		return sealedTable{name: name, columns: columns, sealed: len(columns), derive: none}
	}
	return []sealedTable{
		{
			name:    "users",
			columns: []string{"email", "display_name", "external_id", "metadata", "avatar", "disabled_why", "email_folded", "name_folded"}, sealed: 6,
			derive: func(plain []string) []string {
				return []string{
					s.Searchable(email.Restore(plain[0]).Folded()),
					s.Searchable(strings.ToLower(plain[1])),
				}
			},
			// What is found by other tokens from now on is entered again (people.SearchIndex).
			also: ", searched_at = CASE WHEN r.was_email_folded = r.new_email_folded THEN users.searched_at END",
		},
		all("workspaces", "metadata", "disabled_reason"),
		all("sessions", "ip", "user_agent", "flow_claims"),
		all("impersonations", "reason"),
		all("flow_runs", "content"),
		all("events", "ip", "user_agent", "data"),
		all("event_changes", "before", "after"),
		all("audit_blocks", "proofs"),
		{name: "second_factors", key: "user_id", columns: []string{"content"}, sealed: 1, derive: none},
		all("identities", "upstream_id", "email"),
		all("devices", "name", "ip", "user_agent"),
		all("notifications", "ip", "user_agent"),
		all("risk_assessments", "signals", "ip", "user_agent"),
		all("oauth_devices", "scopes", "resource", "nonce", "ip", "user_agent"),
		all("suppressions", "email"),
		all("api_keys", "name", "allowed_ips"),
		all("passkeys", "name"),
		all("dpop_bindings", "name"),
		all("mails", "last_error"),
		all("ip_rules", "cidr", "note"),
		all("invitations", "email", "message"),
		all("products", "metadata"),
		all("customers", "name", "email", "address", "tax_id"),
		all("subscriptions", "reason"),
		all("refunds", "reason"),
		all("processor_events", "facts"),
		all("sandbox_sales", "content"),
		all("licenses", "reason", "metadata"),
		{name: "license_keys", key: "digest", columns: []string{"key"}, sealed: 1, derive: none},
		all("license_machines", "fingerprint", "name", "metadata"),
		all("license_seats", "email"),
		all("license_transfers", "fingerprint"),
		all("license_leases", "machine_text", "user_text"),
		all("webhook_endpoints", "url", "description", "headers", "secrets"),
		all("webhook_attempts", "excerpt"),
		all("audit_streams", "name", "url", "secret", "last_error"),
	}
}

// id returns the column that identifies a row.
func (t sealedTable) id() string {
	if t.key != "" {
		return t.key
	}
	return "id"
}

var (
	errCursor  = errors.New("invalid re-encryption cursor")
	errBusyLog = errors.New("the log of the database is in use: run this again under less load")
)

// Batch seals a batch of a table. A cursor is the name of a table and the last identifier seen
// in it.
func (r reencryption) Batch(ctx context.Context, after string) (ops.ReencryptStep, error) {
	tables := r.store.sealedTables()
	if after == "" {
		after = tables[0].name + "/"
	}
	name, last, ok := strings.Cut(after, "/")
	for i, table := range tables {
		if !ok || table.name != name {
			continue
		}
		step, err := r.part(ctx, table, last)
		if err != nil {
			return ops.ReencryptStep{}, fmt.Errorf("re-encrypt %s: %w", table.name, err)
		}
		switch {
		case step.Read == reencryptBatch:
		case i+1 < len(tables):
			step.Next = tables[i+1].name + "/"
		default:
			return r.last(ctx, step)
		}
		return step, nil
	}
	return ops.ReencryptStep{}, errCursor
}

// last completes a re-encryption. The key of the blind indexes, which itself does not change,
// is sealed last: until then no instance starts without the old key, under which something may
// still be sealed.
func (r reencryption) last(ctx context.Context, step ops.ReencryptStep) (ops.ReencryptStep, error) {
	changed, err := r.instance(ctx)
	if err != nil {
		return ops.ReencryptStep{}, err
	}
	step.Read, step.Changed, step.Done = step.Read+1, step.Changed+changed, true
	return step, r.rewrite(ctx)
}

// rewrite removes the overwritten values from the files of the database.
func (r reencryption) rewrite(ctx context.Context) error {
	q := r.store.writer(ctx)
	_, err := q.Exec(ctx, `{rewrite}`)
	if err == nil {
		err = emptyLog(ctx, q)
	}
	if err != nil {
		return fmt.Errorf("all values are encrypted with the newest key, but overwritten values may remain in the database file: %w", err)
	}
	return nil
}

// emptyLog removes overwritten values from the write-ahead log of the database, if it has one.
// A service that is using the log delays that for a moment.
func emptyLog(ctx context.Context, q *Queries) error {
	patience, cancel := context.WithTimeout(ctx, emptyingTime)
	defer cancel()
	for {
		var log struct{ Busy, Log, Checkpointed int }
		if err := q.Get(ctx, &log, `{empty log}`); err != nil || log.Busy == 0 {
			return err
		}
		if wait.For(patience, emptyingPause) != nil {
			return errBusyLog
		}
	}
}

// instance seals the key of the blind indexes under the newest key, unless it already is.
func (r reencryption) instance(ctx context.Context) (changed int, err error) {
	q := r.store.writer(ctx)
	stored, err := r.store.storedIndexKey(ctx, q)
	if err != nil || !r.store.personal.Stale(stored) {
		return 0, err
	}
	plain, err := r.store.openIndexKey(stored)
	if err != nil {
		return 0, err
	}
	return r.store.sealIndexKey(ctx, q, stored, plain)
}

// part seals the rows of a table that follow an identifier.
func (r reencryption) part(ctx context.Context, table sealedTable, last string) (ops.ReencryptStep, error) {
	seen, err := r.look(ctx, table, last)
	if err != nil {
		return ops.ReencryptStep{}, err
	}
	step := ops.ReencryptStep{Next: table.name + "/" + last, Read: len(seen)}
	var changes Rows
	for _, stored := range seen {
		step.Next = table.name + "/" + stored[0]
		sealed, changed, err := r.reseal(table, stored)
		if err != nil {
			return ops.ReencryptStep{}, err
		}
		if changed {
			changes = append(changes, pair(stored, sealed))
		}
	}
	if len(changes) == 0 {
		return step, nil
	}
	n, err := r.store.writer(ctx).Exec(ctx, table.update(), changes)
	if err != nil {
		return ops.ReencryptStep{}, fmt.Errorf("write: %w", err)
	}
	step.Changed = int(n)
	return step, nil
}

// look reads rows: the identifier followed by the columns.
func (r reencryption) look(ctx context.Context, table sealedTable, last string) (seen [][]string, err error) {
	stmt, bound, err := r.store.writer(ctx).ready(ctx, "SELECT "+table.id()+", "+strings.Join(table.columns, ", ")+" FROM "+table.name+
		" WHERE "+table.id()+" > ? ORDER BY "+table.id()+" LIMIT ?", []any{last, reencryptBatch})
	if err != nil {
		return nil, err
	}
	found, err := stmt.QueryContext(ctx, bound...)
	if err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	defer found.Close()
	for found.Next() {
		values := make([]string, 1+len(table.columns))
		into := make([]any, len(values))
		for i := range values {
			into[i] = &values[i]
		}
		if err := found.Scan(into...); err != nil {
			return nil, fmt.Errorf("read: %w", err)
		}
		seen = append(seen, values)
	}
	return seen, found.Err()
}

// reseal returns the columns of a row, sealed under the newest key.
func (r reencryption) reseal(table sealedTable, stored []string) (sealed []string, changed bool, err error) {
	id, columns := stored[0], stored[1:]
	plain := make([]string, table.sealed)
	sealed = make([]string, table.sealed, len(columns))
	for i := range plain {
		where := Place(table.name, table.columns[i], id)
		if plain[i], err = r.store.personal.Open(columns[i], where); err != nil {
			return nil, false, fmt.Errorf("open %s: %w", where, err)
		}
		sealed[i] = columns[i]
		if r.store.personal.Stale(columns[i]) {
			sealed[i], changed = r.store.personal.Seal(plain[i], where), true
		}
	}
	for i, derived := range table.derive(plain) {
		sealed = append(sealed, derived)
		changed = changed || derived != columns[table.sealed+i]
	}
	return sealed, changed, nil
}

// pair returns a row of changes: the identifier, then the old and new value of each column.
func pair(stored, sealed []string) []any {
	change := []any{stored[0]}
	for i, value := range sealed {
		change = append(change, stored[1+i], value)
	}
	return change
}

// update writes rows of changes. A row that was written concurrently is left alone: it is
// sealed under the newest key already. Versions do not change, because the plaintext does not.
func (t sealedTable) update() string {
	table, set, same := "id text", make([]string, len(t.columns)), make([]string, len(t.columns))
	for i, column := range t.columns {
		table += fmt.Sprintf(", was_%s text, new_%s text", column, column)
		set[i] = fmt.Sprintf("%s = r.new_%s", column, column)
		same[i] = fmt.Sprintf("%s.%s = r.was_%s", t.name, column, column)
	}
	return "UPDATE " + t.name + " SET " + strings.Join(set, ", ") + t.also + " FROM {rows " + table + "} WHERE " +
		t.name + "." + t.id() + " = r.id AND " + strings.Join(same, " AND ")
}

package contract

import (
	"fmt"
	"testing"
	"time"

	"gatehouse.internal/domain/apikey"
	"gatehouse.internal/ports/outbound"
)

// exec runs a statement of the test's own.
func (w *world) exec(t *testing.T, query string, args ...any) {
	t.Helper()
	if _, err := w.database.Write.ExecContext(t.Context(), w.database.Dialect.Placeholders(query), args...); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

// count counts the rows of a table that a condition holds for.
func (w *world) count(t *testing.T, table, condition string, args ...any) int {
	t.Helper()
	query := w.database.Dialect.Placeholders("SELECT CAST(COUNT(*) AS TEXT) FROM " + table + " WHERE " + condition)
	var n int
	if _, err := fmt.Sscan(w.text(t, query, args...), &n); err != nil {
		t.Fatal(err)
	}
	return n
}

func (w *world) upkeepAPIKeys(t *testing.T) {
	const kept = 90 * 24 * time.Hour
	person, org := w.owner(t, "purged-keys@example.com")
	lasting := w.apiKey(t, w.minted(t, person, org))
	for _, change := range []func(*apikey.Snapshot){
		func(s *apikey.Snapshot) { s.ExpiresAt = noon().Add(time.Minute) },
		func(s *apikey.Snapshot) { s.RevokedAt = noon().Add(time.Hour) },
		func(s *apikey.Snapshot) { s.RevokedAt, s.ExpiresAt = noon().Add(2*time.Hour), noon().Add(3*time.Hour) },
	} {
		s := w.minted(t, person, org).Snapshot()
		change(&s)
		made := w.apiKey(t, apikey.Restore(s, 0))
		w.touch(t, made.ID().String())
	}
	w.touch(t, lasting.ID().String())
	for _, after := range []time.Duration{time.Minute, time.Hour, 2 * time.Hour} {
		w.dueAt(t, outbound.PurgeAPIKeys, noon().Add(kept+after))
	}
	for table, condition := range map[string]string{"api_keys": "user_id = ?", "api_key_secrets": "key_id IN (SELECT id FROM api_keys WHERE user_id = ?)"} {
		equal(t, "what is left in "+table, w.count(t, table, condition, person.String()), 1)
	}
	equal(t, "what is left in last_uses", w.count(t, "last_uses", "subject LIKE 'key%'"), 1)
	equal(t, "the key that does not end", w.apiKeyAgain(t, lasting.ID()).ID(), lasting.ID())
}

func (w *world) upkeepKeySecrets(t *testing.T) {
	person, org := w.owner(t, "purged-texts@example.com")
	k := w.apiKey(t, w.minted(t, person, org))
	if _, err := k.Rotate(text(), time.Hour, noon()); err != nil {
		t.Fatal(err)
	}
	k = w.apiKey(t, k)
	w.dueAt(t, outbound.PurgeKeySecrets, noon().Add(time.Hour))
	equal(t, "the texts of the key", w.apiKeyAgain(t, k.ID()).Snapshot().Secrets, k.Snapshot().Secrets[1:])
}

// upkeepTokens removes by identifiers: what a token's own end adds is that none
// goes before it.
func (w *world) upkeepTokens(t *testing.T) {
	const insert = `INSERT INTO m2m_tokens (jti, app_id, scope, audience, jkt, issued_at, expires_at) VALUES (?, 'app', '', '', '', ?, ?)`
	w.exec(t, insert, w.ids.UUID(), noon(), noon().Add(time.Minute))
	w.clock.move(time.Second)
	defer w.clock.move(-time.Second)
	w.exec(t, insert, w.ids.UUID(), noon().Add(time.Second), noon().Add(30*time.Hour))
	gone := func(after time.Duration) int { return w.purge(t, outbound.PurgeM2MTokens, noon().Add(after)) }
	equal(t, "what goes while a token of that age may live", gone(25*time.Hour-time.Millisecond), 0)
	equal(t, "what goes when none of that age does", gone(25*time.Hour+10*time.Millisecond), 1)
	equal(t, "what goes before a later end", gone(30*time.Hour-time.Microsecond), 0)
	equal(t, "what goes at the end", gone(30*time.Hour), 1)
	equal(t, "what goes before all times", gone(-200*365*24*time.Hour), 0)
}

func (w *world) upkeepProofs(t *testing.T) {
	const insert = `INSERT INTO dpop_proofs (key, expires_at) VALUES (?, ?)`
	w.exec(t, insert, "purged", noon())
	w.exec(t, insert, "kept", noon().Add(time.Microsecond))
	w.dueAt(t, outbound.PurgeProofs, noon())
}

func (w *world) upkeepBindings(t *testing.T) {
	const insert = `INSERT INTO dpop_bindings (id, jkt, public_jwk, name, created_at, expires_at, version)
		VALUES (?, 'jkt', '{}', '', ?, ?, 1)`
	w.exec(t, insert, "dpk_purged", noon(), noon())
	w.exec(t, insert, "dpk_kept", noon(), noon().Add(time.Microsecond))
	w.dueAt(t, outbound.PurgeBindings, noon().Add(30*24*time.Hour))
}

package contract

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/user"
)

// Opening checks how a store is opened.
func Opening(t *testing.T, open Opener) {
	t.Run("six replicas at once", func(t *testing.T) { sixReplicas(t, open) })
	t.Run("only checks the schema", func(t *testing.T) { onlyChecks(t, open) })
	t.Run("takes a newer schema", func(t *testing.T) { newerSchema(t, open) })
	t.Run("refuses a wrong key", func(t *testing.T) { wrongKey(t, open) })
	t.Run("seals personal data", func(t *testing.T) { sealedMode(t, open) })
	t.Run("keeps personal data in clear", func(t *testing.T) { clearMode(t, open) })
}

func sixReplicas(t *testing.T, open Opener) {
	again := open(t)
	const replicas = 6
	stores := make([]*sqlstore.Store, replicas)
	configs := make([]sqlstore.Config, replicas)
	var all sync.WaitGroup
	for i := range replicas {
		configs[i] = Config(t, again())
		all.Go(func() {
			var err error
			if stores[i], err = sqlstore.Open(t.Context(), configs[i]); err != nil {
				t.Error(err, configs[i].Database.Close())
			}
		})
	}
	all.Wait()
	indexes := map[string]bool{}
	for _, store := range stores {
		if store != nil {
			indexes[store.Blinder().Index("email", "ada@example.com")] = true
			is(t, "closing", store.Close(), nil)
		}
	}
	equal(t, "the number of index keys", len(indexes), 1)
}

func onlyChecks(t *testing.T, open Opener) {
	again := open(t)
	c := Config(t, again())
	c.CheckOnly = true
	_, err := sqlstore.Open(t.Context(), c)
	is(t, "an empty database", err, sqlstore.ErrOutdated)
	is(t, "closing", c.Database.Close(), nil)
	openWorld(t, Config(t, again()))
	c = Config(t, again())
	c.CheckOnly = true
	openWorld(t, c)
}

func newerSchema(t *testing.T, open Opener) {
	again := open(t)
	w := openWorld(t, Config(t, again()))
	query := w.database.Dialect.Placeholders(`INSERT INTO goose_db_version (version_id, is_applied) VALUES (?, ?)`)
	if _, err := w.database.Write.ExecContext(t.Context(), query, 9999, true); err != nil {
		t.Fatal(err)
	}
	openWorld(t, Config(t, again()))
	c := Config(t, again())
	c.CheckOnly = true
	openWorld(t, c)
}

func wrongKey(t *testing.T, open Opener) {
	again := open(t)
	w := openWorld(t, Config(t, again()))
	before := w.text(t, `SELECT index_key FROM instance`)
	for _, keys := range []string{otherKey, ""} {
		c := Config(t, again())
		c.Personal = sealer(t, keys)
		_, err := sqlstore.Open(t.Context(), c)
		is(t, "a wrong key", err, sqlstore.ErrIndexKey)
		is(t, "closing", c.Database.Close(), nil)
	}
	equal(t, "the index key", w.text(t, `SELECT index_key FROM instance`), before)
	w.person(t, "still@example.com")
}

// personal stores an account with everything that is sealed, and a session.
func (w *world) personal(t *testing.T) user.ID {
	t.Helper()
	external := "crm-42"
	u := w.person(t, "Ada@example.com")
	u.Update(user.Profile{ExternalID: &external}, noon())
	is(t, "the metadata", u.MergeMetadata(map[string]any{"plan": "pro"}, noon()), nil)
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Users.Save(ctx, u) })
	w.session(t, w.begin(u.ID(), "", noon()))
	return u.ID()
}

const personalColumns = `email || '|' || display_name || '|' || external_id || '|' || metadata`

func sealedMode(t *testing.T, open Opener) {
	again := open(t)
	w := openWorld(t, Config(t, again()))
	id := w.personal(t)
	text := w.text(t, `SELECT `+personalColumns+` || '|' || (SELECT ip FROM sessions) FROM users`)
	equal(t, "the sealed columns of "+text, strings.Count("|"+text, "|enc:1:"), 5)
	equal(t, "what can be searched", w.text(t, `SELECT email_folded || name_folded FROM users`), "")

	// Another key in front: what was sealed before still opens.
	c := Config(t, again())
	c.Personal = sealer(t, "2:"+otherKey[2:]+","+oneKey)
	rotated := openWorld(t, c)
	equal(t, "the address", rotated.user(t, id).Snapshot().Email.String(), "Ada@example.com")

	// A value that was moved to another row does not open.
	other := w.person(t, "other@example.com")
	move := w.database.Dialect.Placeholders(`UPDATE users SET email = (SELECT email FROM users WHERE id = ?) WHERE id = ?`)
	if _, err := w.database.Write.ExecContext(t.Context(), move, id.String(), other.ID().String()); err != nil {
		t.Fatal(err)
	}
	err := w.unit.Do(t.Context(), func(tx Repos) error {
		_, err := tx.Users.ByID(t.Context(), other.ID())
		return err
	})
	if err == nil || errors.Is(err, user.ErrNotFound) {
		t.Errorf("a moved value: %v, want that it does not open", err)
	}
}

func clearMode(t *testing.T, open Opener) {
	again := open(t)
	c := Config(t, again())
	c.Personal = sealer(t, "")
	w := openWorld(t, c)
	id := w.personal(t)
	equal(t, "the columns", w.text(t, `SELECT `+personalColumns+` FROM users`), `Ada@example.com|Ada Lovelace|crm-42|{"plan":"pro"}`)
	equal(t, "what can be searched", w.text(t, `SELECT email_folded || '|' || name_folded FROM users`), "ada@example.com|ada lovelace")

	// A key that comes later opens what is in clear, and seals what is saved.
	later := openWorld(t, Config(t, again()))
	u := later.user(t, id)
	equal(t, "the account", u.Snapshot(), w.user(t, id).Snapshot())
	u.LoggedIn(noon())
	later.do(t, func(ctx context.Context, tx Repos) error { return tx.Users.Save(ctx, u) })
	equal(t, "the sealed columns", strings.Count("|"+later.text(t, `SELECT `+personalColumns+` FROM users`), "|enc:1:"), 4)
	equal(t, "what can be searched then", later.text(t, `SELECT email_folded || name_folded FROM users`), "")
	equal(t, "the address", later.user(t, id).Snapshot().Email.String(), "Ada@example.com")

	// From then on it cannot be left out.
	without := Config(t, again())
	without.Personal = sealer(t, "")
	_, err := sqlstore.Open(t.Context(), without)
	is(t, "opening without the key", err, sqlstore.ErrIndexKey)
	is(t, "closing", without.Database.Close(), nil)
}

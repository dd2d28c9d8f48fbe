package contract

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"gatehouse.internal/domain/user"
)

// opening checks how a store is opened.
func opening(t *testing.T, s SQL) {
	t.Run("six replicas at once", func(t *testing.T) { sixReplicas(t, s) })
	t.Run("only checks the schema", func(t *testing.T) { onlyChecks(t, s) })
	t.Run("takes a newer schema", func(t *testing.T) { newerSchema(t, s) })
	t.Run("refuses a wrong key", func(t *testing.T) { wrongKey(t, s) })
	t.Run("seals personal data", func(t *testing.T) { sealedMode(t, s) })
	t.Run("keeps personal data in clear", func(t *testing.T) { clearMode(t, s) })
}

func sixReplicas(t *testing.T, s SQL) {
	again := s.Empty(t)
	const replicas = 6
	stores := make([]*Tables, replicas)
	var all sync.WaitGroup
	for i := range replicas {
		all.Go(func() {
			var err error
			if stores[i], err = again(Defaults(t)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	indexes := map[string]bool{}
	for _, store := range stores {
		if store != nil {
			indexes[store.Index("email", "ada@example.com")] = true
			is(t, "closing", store.Close(), nil)
		}
	}
	equal(t, "the number of index keys", len(indexes), 1)
}

func onlyChecks(t *testing.T, s SQL) {
	again := s.Empty(t)
	c := Defaults(t)
	c.CheckOnly = true
	_, err := again(c)
	is(t, "an empty database", err, s.Outdated)
	openTables(t, again, Defaults(t))
	openTables(t, again, c)
}

func newerSchema(t *testing.T, s SQL) {
	again := s.Empty(t)
	w := openTables(t, again, Defaults(t))
	w.exec(t, `INSERT INTO goose_db_version (version_id, is_applied) VALUES (?, ?)`, 9999, true)
	openTables(t, again, Defaults(t))
	c := Defaults(t)
	c.CheckOnly = true
	openTables(t, again, c)
}

func wrongKey(t *testing.T, s SQL) {
	again := s.Empty(t)
	w := openTables(t, again, Defaults(t))
	before := w.text(t, `SELECT index_key FROM instance`)
	for _, keys := range []string{otherKey, ""} {
		c := Defaults(t)
		c.Personal = sealer(t, keys)
		_, err := again(c)
		is(t, "a wrong key", err, s.WrongKey)
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

func sealedMode(t *testing.T, s SQL) {
	again := s.Empty(t)
	w := openTables(t, again, Defaults(t))
	id := w.personal(t)
	text := w.text(t, `SELECT `+personalColumns+` || '|' || (SELECT ip FROM sessions) FROM users`)
	equal(t, "the sealed columns of "+text, strings.Count("|"+text, "|enc:1:"), 5)
	equal(t, "what can be searched", w.text(t, `SELECT email_folded || name_folded FROM users`), "")

	// Another key in front: what was sealed before still opens.
	c := Defaults(t)
	c.Personal = sealer(t, "2:"+otherKey[2:]+","+oneKey)
	rotated := openTables(t, again, c)
	equal(t, "the address", rotated.user(t, id).Snapshot().Email.String(), "Ada@example.com")

	// A value that was moved to another row does not open.
	other := w.person(t, "other@example.com")
	w.exec(t, `UPDATE users SET email = (SELECT email FROM users WHERE id = ?) WHERE id = ?`, id.String(), other.ID().String())
	err := w.unit.Do(t.Context(), func(tx Repos) error {
		_, err := tx.Users.ByID(t.Context(), other.ID())
		return err
	})
	if err == nil || errors.Is(err, user.ErrNotFound) {
		t.Errorf("a moved value: %v, want that it does not open", err)
	}
}

func clearMode(t *testing.T, s SQL) {
	again := s.Empty(t)
	c := Defaults(t)
	c.Personal = sealer(t, "")
	w := openTables(t, again, c)
	id := w.personal(t)
	equal(t, "the columns", w.text(t, `SELECT `+personalColumns+` FROM users`), `Ada@example.com|Ada Lovelace|crm-42|{"plan":"pro"}`)
	equal(t, "what can be searched", w.text(t, `SELECT email_folded || '|' || name_folded FROM users`), "ada@example.com|ada lovelace")

	// A key that comes later opens what is in clear, and seals what is saved.
	later := openTables(t, again, Defaults(t))
	u := later.user(t, id)
	equal(t, "the account", u.Snapshot(), w.user(t, id).Snapshot())
	u.LoggedIn(noon())
	later.do(t, func(ctx context.Context, tx Repos) error { return tx.Users.Save(ctx, u) })
	equal(t, "the sealed columns", strings.Count("|"+later.text(t, `SELECT `+personalColumns+` FROM users`), "|enc:1:"), 4)
	equal(t, "what can be searched then", later.text(t, `SELECT email_folded || name_folded FROM users`), "")
	equal(t, "the address", later.user(t, id).Snapshot().Email.String(), "Ada@example.com")

	// From then on it cannot be left out.
	without := Defaults(t)
	without.Personal = sealer(t, "")
	_, err := again(without)
	is(t, "opening without the key", err, s.WrongKey)
}

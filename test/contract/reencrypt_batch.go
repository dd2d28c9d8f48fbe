package contract

import (
	"context"
	"strings"
	"testing"

	"gatehouse.internal/adapters/cipher"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/ops"
	"gatehouse.internal/ports/outbound/people"
)

// twoKeys seals under a key that oneKey does not have.
const twoKeys = "2:Hx4dHBsaGRgXFhUUExIREA8ODQwLCgkIBwYFBAMCAQA=," + oneKey

// clearing opens what is sealed and keeps everything in clear.
type clearing struct{ *cipher.Sealer }

func (clearing) Seal(plain, _ string) string { return plain }
func (clearing) Stale(stored string) bool    { return strings.HasPrefix(stored, "enc:") }

// meddling is a sealer that does something, once, before it seals a value again.
type meddling struct {
	outbound.Sealer
	meddle func()
}

func (m *meddling) Stale(stored string) bool {
	if meddle := m.meddle; meddle != nil {
		m.meddle = nil
		meddle()
	}
	return m.Sealer.Stale(stored)
}

// reencryption checks ops.Reencryption: from clear to a key, to another key,
// and back to clear.
func reencryption(t *testing.T, s SQL) {
	database := s.Open(t)
	reopen := func(personal outbound.Sealer) *tables {
		c := Defaults(t)
		c.Personal = personal
		return openTables(t, database, c)
	}
	w := reopen(sealer(t, ""))
	person, held := w.sealedPerson(t)
	for _, step := range []struct {
		what   string
		sealer outbound.Sealer
		begin  string
		// changed does not count the instance where that was sealed at the start.
		changed int
	}{
		{"from clear to a key", sealer(t, oneKey), "enc:1:", 1 + 1 + 2 + manyEvents},
		{"to another key", sealer(t, twoKeys), "enc:2:", 1 + 1 + 1 + 2 + manyEvents},
		{"back to clear", clearing{sealer(t, twoKeys)}, "", 1 + 1 + 1 + 2 + manyEvents},
	} {
		t.Run(step.what, func(t *testing.T) {
			w := reopen(step.sealer)
			seen, changed := w.reencrypt(t)
			equal(t, "the rows that were seen: the instance, an account, a session, events", seen, 1+1+1+2+manyEvents)
			equal(t, "the rows that were changed", changed, step.changed)
			w.checkStored(t, step.begin)
			equal(t, "the account", w.user(t, person.ID()).Snapshot(), person.Snapshot())
			equal(t, "the session", w.stored(t, held.ID()).Snapshot(), held.Snapshot())
			equal(t, "an event's address", w.audit(t, outbound.AuditQuery{Kind: "thing.noted", Limit: 1})[0].Origin.IP, "203.0.113.7")
			if _, err := w.store.UserDirectory.Find(t.Context(), people.UserKey{Email: person.Snapshot().Email}); err != nil {
				t.Errorf("finding the account by its address: %v", err)
			}
			_, again := w.reencrypt(t)
			equal(t, "what a second run changes", again, 0)
		})
	}
	w.exec(t, `UPDATE users SET name_folded = ''`)
	_, changed := w.reencrypt(t)
	equal(t, "what is changed for the sake of searches", changed, 1)
	if _, err := w.store.Reencryption.Batch(t.Context(), "nonsense"); err == nil {
		t.Error("a cursor that is none was taken")
	}
	t.Run("undoes nobody's change", func(t *testing.T) { reencryptRace(t, s) })
	t.Run("needs the old key until it is done", func(t *testing.T) { reencryptHalf(t, s) })
}

// manyEvents need several batches.
const manyEvents = 1100

// sealedPerson stores something in every sealed column.
func (w *world) sealedPerson(t *testing.T) (*user.User, *session.Session) {
	t.Helper()
	person, external := w.person(t, "Sealed@example.com"), "ext"
	person.Update(user.Profile{ExternalID: &external}, noon())
	if err := person.MergeMetadata(map[string]any{"a": "b"}, noon()); err != nil {
		t.Fatal(err)
	}
	held := w.session(t, w.begin(person.ID(), "", noon()))
	happened := make([]event.Data, manyEvents)
	for i := range happened {
		happened[i] = noted{What: "sealed"}
	}
	state := user.Restore(person.Snapshot(), person.Version())
	w.do(t, func(ctx context.Context, tx Repos) error {
		ctx = event.WithOrigin(ctx, event.Origin{ActorKind: "user", IP: "203.0.113.7"})
		if err := tx.Users.Save(ctx, state); err != nil {
			return err
		}
		return tx.Events.Record(ctx, happened...)
	})
	return w.user(t, person.ID()), held
}

// reencrypt runs all batches.
func (w *world) reencrypt(t *testing.T) (seen, changed int) {
	t.Helper()
	var step ops.ReencryptStep
	for range 100 {
		var err error
		if step, err = w.store.Reencryption.Batch(t.Context(), step.Next); err != nil {
			t.Fatal(err)
		}
		seen, changed = seen+step.Read, changed+step.Changed
		if step.Done {
			return seen, changed
		}
	}
	t.Fatal("it never ends")
	return seen, changed
}

// checkStored checks how the sealed columns are stored.
func (w *tables) checkStored(t *testing.T, begin string) {
	t.Helper()
	folded := map[string]string{"email_folded": "sealed@example.com", "name_folded": "ada lovelace"}
	for column, plain := range folded {
		if begin != "" {
			plain = ""
		}
		equal(t, column, w.text(t, "SELECT "+column+" FROM users"), plain)
	}
	for _, place := range []string{
		"email FROM users", "display_name FROM users", "external_id FROM users", "metadata FROM users", "ip FROM sessions",
		"index_key FROM instance", "MIN(ip) FROM events WHERE ip <> ''", "MAX(ip) FROM events",
	} {
		stored := w.text(t, "SELECT "+place)
		if !strings.HasPrefix(stored, begin) || (begin == "" && strings.HasPrefix(stored, "enc:")) {
			t.Errorf("SELECT %s gives %q", place, stored)
		}
	}
}

// reencryptRace lets somebody change an account between its reading and its writing.
func reencryptRace(t *testing.T, s SQL) {
	database := s.Open(t)
	w := openTables(t, database, Defaults(t))
	person, _ := w.sealedPerson(t)
	c := Defaults(t)
	meddler := &meddling{Sealer: sealer(t, twoKeys)}
	c.Personal = meddler
	other := openTables(t, database, c)
	name := "Ada King"
	meddler.meddle = func() {
		person.Update(user.Profile{DisplayName: &name}, noon())
		w.do(t, func(ctx context.Context, tx Repos) error { return tx.Users.Save(ctx, person) })
	}
	if step, err := other.store.Reencryption.Batch(t.Context(), ""); err != nil || step.Changed != 0 {
		t.Errorf("the batch changed %d rows (%v)", step.Changed, err)
	}
	equal(t, "the account", other.user(t, person.ID()).Snapshot(), person.Snapshot())
	_, changed := other.reencrypt(t)
	equal(t, "what the next run changes: the instance, an account, a session, events", changed, 1+1+1+3+manyEvents)
}

// reencryptHalf is a re-encryption that was interrupted: the key that the rest is
// sealed under is still needed to open the store.
func reencryptHalf(t *testing.T, s SQL) {
	database := s.Open(t)
	w := openTables(t, database, Defaults(t))
	w.sealedPerson(t)
	rotated := Defaults(t)
	rotated.Personal = sealer(t, twoKeys)
	half := openTables(t, database, rotated)
	step, err := half.store.Reencryption.Batch(t.Context(), "")
	if err != nil || step.Changed != 1 || step.Done {
		t.Fatalf("the first batch = %+v, %v, want the account alone", step, err)
	}
	newest, _, _ := strings.Cut(twoKeys, ",")
	c := Defaults(t)
	c.Personal = sealer(t, newest)
	_, err = database(c)
	is(t, "opening without the key of the rest", err, s.WrongKey)
	half.reencrypt(t)
	opened, err := database(c)
	is(t, "opening once all is sealed anew", err, nil)
	is(t, "closing", opened.Close(), nil)
}

package contract

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/adapters/cipher"
	"gatehouse.internal/adapters/system"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/credential"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/identity"
	"gatehouse.internal/domain/mail"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/social"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/ops"
	"gatehouse.internal/ports/outbound/people"
)

// entrantDeleted enters a workspace that was deleted, of which a row is left.
func (w *tables) entrantDeleted(t *testing.T) {
	person := w.person(t, "deleted-entrant@example.com").ID()
	own, shared := w.team(t, true, role.Owner, person), w.team(t, false, role.Member, person)
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Entrants.Remember(ctx, person, shared) })
	equal(t, "before", w.entrant(t, person, "").Member.Snapshot().OrgID, shared)
	w.exec(t, `UPDATE workspaces SET deleted_at = created_at WHERE id = ?`, shared.String())
	got := w.entrant(t, person, "")
	if got.Member == nil {
		t.Fatal("nothing is entered once the last workspace was deleted")
	}
	equal(t, "once it was deleted", got.Member.Snapshot().OrgID, own)
	equal(t, "whether it was active last", got.LastActive, false)
	if got := w.entrant(t, person, shared); got.Member != nil {
		t.Errorf("in a deleted workspace: %+v", got.Member.Snapshot())
	}
}

func (w *tables) apiKeysForgetTexts(t *testing.T) {
	w.apiKeysTexts(t)
	equal(t, "texts of the key", w.count(t, "api_key_secrets", "TRUE"), 1)
}

// A replica of the previous release stores apps without claiming their slugs.
func (w *tables) appsUnclaimed(t *testing.T) {
	made := w.readApp(t, app.Restore(w.bareApp(w.lab(t, "unclaimed-app@example.com"), "unclaimed"), 0))
	elsewhere := w.lab(t, "unclaimed-elsewhere@example.com")
	w.exec(t, `DELETE FROM audiences WHERE name = ?`, "unclaimed")
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Apps.Delete(ctx, made) })
	w.fails(t, app.ErrSlugTaken, func(ctx context.Context, tx Repos) error {
		return tx.Apps.Save(ctx, app.Restore(w.bareApp(elsewhere, "unclaimed"), 0))
	})
}

func (w *tables) challengesSealed(t *testing.T) {
	one, other := w.waited(t, challenge.EmailChange, ""), w.waited(t, challenge.EmailChange, "")
	stored := w.text(t, `SELECT content FROM challenges WHERE digest = ?`, one.Digest)
	if stored == string(one.Content) || len(stored) < len("enc:") {
		t.Errorf("the content stands there as %q", stored)
	}
	// Another's content does not open.
	w.exec(t, `UPDATE challenges SET content = ? WHERE digest = ?`, stored, other.Digest)
	if _, err := w.take(t, other.Kind, other.Digest, noon()); err == nil || errors.Is(err, challenge.ErrGone) {
		t.Errorf("a moved content: %v, want that it does not open", err)
	}
}

// clearsCounters clears some that cannot be read.
func (w *tables) clearsCounters(t *testing.T) {
	for _, key := range []string{"a", "b", "c"} {
		w.exec(t, `INSERT INTO rate_limits (key, state, version, expires_at) VALUES (?, ?, 1, ?)`, key, []byte{0xff, 0}, noon())
	}
	for _, keys := range [][]string{{"a", "c", "unknown"}, {}} {
		w.do(t, func(ctx context.Context, tx Repos) error { return tx.LimitRules.Clear(ctx, keys) })
		equal(t, "the counters left", w.text(t, `SELECT MIN(key) || COUNT(*) FROM rate_limits`), "b1")
	}
}

func (w *tables) devicesSealed(t *testing.T) {
	held := w.device(t, w.remembered(w.person(t, "sealed-device@example.com").ID()))
	w.sealedIn(t, "ip", "devices", held.ID.String())
}

// clientsBroken fails those alone whose app cannot be read.
func (w *tables) clientsBroken(t *testing.T) {
	broken, _ := w.service(t, "broken"), w.service(t, "whole")
	w.exec(t, `UPDATE apps SET secrets = ? WHERE id = ?`, "broken", broken.ID().String())
	if _, err := w.store.Clients.BySlug(t.Context(), "broken", ""); err == nil || errors.Is(err, app.ErrNotFound) {
		t.Errorf("a broken row: %v", err)
	}
	if _, err := w.store.Clients.BySlug(t.Context(), "whole", ""); err != nil {
		t.Error(err)
	}
}

func (w *tables) eventsSealed(t *testing.T) {
	w.eventsStored(t)
	const created = ` FROM events WHERE request_id = 'req-stored' AND kind = 'user.created'`
	id := w.text(t, `SELECT id`+created)
	for column, want := range map[string]string{"ip": "203.0.113.9", "user_agent": "curl/8.5"} {
		stored := w.text(t, `SELECT `+column+created)
		opened, err := sealer(t, oneKey).Open(stored, "events/"+column+"/"+id)
		if err != nil || opened != want || stored == opened {
			t.Errorf("the %s is %q, which opens to %q, %v", column, stored, opened, err)
		}
	}
	for _, data := range []string{w.text(t, `SELECT MIN(data) FROM events`), w.text(t, `SELECT MAX(data) FROM events`)} {
		if !strings.HasPrefix(data, "enc:1:") {
			t.Errorf("an event is stored with %q", data)
		}
	}
	equal(t, "the index of the address", w.text(t, `SELECT ip_index`+created), w.database.Index("ip", "203.0.113.9"))
	equal(t, "the events of the clock's time", w.count(t, "events", "request_id = 'req-stored' AND at = ?", w.clock.Now()), 3)
}

// Every statement that stores events queues them for the feed, also that of a replica of
// the previous release, which sets fewer columns.
func (w *tables) eventsQueued(t *testing.T) {
	w.eventsStored(t)
	w.rotationsStore(t)
	w.issuesStore(t)
	for _, kind := range []string{"user.created", "session.refreshed", "m2m_token.issued"} {
		if w.count(t, "events", "kind = ?", kind) == 0 {
			t.Errorf("nothing is stored of %s", kind)
		}
	}
	w.exec(t, `INSERT INTO events (id, kind, at, outcome, user_id, org_id, actor_kind, actor_id, session_id, ip, ip_index, user_agent,
			request_id, request_index, command, data)
		SELECT id || kind, kind, at, outcome, user_id, org_id, actor_kind, actor_id, session_id, ip, ip_index, user_agent,
			request_id, request_index, command, data FROM events WHERE request_id = 'req-stored'`)
	equal(t, "the events in the queue", w.count(t, "events e JOIN event_queue q ON q.event_id = e.id AND q.org_id = e.org_id AND q.kind = e.kind", "TRUE"),
		w.count(t, "events", "TRUE"))
}

func (w *tables) identitiesSealed(t *testing.T) {
	s := w.identityOf(w.person(t, "sealed-identity@example.com").ID(), "discord", "an identifier 990")
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Identities.Save(ctx, identity.Restore(s, 0)) })
	stored := w.text(t, `SELECT upstream_id || upstream_index || email || tokens FROM identities WHERE id = ?`, s.ID.String())
	for _, plain := range []string{"identifier", "upstream@example.com", "access token", "refresh token", "profile"} {
		if strings.Contains(stored, plain) {
			t.Errorf("%q stands in clear in %s", plain, stored)
		}
	}
	if w.text(t, `SELECT upstream_index FROM identities WHERE id = ?`, s.ID.String()) == w.database.Index("upstream_id", s.Upstream.ID) {
		t.Error("the index says nothing of the provider")
	}
}

func (w *tables) socialSealed(t *testing.T) {
	id, kept, off := "own client", secret.New("own secret"), false
	full := social.Overrides{ClientID: &id, ClientSecret: &kept, Scopes: &[]string{"email"}, Enabled: &off, AllowSignup: &off}
	for version, want := range []social.Overrides{full, {Enabled: &off}, {}} {
		w.do(t, func(ctx context.Context, tx Repos) error {
			return tx.Setups.Save(ctx, social.Restore(social.GitHub, want, int64(version)))
		})
		stored := w.text(t, `SELECT content FROM social_providers WHERE provider = 'github'`)
		if strings.Contains(stored, "secret") || strings.Contains(stored, "client") {
			t.Errorf("stored in clear: %s", stored)
		}
	}
	w.exec(t, `INSERT INTO social_providers (provider, content, version) VALUES ('myspace', 'x', 1)`)
	if all, err := w.store.SocialDirectory.Overrides(t.Context()); err != nil || len(all) != 1 {
		t.Errorf("with a provider of a newer release: %v, %v", all, err)
	}
}

func (w *tables) keysSealed(t *testing.T) {
	w.keysRoundTrip(t)
	if sealed := w.text(t, `SELECT private FROM signing_keys WHERE kid = 'a-new'`); !strings.HasPrefix(sealed, "enc:") {
		t.Errorf("the private key is stored as %q", sealed)
	}
}

// keysStay leaves the key as it is stored when another secret is at hand.
func (w *tables) keysStay(t *testing.T) {
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.KeyRing.Save(ctx, freshRing()) })
	before := w.text(t, `SELECT private FROM signing_keys WHERE kid = 'active'`)
	wrong := Defaults(t)
	wrong.Secrets = cipher.FromSecret("another secret of the same length, or so", "test", system.Random{})
	stranger := openWorld(t, w.again, wrong)
	_, err := stranger.store.Instance.Load(t.Context())
	is(t, "loading with another secret", err, ops.ErrSigningKey)
	equal(t, "the stored key", w.text(t, `SELECT private FROM signing_keys WHERE kid = 'active'`), before)
}

func (w *tables) lastUsesUnasked(t *testing.T) {
	w.touch(t, "paused")
	w.exec(t, `DELETE FROM last_uses WHERE subject = ?`, "paused")
	w.touch(t, "paused")
	equal(t, "a use that the store was not asked about", w.used(t, "paused"), time.Duration(-1))
	w.clock.move(time.Hour)
	w.touch(t, "paused")
	equal(t, "a use an hour later", w.used(t, "paused"), time.Hour)
}

func (w *tables) suppressionsSealed(t *testing.T) {
	w.mailing(t, func(ctx context.Context, tx mailRepos) error {
		_, err := tx.suppressions.Add(ctx, mail.Suppression{ID: w.ids.UUID(), Email: address(t, "Ada@example.com"), Reason: mail.Bounce, CreatedAt: noon()})
		return err
	})
	if stored := w.text(t, `SELECT email || email_index FROM suppressions`); strings.Contains(strings.ToLower(stored), "ada@") {
		t.Error("the address stands in the store in clear")
	}
}

func (w *tables) mailSealed(t *testing.T) {
	mailAddressed(t, w.world)
	stored := w.text(t, `SELECT content || recipient || recipient_index FROM mails`)
	for _, plain := range []string{"ada@", "example", "Lovelace"} {
		if strings.Contains(stored, plain) {
			t.Errorf("%q stands in the store in clear", plain)
		}
	}
}

func (w *tables) noticesSealed(t *testing.T) {
	person := w.person(t, "sealed-notice@example.com").ID()
	w.happen(t, own(person), credential.Changed{UserID: person})
	w.sealedIn(t, "ip", "notifications", w.got(t, people.NoticeQuery{Owner: person})[0].ID.String())
	w.happen(t, event.Origin{}, credential.Changed{UserID: like(w.world, user.ID(""))}, credential.Changed{})
	equal(t, "the mails to nobody", w.count(t, "mails", "user_id IS NULL"), 0)
}

// quotasPurged removes counters of days that are over, and those of answers once none
// is stored.
func (w *tables) quotasPurged(t *testing.T) {
	w.quotasAudited(t)
	w.quotasAnswers(t)
	later := noon().Add(10 * 24 * time.Hour)
	for w.purge(t, ops.PurgeQuotaUses, later) > 0 {
	}
	equal(t, "the counters that are left", w.count(t, "quota_uses", "amount > 0"), w.count(t, "quota_uses", "TRUE"))
	for w.purge(t, ops.PurgeAnswers, later) > 0 {
	}
	for w.purge(t, ops.PurgeQuotaUses, later) > 0 {
	}
	equal(t, "the counters that are left without answers", w.count(t, "quota_uses", "TRUE"), 0)
}

func (w *tables) factorsSealed(t *testing.T) {
	owner, other := w.person(t, "sealed-factors@example.com").ID(), w.person(t, "moved-factors@example.com").ID()
	w.enrolled(t, owner)
	w.enrolled(t, other)
	stored := w.text(t, `SELECT content FROM second_factors WHERE user_id = ?`, owner.String())
	if !strings.HasPrefix(stored, "enc:1:") || strings.Contains(stored, "JBSWY3DPEHPK3PXP") {
		t.Errorf("they stand there as %q", stored)
	}
	w.exec(t, `UPDATE second_factors SET content = ? WHERE user_id = ?`, stored, other.String())
	err := w.unit.Do(t.Context(), func(tx Repos) error {
		_, err := tx.Factors.ByUser(t.Context(), other)
		return err
	})
	if err == nil {
		t.Error("the factors of somebody else open")
	}
}

// withinLast leaves something for the end in units of one transaction, of which some
// fail.
func (w *tables) withinLast(t *testing.T) {
	errUndone, errLast := errors.New("undone"), errors.New("last")
	for name, c := range map[string]struct {
		keep bool
		last error
		done int
	}{
		"kept": {true, nil, 2}, "dropped": {false, nil, 0}, "failing at the end": {true, errLast, 1},
	} {
		done, within := 0, true
		leave := func(ctx context.Context, outcome error) error {
			return w.database.AtEnd.Do(ctx, func(last func(do func(context.Context) error)) error {
				last(func(context.Context) error {
					if within {
						t.Errorf("%s: done before the end", name)
					}
					done++
					return c.last
				})
				return outcome
			})
		}
		var made user.ID
		err := w.store.Within(t.Context(), func(ctx context.Context) bool {
			is(t, "the first unit", leave(ctx, nil), nil)
			is(t, "a unit that fails", leave(ctx, errUndone), errUndone)
			is(t, "the last unit", leave(ctx, nil), nil)
			made = w.add(ctx, t, strings.ReplaceAll(name, " ", "-")+"@last.example.com", nil)
			within = false
			return c.keep
		})
		is(t, "the transaction", err, c.last)
		equal(t, name+": what was done at the end", done, c.done)
		equal(t, name+": what the transaction stored", w.there(t, made), c.keep && c.last == nil)
	}
}

func (w *tables) apiKeysLeave(t *testing.T) {
	w.upkeepAPIKeys(t)
	for _, table := range []string{"api_keys", "api_key_secrets", "last_uses"} {
		equal(t, "what is left in "+table, w.count(t, table, "TRUE"), 1)
	}
}

func (w *tables) usersLeaveNoRows(t *testing.T) {
	w.usersDelete(t)
	kept := w.text(t, `SELECT id FROM users`)
	for _, table := range []string{"credentials", "sessions", "api_keys", "last_uses"} {
		equal(t, table, w.count(t, table, "TRUE"), 0)
	}
	equal(t, "members", w.count(t, "members", "user_id <> ?", kept), 0)
}

// voidLeavesNoRows looks at what is voided besides what a port lists.
func (w *tables) voidLeavesNoRows(t *testing.T) {
	w.voidsWaysIn(t)
	for _, table := range []string{"passkeys", "second_factors", "identities", "devices", "known_clients", "dpop_bindings"} {
		equal(t, table+" of two people, one of whom was voided", w.count(t, table, "TRUE"), 1)
	}
}

// sealedIn checks that a column of a row is sealed.
func (w *tables) sealedIn(t *testing.T, column, table, id string) {
	t.Helper()
	if stored := w.text(t, "SELECT "+column+" FROM "+table+" WHERE id = ?", id); !strings.HasPrefix(stored, "enc:1:") {
		t.Errorf("the %s of %s stands there as %q", column, table, stored)
	}
}

package contract

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse.internal/domain/apikey"
	"gatehouse.internal/domain/audit"
	"gatehouse.internal/domain/dpop"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/domain/loginevent"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/ops"
)

// Upkeep checks ops.Upkeep.
func Upkeep(t *testing.T, open Opener) {
	w := newWorld(t, open)
	t.Run("tells how the store is", w.upkeepState)
	t.Run("removes sessions", w.upkeepSessions)
	t.Run("removes counters", w.upkeepLimits)
	t.Run("removes answers", w.upkeepAnswers)
	t.Run("removes failures", w.upkeepFailures)
	t.Run("removes in batches, whoever does", w.upkeepBatches)
	t.Run("removes API keys", w.upkeepAPIKeys)
	t.Run("removes texts of API keys", w.upkeepKeySecrets)
	t.Run("removes tokens", w.upkeepTokens)
	t.Run("removes proofs", w.upkeepProofs)
	t.Run("removes relations", w.upkeepRelations)
	t.Run("removes bindings", w.upkeepBindings)
	t.Run("removes grants", w.upkeepGrants)
	t.Run("removes devices that wait no more", w.upkeepOAuthDevices)
	t.Run("removes events", w.upkeepEvents)
	if _, err := w.store.Upkeep.Purge(t.Context(), "users", noon()); err == nil {
		t.Error("accounts were purged")
	}
	if err := w.store.Close(); err != nil {
		t.Fatal(err)
	}
	if err := w.store.Upkeep.Ping(t.Context()); err == nil {
		t.Error("a store that is gone answered")
	}
}

// Replicas checks ops.Replicas.
func Replicas(t *testing.T, open Opener) {
	w := newWorld(t, open)
	announce := func(id string, started time.Time, forget time.Duration) {
		t.Helper()
		err := w.store.Replicas.Announce(t.Context(), ops.Replica{ID: id, Version: "v1", AuditFormat: audit.Indexed, StartedAt: started}, w.clock.Now(), forget)
		if err != nil {
			t.Fatal(err)
		}
	}
	listed := func() (ids string) {
		t.Helper()
		found, err := w.store.Replicas.List(t.Context(), noon().AddDate(-1, 0, 0))
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range found {
			ids += one.ID + " "
			if one.Version != "v1" || one.AuditFormat != audit.Indexed || one.StartedAt.IsZero() || one.LastSeenAt.IsZero() {
				t.Errorf("%+v", one)
			}
		}
		return ids
	}
	now := w.clock.Now()
	announce("young", now, time.Hour)
	announce("old", now.Add(-time.Minute), time.Hour)
	announce("young", now, time.Hour)
	if got := listed(); got != "old young " {
		t.Errorf("listed are %s", got)
	}
	if err := w.store.Replicas.Leave(t.Context(), "old"); err != nil {
		t.Fatal(err)
	}
	if got := listed(); got != "young " {
		t.Errorf("after one has left, listed are %s", got)
	}
	found, err := w.store.Replicas.List(t.Context(), time.Now().Add(24*time.Hour).UTC())
	if err != nil || len(found) != 0 {
		t.Errorf("seen tomorrow: %v, %v", found, err)
	}
	announce("late", now, -time.Hour) // those that will have been seen an hour from now, and itself
	if got := listed(); got != "" {
		t.Errorf("after all are forgotten, listed are %s", got)
	}
}

func (w *world) upkeepState(t *testing.T) {
	u := w.store.Upkeep
	if err := u.Ping(t.Context()); err != nil {
		t.Error(err)
	}
	have, want, err := u.Migrated(t.Context())
	if err != nil || have != want || want < 1 {
		t.Errorf("the schema is at %d, wanted %d (%v)", have, want, err)
	}
	w.person(t, "counted@example.com")
	counted, err := u.Rows(t.Context())
	if err != nil || counted["users"] != 1 || counted["instance"] != 1 || counted["sessions"] != 0 {
		t.Errorf("the rows are %v (%v)", counted, err)
	}
	if _, known := counted["sessions"]; !known || len(counted) < 10 {
		t.Errorf("tables are missing from %v", counted)
	}
	shown, newest, err := u.Clocks(t.Context())
	if off := newest.Sub(w.clock.Now()).Abs(); err != nil || off > time.Minute {
		t.Errorf("the newest event was %v from now (%v)", off, err)
	}
	if off := time.Since(shown).Abs(); !shown.IsZero() && off > time.Minute {
		t.Errorf("the database's clock is %v off", off)
	}
	size, err := u.Bytes(t.Context())
	if err != nil || size < 1<<15 {
		t.Errorf("the size is %d (%v)", size, err)
	}
}

// purge removes one batch.
func (w *world) purge(t *testing.T, kind ops.PurgeKind, now time.Time) int {
	t.Helper()
	n, err := w.store.Upkeep.Purge(t.Context(), kind, now)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// dueAt checks that one row goes at a time, and none before.
func (w *world) dueAt(t *testing.T, kind ops.PurgeKind, due time.Time) {
	t.Helper()
	equal(t, "what goes before "+due.String(), w.purge(t, kind, due.Add(-time.Microsecond)), 0)
	equal(t, "what goes at "+due.String(), w.purge(t, kind, due), 1)
	equal(t, "what goes after", w.purge(t, kind, due), 0)
}

func (w *world) upkeepSessions(t *testing.T) {
	person := w.person(t, "purged@example.com").ID()
	kept := w.session(t, w.begin(person, "", noon().Add(time.Hour)))
	w.session(t, w.begin(person, "", noon()))
	w.dueAt(t, ops.PurgeSessions, noon().Add(policy.Defaults().Session.Absolute()))
	w.stored(t, kept.ID())
}

func (w *world) upkeepLimits(t *testing.T) {
	check := outbound.LimitCheck{Key: "purged", Rule: limit.Rule{Limit: 1, Window: time.Minute}}
	admit(t, w.store, check)
	equal(t, "what goes while it counts", w.purge(t, ops.PurgeLimits, noon().Add(time.Minute)), 0)
	equal(t, "what goes when it does not", w.purge(t, ops.PurgeLimits, noon().Add(2*time.Minute)), 1)
	equal(t, "the next call", admit(t, w.store, check)[0].Allowed, true)
}

func (w *world) upkeepAnswers(t *testing.T) {
	err := w.store.Within(t.Context(), func(ctx context.Context) bool {
		if _, _, err := w.store.Claim(ctx, "key"); err != nil {
			t.Error(err)
		}
		if err := w.store.Keep(ctx, "key", outbound.StoredAnswer{Body: "b", Answer: "a"}, outbound.AnswerQuota{}); err != nil {
			t.Error(err)
		}
		n, err := w.store.Upkeep.Purge(ctx, ops.PurgeAnswers, noon())
		if err != nil || n != 0 {
			t.Errorf("purging in the transaction of a command: %d, %v", n, err)
		}
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	w.dueAt(t, ops.PurgeAnswers, noon().Add(24*time.Hour))
}

func (w *world) upkeepFailures(t *testing.T) {
	w.do(t, func(ctx context.Context, tx Repos) error {
		_, err := tx.LoginFailures.Count(ctx, noon())
		return err
	})
	equal(t, "what goes while it is usual", w.purge(t, ops.PurgeLoginFailures, noon().Add(loginevent.BaselineMinutes*time.Minute)), 0)
	equal(t, "what goes long after", w.purge(t, ops.PurgeLoginFailures, noon().Add(loginevent.KeptMinutes*time.Minute)), 1)
}

// upkeepBatches lets several purge at once: together they remove each row once.
func (w *world) upkeepBatches(t *testing.T) {
	const many, most = 1200, 500
	var removed atomic.Int64
	var checks []outbound.LimitCheck
	for i := range many {
		checks = append(checks, perMinute(fmt.Sprint("batch ", i), 1))
	}
	admit(t, w.store, checks...)
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			for n := 1; n > 0; {
				n = w.purge(t, ops.PurgeLimits, noon().Add(time.Hour))
				removed.Add(int64(n))
				if n > most {
					t.Errorf("one batch removed %d", n)
				}
			}
		})
	}
	all.Wait()
	removed.Add(int64(w.purge(t, ops.PurgeLimits, noon().Add(time.Hour))))
	equal(t, "the rows that were removed, and the one of the test before", removed.Load(), int64(many+1))
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
		w.dueAt(t, ops.PurgeAPIKeys, noon().Add(kept+after))
	}
	equal(t, "the key that does not end", w.apiKeyAgain(t, lasting.ID()).ID(), lasting.ID())
}

func (w *world) upkeepKeySecrets(t *testing.T) {
	person, org := w.owner(t, "purged-texts@example.com")
	k := w.apiKey(t, w.minted(t, person, org))
	if _, err := k.Rotate(text(), time.Hour, noon()); err != nil {
		t.Fatal(err)
	}
	k = w.apiKey(t, k)
	w.dueAt(t, ops.PurgeKeySecrets, noon().Add(time.Hour))
	equal(t, "the texts of the key", w.apiKeyAgain(t, k.ID()).Snapshot().Secrets, k.Snapshot().Secrets[1:])
}

// upkeepTokens removes by identifiers: what a token's own end adds is that none
// goes before it.
func (w *world) upkeepTokens(t *testing.T) {
	of := w.service(t, "purged-tokens")
	issue := func(at, end time.Time) {
		token := w.made(of)
		token.IssuedAt, token.ExpiresAt = at, end
		is(t, "the issue", w.store.TokenIssues.Issue(t.Context(), token, nil), nil)
	}
	issue(noon(), noon().Add(time.Minute))
	w.clock.move(time.Second)
	defer w.clock.move(-time.Second)
	issue(noon().Add(time.Second), noon().Add(30*time.Hour))
	gone := func(after time.Duration) int { return w.purge(t, ops.PurgeM2MTokens, noon().Add(after)) }
	equal(t, "what goes while a token of that age may live", gone(25*time.Hour-time.Millisecond), 0)
	equal(t, "what goes when none of that age does", gone(25*time.Hour+10*time.Millisecond), 1)
	equal(t, "what goes before a later end", gone(30*time.Hour-time.Microsecond), 0)
	equal(t, "what goes at the end", gone(30*time.Hour), 1)
	equal(t, "what goes before all times", gone(-200*365*24*time.Hour), 0)
}

func (w *world) upkeepProofs(t *testing.T) {
	for key, end := range map[string]time.Time{"purged": noon(), "kept": noon().Add(time.Microsecond)} {
		_, err := w.store.Proofs.Use(t.Context(), key, end)
		is(t, "the use of a key", err, nil)
	}
	w.dueAt(t, ops.PurgeProofs, noon())
}

func (w *world) upkeepBindings(t *testing.T) {
	owner := dpop.Owner{User: w.person(t, "purged-bindings@example.com").ID()}
	for i := range 2 {
		s := w.bound(owner)
		s.Thumbprint, s.ExpiresAt = fmt.Sprint("jkt", i), noon().Add(time.Duration(i)*time.Microsecond)
		w.binding(t, s, 0)
	}
	w.dueAt(t, ops.PurgeBindings, noon().Add(30*24*time.Hour))
}

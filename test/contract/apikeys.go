package contract

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"testing"
	"time"

	"gatehouse.internal/adapters/system"
	"gatehouse.internal/domain/apikey"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/keytext"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/machines"
)

// APIKeys checks machines.APIKeys.
func APIKeys(t *testing.T, open Opener) {
	w := newWorld(t, open)
	t.Run("keeps every field", w.apiKeysRoundTrip)
	t.Run("keeps the texts it has", w.apiKeysTexts)
	t.Run("finds by texts", w.apiKeysByDigests)
	t.Run("refuses a stale copy", w.apiKeysStale)
	t.Run("stores what happened", w.apiKeysEvents)
	t.Run("finds what matches", w.apiKeysMatching)
	t.Run("counts one after the other", w.apiKeysActive)
	t.Run("goes with its user", w.apiKeysCascade)
}

// owner is somebody with a workspace.
func (w *world) owner(t *testing.T, mail string) (user.ID, workspace.ID) {
	t.Helper()
	person := w.person(t, mail).ID()
	return person, w.team(t, true, "owner", person)
}

func text() secret.Shown { return keytext.New(keytext.APIKey, system.Random{}) }

// minted makes a key, not stored yet.
func (w *world) minted(t *testing.T, person user.ID, org workspace.ID, scopes ...string) *apikey.Key {
	t.Helper()
	made, err := apikey.Mint(apikey.Draft{
		ID: like(w, apikey.ID("")), UserID: person, OrgID: org, Name: "backup", Scopes: scopes, Text: text(),
	}, noon())
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// apiKey stores a key and returns a copy of it as it was read back.
func (w *world) apiKey(t *testing.T, made *apikey.Key) *apikey.Key {
	t.Helper()
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.APIKeys.Save(ctx, made) })
	return w.apiKeyAgain(t, made.ID())
}

func (w *world) apiKeyAgain(t *testing.T, id apikey.ID) *apikey.Key {
	t.Helper()
	var found *apikey.Key
	w.do(t, func(ctx context.Context, tx Repos) (err error) {
		found, err = tx.APIKeys.ByID(ctx, id)
		return err
	})
	return found
}

func (w *world) apiKeysRoundTrip(t *testing.T) {
	person, org := w.owner(t, "key@example.com")
	full := apikey.Snapshot{
		ID: like(w, apikey.ID("")), UserID: person, OrgID: org, Name: `"quoted" Ünïcode`, Prefix: "ak_live_ABCD",
		Scopes:     []string{"*:read", "apps:*", "users:manage"},
		AllowedIPs: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("2001:db8::1/128")},
		CreatedAt:  noon(), ExpiresAt: noon().Add(time.Microsecond), RevokedAt: noon().Add(2 * time.Microsecond), EndReason: apikey.ByLeak,
		Secrets: []apikey.Secret{{Digest: "zz-old", ExpiresAt: noon().Add(time.Hour)}, {Digest: "aa-new"}},
	}
	bare := apikey.Snapshot{
		ID: full.ID, UserID: person, OrgID: org, Prefix: "ak_live_0000", CreatedAt: noon(), Secrets: []apikey.Secret{{Digest: "bare"}},
	}
	for version, want := range []apikey.Snapshot{full, bare} {
		got := w.apiKey(t, apikey.Restore(want, int64(version)))
		equal(t, "the key", got.Snapshot(), want)
		equal(t, "its version", got.Version(), int64(version+1))
	}
	w.fails(t, apikey.ErrNotFound, func(ctx context.Context, tx Repos) error {
		_, err := tx.APIKeys.ByID(ctx, like(w, apikey.ID("")))
		return err
	})
}

func (w *world) apiKeysTexts(t *testing.T) {
	person, org := w.owner(t, "texts@example.com")
	k := w.minted(t, person, org)
	first := k.Snapshot().Secrets[0].Digest
	k = w.apiKey(t, k)
	for _, overlap := range []time.Duration{time.Hour, 2 * time.Hour, 0} {
		if _, err := k.Rotate(text(), overlap, noon()); err != nil {
			t.Fatal(err)
		}
		want := k.Snapshot().Secrets
		k = w.apiKey(t, k)
		equal(t, "the texts", k.Snapshot().Secrets, want)
	}
	equal(t, "a text that was forgotten", len(w.byDigests(t, first)), 0)
}

func (w *world) byDigests(t *testing.T, digests ...string) []apikey.ID {
	t.Helper()
	var ids []apikey.ID
	w.do(t, func(ctx context.Context, tx Repos) error {
		found, err := tx.APIKeys.ByDigests(ctx, digests)
		ids = nil
		for _, k := range found {
			ids = append(ids, k.ID())
		}
		return err
	})
	return ids
}

func (w *world) apiKeysByDigests(t *testing.T) {
	person, org := w.owner(t, "digests@example.com")
	one, two := w.apiKey(t, w.minted(t, person, org)), w.apiKey(t, w.minted(t, person, org))
	if _, err := two.Rotate(text(), time.Hour, noon()); err != nil {
		t.Fatal(err)
	}
	two = w.apiKey(t, two)
	secrets := two.Snapshot().Secrets
	mine := one.Snapshot().Secrets[0].Digest
	equal(t, "both", w.byDigests(t, secrets[1].Digest, mine), []apikey.ID{one.ID(), two.ID()})
	equal(t, "one by two texts", w.byDigests(t, secrets[0].Digest, secrets[1].Digest), []apikey.ID{two.ID()})
	equal(t, "none", len(w.byDigests(t, "unknown", "")), 0)
}

func (w *world) apiKeysStale(t *testing.T) {
	person, org := w.owner(t, "stale-key@example.com")
	one := w.apiKey(t, w.minted(t, person, org))
	other := apikey.Restore(one.Snapshot(), one.Version())
	one.End(apikey.ByUser, noon())
	one = w.apiKey(t, one)
	if _, err := other.Rotate(text(), 0, noon()); err != nil {
		t.Fatal(err)
	}
	w.conflicts(t, func(ctx context.Context, tx Repos) error { return tx.APIKeys.Save(ctx, other) })
	equal(t, "the key after a stale save", w.apiKeyAgain(t, one.ID()).Snapshot(), one.Snapshot())
}

func (w *world) apiKeysEvents(t *testing.T) {
	person, org := w.owner(t, "told@example.com")
	k := w.apiKey(t, w.minted(t, person, org, "apps:read"))
	k.Leak(apikey.Finding{Source: "scanner"}, noon())
	w.apiKey(t, k)
	found, err := w.store.AuditTrail.Search(t.Context(), outbound.AuditQuery{Org: org})
	if err != nil {
		t.Fatal(err)
	}
	var kinds []event.Kind
	for _, r := range slices.Backward(found) {
		if r.UserID == person.String() {
			kinds = append(kinds, r.Kind)
		}
	}
	equal(t, "what happened", kinds, []event.Kind{apikey.KindCreated, apikey.KindLeakReported, apikey.KindRevoked})
}

// apiKeysActive lets two ask at once for the keys of one user: the second sees
// what the first did.
func (w *world) apiKeysActive(t *testing.T) {
	person, org := w.owner(t, "active@example.com")
	expired := w.minted(t, person, org).Snapshot()
	expired.ExpiresAt = noon()
	lasting := w.minted(t, person, org).Snapshot()
	lasting.ExpiresAt = noon().Add(time.Microsecond)
	ended := w.minted(t, person, org)
	ended.End(apikey.ByUser, noon())
	for _, s := range []apikey.Snapshot{expired, lasting, ended.Snapshot()} {
		w.apiKey(t, apikey.Restore(s, 0))
	}
	count := func(want int, then func(), more *apikey.Key) error {
		return w.unit.Do(t.Context(), func(tx Repos) error {
			got, err := tx.APIKeys.Active(t.Context(), person, noon())
			if err == nil && got != want {
				err = fmt.Errorf("%d active keys, want %d", got, want)
			}
			if then(); err != nil {
				return err
			}
			return tx.APIKeys.Save(t.Context(), more)
		})
	}
	one, two := w.minted(t, person, org), w.minted(t, person, org)
	inTurn(t,
		func(held func()) error { return count(1, held, one) },
		func(done func()) error { return count(2, done, two) })
}

func (w *world) apiKeysCascade(t *testing.T) {
	person, org := w.owner(t, "gone-with@example.com")
	k := w.apiKey(t, w.minted(t, person, org))
	w.do(t, func(ctx context.Context, tx Repos) error {
		u, err := tx.Users.ByID(ctx, person)
		if err != nil {
			return err
		}
		return tx.Users.Delete(ctx, u)
	})
	equal(t, "the keys of an account that is gone", len(w.byDigests(t, k.Snapshot().Secrets[0].Digest)), 0)
}

// APIKeyDirectory checks machines.APIKeyDirectory.
func APIKeyDirectory(t *testing.T, open Opener) {
	w := newWorld(t, open)
	t.Run("lists keys with their last use", w.apiKeysListed)
	t.Run("counts keys", w.apiKeysSummary)
}

func (w *world) apiKeysListed(t *testing.T) {
	person, org := w.owner(t, "listed@example.com")
	made := w.apiKey(t, w.minted(t, person, org, "apps:read"))
	list := func(query machines.APIKeyQuery) []machines.ListedAPIKey {
		t.Helper()
		found, err := w.store.APIKeyDirectory.List(t.Context(), query)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	want := made.Snapshot()
	want.Secrets = nil
	equal(t, "a key never used", list(machines.APIKeyQuery{User: person}), []machines.ListedAPIKey{{Key: want}})
	w.touch(t, made.ID().String())
	equal(t, "a key that was used", list(machines.APIKeyQuery{User: person, Limit: 1}), []machines.ListedAPIKey{{Key: want, UsedAt: noon()}})
	w.do(t, func(ctx context.Context, tx Repos) error {
		used, err := tx.APIKeys.LastUse(ctx, made.ID())
		equal(t, "its last use", used, noon())
		if err != nil {
			return err
		}
		used, err = tx.APIKeys.LastUse(ctx, like(w, apikey.ID("")))
		equal(t, "the last use of another", used, time.Time{})
		return err
	})
}

// apiKeysMatching checks every filter, in Matching and in List.
func (w *world) apiKeysMatching(t *testing.T) {
	ada, org := w.owner(t, "ada-keys@example.com")
	bob, other := w.owner(t, "bob-keys@example.com")
	now := noon().Add(time.Hour)
	store := func(change func(*apikey.Snapshot)) apikey.ID {
		s := w.minted(t, ada, org, "apps:read").Snapshot()
		s.Prefix = "ak_live_zz00"
		change(&s)
		return w.apiKey(t, apikey.Restore(s, 0)).ID()
	}
	plain := store(func(*apikey.Snapshot) {})
	elsewhere := store(func(s *apikey.Snapshot) { s.OrgID, s.Scopes = other, []string{"*"} })
	others := store(func(s *apikey.Snapshot) { s.UserID, s.Scopes = bob, []string{"apps:*", "users:read"} })
	recent := store(func(s *apikey.Snapshot) { s.CreatedAt, s.Prefix = now, "ak_live_zZ01" })
	revoked := store(func(s *apikey.Snapshot) { s.RevokedAt, s.ExpiresAt = noon(), noon() })
	expired := store(func(s *apikey.Snapshot) { s.ExpiresAt = now })
	used := store(func(s *apikey.Snapshot) { s.ExpiresAt = now.Add(time.Microsecond) })
	w.touch(t, used.String())
	for name, c := range map[string]struct {
		query machines.APIKeyQuery
		want  []apikey.ID
	}{
		"user":               {machines.APIKeyQuery{User: ada}, []apikey.ID{used, expired, revoked, recent, elsewhere, plain}},
		"workspace":          {machines.APIKeyQuery{Org: org}, []apikey.ID{used, expired, revoked, recent, others, plain}},
		"both":               {machines.APIKeyQuery{User: bob, Org: org}, []apikey.ID{others}},
		"neither":            {machines.APIKeyQuery{User: bob, Org: other}, nil},
		"active":             {machines.APIKeyQuery{User: ada, Status: apikey.Active}, []apikey.ID{used, recent, elsewhere, plain}},
		"expired":            {machines.APIKeyQuery{User: ada, Status: apikey.Expired}, []apikey.ID{expired}},
		"revoked":            {machines.APIKeyQuery{User: ada, Status: apikey.Revoked}, []apikey.ID{revoked}},
		"scope":              {machines.APIKeyQuery{Org: org, Scopes: []string{"users:read"}}, []apikey.ID{others}},
		"scopes":             {machines.APIKeyQuery{Scopes: []string{"apps:*", "*"}}, []apikey.ID{others, elsewhere}},
		"part of a scope":    {machines.APIKeyQuery{Org: org, Scopes: []string{"apps"}}, nil},
		"prefix":             {machines.APIKeyQuery{User: ada, Prefix: "ak_live_zZ"}, []apikey.ID{recent}},
		"whole prefix":       {machines.APIKeyQuery{User: ada, Prefix: "ak_live_zZ01"}, []apikey.ID{recent}},
		"longer prefix":      {machines.APIKeyQuery{User: ada, Prefix: "ak_live_zZ012"}, nil},
		"unused since then":  {machines.APIKeyQuery{User: ada, UnusedSince: noon()}, nil},
		"unused since later": {machines.APIKeyQuery{User: ada, UnusedSince: noon().Add(time.Microsecond), Status: apikey.Active}, []apikey.ID{used, elsewhere, plain}},
		"created before":     {machines.APIKeyQuery{User: ada, CreatedBefore: now, Status: apikey.Active}, []apikey.ID{used, elsewhere, plain}},
		"except":             {machines.APIKeyQuery{User: ada, Status: apikey.Active, Except: recent}, []apikey.ID{used, elsewhere, plain}},
		"first page":         {machines.APIKeyQuery{User: ada, Limit: 2}, []apikey.ID{used, expired}},
		"second page":        {machines.APIKeyQuery{User: ada, Limit: 2, Before: expired}, []apikey.ID{revoked, recent}},
	} {
		c.query.Now = now
		w.apiKeysFound(t, name, c.query, c.want)
	}
}

// apiKeysFound checks what a query finds, to change and to look at.
func (w *world) apiKeysFound(t *testing.T, name string, query machines.APIKeyQuery, want []apikey.ID) {
	t.Helper()
	var got []apikey.ID
	w.do(t, func(ctx context.Context, tx Repos) error {
		found, err := tx.APIKeys.Matching(ctx, query)
		got = nil
		for _, k := range found {
			got = append(got, k.ID())
			equal(t, "texts of a key", len(k.Snapshot().Secrets), 1)
		}
		return err
	})
	equal(t, name, got, want)
	listed, err := w.store.APIKeyDirectory.List(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	got = nil
	for _, one := range listed {
		got = append(got, one.Key.ID)
	}
	equal(t, name+", listed", got, want)
}

func (w *world) apiKeysSummary(t *testing.T) {
	ada, org := w.owner(t, "sums@example.com")
	bob, _ := w.owner(t, "others-sums@example.com")
	moments := machines.APIKeyMoments{Now: noon(), Soon: noon().Add(time.Hour)}
	summary := func() machines.APIKeySummary {
		t.Helper()
		counted, err := w.store.APIKeyDirectory.Summary(t.Context(), ada, moments)
		if err != nil {
			t.Fatal(err)
		}
		return counted
	}
	equal(t, "the counts of nobody's", summary(), machines.APIKeySummary{})
	for _, change := range []func(*apikey.Snapshot){
		func(s *apikey.Snapshot) {},
		func(s *apikey.Snapshot) { s.Scopes = []string{"apps:read", "*:read"} },
		func(s *apikey.Snapshot) { s.Scopes = nil },
		func(s *apikey.Snapshot) { s.ExpiresAt = moments.Soon },
		func(s *apikey.Snapshot) { s.ExpiresAt = moments.Soon.Add(time.Microsecond) },
		func(s *apikey.Snapshot) { s.ExpiresAt, s.Scopes = noon(), []string{"billing:read"} },
		func(s *apikey.Snapshot) {
			s.ExpiresAt, s.RevokedAt, s.Scopes = moments.Soon, noon(), []string{"flows:read"}
		},
		func(s *apikey.Snapshot) { s.UserID, s.Scopes = bob, []string{"risk:read"} },
	} {
		s := w.minted(t, ada, org, "apps:read").Snapshot()
		change(&s)
		w.apiKey(t, apikey.Restore(s, 0))
	}
	equal(t, "the counts", summary(), machines.APIKeySummary{Total: 7, Active: 5, ExpiringSoon: 1, UniqueScopes: 2})
}

package contract

import (
	"context"
	"testing"
	"time"

	"gatehouse.internal/domain/apikey"
	"gatehouse.internal/ports/outbound"
)

// APIKeyDirectory checks outbound.APIKeyDirectory.
func APIKeyDirectory(t *testing.T, open Opener) {
	w := newWorld(t, open)
	t.Run("lists keys with their last use", w.apiKeysListed)
	t.Run("counts keys", w.apiKeysSummary)
}

func (w *world) apiKeysListed(t *testing.T) {
	person, org := w.owner(t, "listed@example.com")
	made := w.apiKey(t, w.minted(t, person, org, "apps:read"))
	list := func(query outbound.APIKeyQuery) []outbound.ListedAPIKey {
		t.Helper()
		found, err := w.store.APIKeyDirectory().List(t.Context(), query)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	want := made.Snapshot()
	want.Secrets = nil
	equal(t, "a key never used", list(outbound.APIKeyQuery{User: person}), []outbound.ListedAPIKey{{Key: want}})
	w.touch(t, made.ID().String())
	equal(t, "a key that was used", list(outbound.APIKeyQuery{User: person, Limit: 1}), []outbound.ListedAPIKey{{Key: want, UsedAt: noon()}})
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
		query outbound.APIKeyQuery
		want  []apikey.ID
	}{
		"user":               {outbound.APIKeyQuery{User: ada}, []apikey.ID{used, expired, revoked, recent, elsewhere, plain}},
		"workspace":          {outbound.APIKeyQuery{Org: org}, []apikey.ID{used, expired, revoked, recent, others, plain}},
		"both":               {outbound.APIKeyQuery{User: bob, Org: org}, []apikey.ID{others}},
		"neither":            {outbound.APIKeyQuery{User: bob, Org: other}, nil},
		"active":             {outbound.APIKeyQuery{User: ada, Status: apikey.Active}, []apikey.ID{used, recent, elsewhere, plain}},
		"expired":            {outbound.APIKeyQuery{User: ada, Status: apikey.Expired}, []apikey.ID{expired}},
		"revoked":            {outbound.APIKeyQuery{User: ada, Status: apikey.Revoked}, []apikey.ID{revoked}},
		"scope":              {outbound.APIKeyQuery{Org: org, Scopes: []string{"users:read"}}, []apikey.ID{others}},
		"scopes":             {outbound.APIKeyQuery{Scopes: []string{"apps:*", "*"}}, []apikey.ID{others, elsewhere}},
		"part of a scope":    {outbound.APIKeyQuery{Org: org, Scopes: []string{"apps"}}, nil},
		"prefix":             {outbound.APIKeyQuery{User: ada, Prefix: "ak_live_zZ"}, []apikey.ID{recent}},
		"whole prefix":       {outbound.APIKeyQuery{User: ada, Prefix: "ak_live_zZ01"}, []apikey.ID{recent}},
		"longer prefix":      {outbound.APIKeyQuery{User: ada, Prefix: "ak_live_zZ012"}, nil},
		"unused since then":  {outbound.APIKeyQuery{User: ada, UnusedSince: noon()}, nil},
		"unused since later": {outbound.APIKeyQuery{User: ada, UnusedSince: noon().Add(time.Microsecond), Status: apikey.Active}, []apikey.ID{used, elsewhere, plain}},
		"created before":     {outbound.APIKeyQuery{User: ada, CreatedBefore: now, Status: apikey.Active}, []apikey.ID{used, elsewhere, plain}},
		"except":             {outbound.APIKeyQuery{User: ada, Status: apikey.Active, Except: recent}, []apikey.ID{used, elsewhere, plain}},
		"first page":         {outbound.APIKeyQuery{User: ada, Limit: 2}, []apikey.ID{used, expired}},
		"second page":        {outbound.APIKeyQuery{User: ada, Limit: 2, Before: expired}, []apikey.ID{revoked, recent}},
	} {
		c.query.Now = now
		w.apiKeysFound(t, name, c.query, c.want)
	}
}

// apiKeysFound checks what a query finds, to change and to look at.
func (w *world) apiKeysFound(t *testing.T, name string, query outbound.APIKeyQuery, want []apikey.ID) {
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
	listed, err := w.store.APIKeyDirectory().List(t.Context(), query)
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
	moments := outbound.APIKeyMoments{Now: noon(), Soon: noon().Add(time.Hour)}
	summary := func() outbound.APIKeySummary {
		t.Helper()
		counted, err := w.store.APIKeyDirectory().Summary(t.Context(), ada, moments)
		if err != nil {
			t.Fatal(err)
		}
		return counted
	}
	equal(t, "the counts of nobody's", summary(), outbound.APIKeySummary{})
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
	equal(t, "the counts", summary(), outbound.APIKeySummary{Total: 7, Active: 5, ExpiringSoon: 1, UniqueScopes: 2})
}

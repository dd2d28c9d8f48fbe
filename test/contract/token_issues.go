package contract

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/m2m"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/machines"
)

// TokenIssues checks machines.TokenIssues.
func TokenIssues(t *testing.T, open Opener) {
	w := newWorld(t, open)
	t.Run("stores a token with its event", w.issuesStore)
	t.Run("stores none for an app that changed", w.issuesStale)
	t.Run("stores none for an audience that changed", w.issuesAudience)
	t.Run("keeps to the transaction of a command", w.issuesWithin)
	t.Run("stores the runs of flows with it", w.issuesDecided)
	t.Run("stores many at once, but for those that are stale", w.issuesMany)
	t.Run("lets a change of the app win or lose", w.issuesRace)
}

// made is a token that was not stored yet.
func (w *world) made(of *app.App) m2m.Issued {
	return m2m.Issued{
		JTI: w.ids.UUID(), App: of.ID(), AppVersion: of.Version(), Scope: "a b", Audience: "https://api.example.com", JKT: "thumbprint",
		IssuedAt: noon(), ExpiresAt: noon().Add(time.Hour),
	}
}

func happened(of *app.App, token m2m.Issued) event.Data {
	return m2m.IssuedData{JTI: token.JTI, AppID: of.ID(), OrgID: of.Snapshot().OrgID, ScopeCount: 2, DPoP: true}
}

func (w *world) issuesDecided(t *testing.T) {
	of := w.service(t, "issues-decided")
	w.decided(t, w.person(t, "decided-issue@example.com").ID(), func(ctx context.Context, can bool, decidedBy ...flow.Run) error {
		token := w.made(of)
		if !can {
			token.AppVersion--
		}
		return w.store.TokenIssues.Issue(ctx, token, decidedBy, happened(of, token))
	})
}

// eventsOf returns the events of an app's workspace, newest first.
func (w *world) eventsOf(ctx context.Context, t *testing.T, of *app.App) []event.Record {
	t.Helper()
	found, err := w.store.AuditTrail.Search(ctx, outbound.AuditQuery{Org: of.Snapshot().OrgID, Kind: m2m.KindIssued})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func (w *world) issuesStore(t *testing.T) {
	of := w.service(t, "issues-store")
	token := w.made(of)
	var recorder event.Recorder
	origin := event.Origin{ActorKind: "anonymous", IP: "203.0.113.9", UserAgent: "curl", RequestID: "r1", Command: "M2M.TOKEN"}
	ctx := event.WithOrigin(event.WithRecorder(t.Context(), &recorder), origin)
	if err := w.store.TokenIssues.Issue(ctx, token, nil, happened(of, token)); err != nil {
		t.Fatal(err)
	}
	listed, err := w.store.TokenDirectory.List(t.Context(), machines.TokenQuery{Org: of.Snapshot().OrgID, Now: noon()})
	if err != nil {
		t.Fatal(err)
	}
	token.AppVersion = 0 // is no part of what is kept
	equal(t, "the stored token", listed, []m2m.ListedToken{{Issued: token, Active: true}})
	equal(t, "what was recorded", recorder.Kinds, []event.Kind{m2m.KindIssued})
	events := w.eventsOf(t.Context(), t, of)
	equal(t, "how much was told", len(events), 1)
	equal(t, "the origin", events[0].Origin, origin)
}

func (w *world) issuesStale(t *testing.T) {
	of := w.service(t, "issues-stale")
	stale, early := w.made(of), w.made(of)
	stale.AppVersion--
	w.issuedAt(t, of, noon())
	w.revokeAll(t, of.ID(), noon(), noon())
	gone := w.made(w.service(t, "issues-gone"))
	w.deletedElsewhere(t, gone.App)
	for name, token := range map[string]m2m.Issued{"a stale copy": stale, "revoked meanwhile": early, "a deleted app": gone} {
		var recorder event.Recorder
		err := w.store.TokenIssues.Issue(event.WithRecorder(t.Context(), &recorder), token, nil, happened(of, token))
		if !errors.Is(err, aggregate.ErrConflict) {
			t.Errorf("%s: %v, want ErrConflict", name, err)
		}
		equal(t, name+": what was recorded", len(recorder.Kinds), 0)
		equal(t, name+": the token", w.token(t, token.JTI) == nil, true)
	}
	equal(t, "the events", len(w.eventsOf(t.Context(), t, of)), 0)
}

func (w *world) issuesAudience(t *testing.T) {
	const name = "https://issues.example.com"
	of, elsewhere := w.service(t, "issues-audience"), w.lab(t, "issues-elsewhere@example.com")
	made := w.saveResource(t, w.bareResource(of.Org(), name), 0)
	forAudience := func() m2m.Issued {
		found, err := w.store.Clients.BySlug(t.Context(), "issues-audience", name)
		is(t, "the client", err, nil)
		token := w.made(of)
		token.Audience, token.Epoch, token.AudienceVersion = name, found.Audience.Epoch, found.Audience.Version
		return token
	}
	issue := func(token m2m.Issued) error {
		return w.store.TokenIssues.Issue(t.Context(), token, nil, happened(of, token))
	}
	first, saved, moved := forAudience(), forAudience(), forAudience()
	is(t, "the first", issue(first), nil)
	equal(t, "that it is live", w.live(t, first, noon()), true)
	w.saveResource(t, made.Snapshot(), made.Version())
	is(t, "after the API was saved", issue(saved), aggregate.ErrConflict)
	saved = forAudience()
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Resources.Assign(ctx, name, elsewhere) })
	is(t, "after it was moved", issue(saved), aggregate.ErrConflict)
	equal(t, "that the first is live", w.live(t, first, noon()), false)
	// Whatever was stored under another holder is not live: here as one that raced.
	moved.AudienceVersion = 0
	is(t, "one that raced with the move", issue(moved), nil)
	equal(t, "that it is live", w.live(t, moved, noon()), false)
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Resources.Assign(ctx, name, of.Org()) })
	equal(t, "that the first is live after another move", w.live(t, first, noon()), false)
	for _, one := range w.lists(t, machines.TokenQuery{Org: of.Org()}, moved.JTI, first.JTI) {
		equal(t, "that it is listed as active", one.Active, false)
	}
	last := forAudience()
	is(t, "the last", issue(last), nil)
	equal(t, "that the last is live", w.live(t, last, noon()), true)
	yes := true
	w.lists(t, machines.TokenQuery{Org: of.Org(), Active: &yes}, last.JTI)
	// Nobody claimed this audience when a token for it was issued; then somebody else did.
	early := w.made(of)
	early.Audience = "https://early.example.com"
	is(t, "one of before there were owners", issue(early), nil)
	equal(t, "that it is live", w.live(t, early, noon()), true)
	w.saveResource(t, w.bareResource(elsewhere, early.Audience), 0)
	equal(t, "that it is live under another owner", w.live(t, early, noon()), false)
}

func (w *world) issuesWithin(t *testing.T) {
	of := w.service(t, "issues-within")
	for _, keep := range []bool{false, true} {
		token, stale := w.made(of), w.made(of)
		stale.AppVersion++
		var recorder event.Recorder
		err := w.store.Within(event.WithRecorder(t.Context(), &recorder), func(ctx context.Context) bool {
			if found, err := w.store.Clients.BySlug(ctx, "issues-within", ""); err != nil || found.App.ID != of.ID() {
				t.Errorf("the client within: %v", err)
			}
			if err := w.store.TokenIssues.Issue(ctx, stale, nil, happened(of, stale)); !errors.Is(err, aggregate.ErrConflict) {
				t.Errorf("a stale copy: %v", err)
			}
			if err := w.store.TokenIssues.Issue(ctx, token, nil, happened(of, token)); err != nil {
				t.Error(err)
			}
			equal(t, "the events within", len(w.eventsOf(ctx, t, of)), 1)
			return keep
		})
		if err != nil {
			t.Fatal(err)
		}
		equal(t, fmt.Sprintf("that it was stored, kept %t", keep), w.token(t, token.JTI) != nil, keep)
		equal(t, "what was recorded", recorder.Kinds, []event.Kind{m2m.KindIssued})
	}
}

func (w *world) issuesMany(t *testing.T) {
	const many = 30
	of := w.service(t, "issues-many")
	tokens := make([]m2m.Issued, many)
	var all sync.WaitGroup
	for i := range tokens {
		tokens[i] = w.made(of)
		stale := i%3 == 0
		if stale {
			tokens[i].AppVersion = 7
		}
		all.Go(func() {
			ctx := event.WithOrigin(t.Context(), event.Origin{ActorKind: "anonymous", RequestID: fmt.Sprint(i)})
			err := w.store.TokenIssues.Issue(ctx, tokens[i], nil, happened(of, tokens[i]))
			if stale != errors.Is(err, aggregate.ErrConflict) || (!stale && err != nil) {
				t.Errorf("token %d: %v", i, err)
			}
		})
	}
	all.Wait()
	recorded := map[string]bool{}
	for _, one := range w.eventsOf(t.Context(), t, of) {
		recorded[one.Origin.RequestID] = true
	}
	for i, token := range tokens {
		equal(t, fmt.Sprintf("token %d", i), w.token(t, token.JTI) != nil, i%3 != 0)
		equal(t, fmt.Sprintf("its event %d", i), recorded[fmt.Sprint(i)], i%3 != 0)
	}
}

// issuesRace issues for an app that changes: what was stored, was so before.
func (w *world) issuesRace(t *testing.T) {
	const many = 40
	of := w.service(t, "issues-race")
	var stored atomic.Int64
	var all sync.WaitGroup
	for range many {
		token := w.made(of)
		all.Go(func() {
			err := w.store.TokenIssues.Issue(t.Context(), token, nil)
			if err == nil {
				stored.Add(1)
			} else if !errors.Is(err, aggregate.ErrConflict) {
				t.Error(err)
			}
		})
	}
	w.changedElsewhere(t, of.ID(), func(*app.Snapshot) {})
	after := w.made(of)
	if err := w.store.TokenIssues.Issue(t.Context(), after, nil); !errors.Is(err, aggregate.ErrConflict) {
		t.Errorf("after the change: %v, want ErrConflict", err)
	}
	all.Wait()
	listed, err := w.store.TokenDirectory.List(t.Context(), machines.TokenQuery{Org: of.Snapshot().OrgID, Now: noon()})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "what is stored", int64(len(listed)), stored.Load())
}

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
	"gatehouse.internal/domain/m2m"
	"gatehouse.internal/ports/outbound"
)

// TokenIssues checks outbound.TokenIssues.
func TokenIssues(t *testing.T, open Opener) {
	w := newWorld(t, open)
	t.Run("stores a token with its event", w.issuesStore)
	t.Run("stores none for an app that changed", w.issuesStale)
	t.Run("keeps to the transaction of a command", w.issuesWithin)
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

// toldOf gives the events of an app's workspace, newest first.
func (w *world) toldOf(ctx context.Context, t *testing.T, of *app.App) []event.Record {
	t.Helper()
	found, err := w.store.AuditTrail().Search(ctx, outbound.AuditQuery{Org: of.Snapshot().OrgID, Kind: m2m.KindIssued})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func (w *world) issuesStore(t *testing.T) {
	of := w.service(t, "issues-store")
	token := w.made(of)
	var witness event.Witness
	origin := event.Origin{ActorKind: "anonymous", IP: "203.0.113.9", UserAgent: "curl", RequestID: "r1", Command: "M2M.TOKEN"}
	ctx := event.WithOrigin(event.WithWitness(t.Context(), &witness), origin)
	if err := w.store.TokenIssues().Issue(ctx, token, happened(of, token)); err != nil {
		t.Fatal(err)
	}
	listed, err := w.store.TokenDirectory().List(t.Context(), outbound.TokenQuery{Org: of.Snapshot().OrgID, Now: noon()})
	if err != nil {
		t.Fatal(err)
	}
	token.AppVersion = 0 // is no part of what is kept
	equal(t, "the stored token", listed, []m2m.Listed{{Issued: token, Enabled: true}})
	equal(t, "what the witness heard", witness.Kinds, []event.Kind{m2m.KindIssued})
	told := w.toldOf(t.Context(), t, of)
	equal(t, "how much was told", len(told), 1)
	equal(t, "the origin", told[0].Origin, origin)
}

func (w *world) issuesStale(t *testing.T) {
	of := w.service(t, "issues-stale")
	stale, early := w.made(of), w.made(of)
	stale.AppVersion--
	w.issuedAt(t, of, noon())
	w.revokeAll(t, of.ID(), noon(), noon())
	gone := w.made(w.service(t, "issues-gone"))
	w.changed(t, `DELETE FROM apps WHERE id = ?`, gone.App)
	for name, token := range map[string]m2m.Issued{"a stale copy": stale, "revoked meanwhile": early, "a deleted app": gone} {
		var witness event.Witness
		err := w.store.TokenIssues().Issue(event.WithWitness(t.Context(), &witness), token, happened(of, token))
		if !errors.Is(err, aggregate.ErrConflict) {
			t.Errorf("%s: %v, want ErrConflict", name, err)
		}
		equal(t, name+": what the witness heard", len(witness.Kinds), 0)
		equal(t, name+": the token", w.token(t, token.JTI) == nil, true)
	}
	equal(t, "the events", len(w.toldOf(t.Context(), t, of)), 0)
}

func (w *world) issuesWithin(t *testing.T) {
	of := w.service(t, "issues-within")
	for _, keep := range []bool{false, true} {
		token, stale := w.made(of), w.made(of)
		stale.AppVersion++
		var witness event.Witness
		err := w.store.Within(event.WithWitness(t.Context(), &witness), func(ctx context.Context) bool {
			if found, err := w.store.Clients().BySlug(ctx, "issues-within"); err != nil || found.App.ID != of.ID() {
				t.Errorf("the client within: %v", err)
			}
			if err := w.store.TokenIssues().Issue(ctx, stale, happened(of, stale)); !errors.Is(err, aggregate.ErrConflict) {
				t.Errorf("a stale copy: %v", err)
			}
			if err := w.store.TokenIssues().Issue(ctx, token, happened(of, token)); err != nil {
				t.Error(err)
			}
			equal(t, "the events within", len(w.toldOf(ctx, t, of)), 1)
			return keep
		})
		if err != nil {
			t.Fatal(err)
		}
		equal(t, fmt.Sprintf("that it was stored, kept %t", keep), w.token(t, token.JTI) != nil, keep)
		equal(t, "what the witness heard", witness.Kinds, []event.Kind{m2m.KindIssued})
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
			err := w.store.TokenIssues().Issue(ctx, tokens[i], happened(of, tokens[i]))
			if stale != errors.Is(err, aggregate.ErrConflict) || (!stale && err != nil) {
				t.Errorf("token %d: %v", i, err)
			}
		})
	}
	all.Wait()
	told := map[string]bool{}
	for _, one := range w.toldOf(t.Context(), t, of) {
		told[one.Origin.RequestID] = true
	}
	for i, token := range tokens {
		equal(t, fmt.Sprintf("token %d", i), w.token(t, token.JTI) != nil, i%3 != 0)
		equal(t, fmt.Sprintf("its event %d", i), told[fmt.Sprint(i)], i%3 != 0)
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
			err := w.store.TokenIssues().Issue(t.Context(), token)
			if err == nil {
				stored.Add(1)
			} else if !errors.Is(err, aggregate.ErrConflict) {
				t.Error(err)
			}
		})
	}
	w.changed(t, `UPDATE apps SET version = version + 1 WHERE id = ?`, of.ID())
	after := w.made(of)
	if err := w.store.TokenIssues().Issue(t.Context(), after); !errors.Is(err, aggregate.ErrConflict) {
		t.Errorf("after the change: %v, want ErrConflict", err)
	}
	all.Wait()
	listed, err := w.store.TokenDirectory().List(t.Context(), outbound.TokenQuery{Org: of.Snapshot().OrgID, Now: noon()})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "what is stored", int64(len(listed)), stored.Load())
}

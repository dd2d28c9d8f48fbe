package contract

import (
	"context"
	"fmt"
	"testing"
	"time"

	"gatehouse.internal/domain/audit"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
)

// noted is an event for tests.
type noted struct {
	What    string `json:"what"`
	concern event.Concern
}

func (noted) Kind() event.Kind          { return "thing.noted" }
func (n noted) Concerns() event.Concern { return n.concern }

// otherNoted is one of another kind.
type otherNoted struct{ noted }

func (otherNoted) Kind() event.Kind { return "thing.other" }

// ofKind is one of any kind.
type ofKind struct {
	noted
	kind event.Kind
}

func (o ofKind) Kind() event.Kind { return o.kind }

// AuditTrail checks outbound.AuditTrail.
func AuditTrail(t *testing.T, open Opener) {
	w := newWorld(t, open)
	t.Run("finds what matches, newest first", w.auditSearched)
	t.Run("finds what happened in a request", w.auditOfRequests)
	t.Run("finds by who acted", w.auditByActors)
	t.Run("orders what happened at once", w.auditAtOnce)
	t.Run("finds every kind", w.auditOfKinds)
	t.Run("finds by time what happened when the clock stepped", w.auditStepped)
}

// history records five events, a minute apart.
func (w *world) history(t *testing.T, ada, bob user.ID, org workspace.ID) {
	t.Helper()
	for i, one := range []struct {
		data   event.Data
		origin event.Origin
	}{
		{noted{"0", event.Concern{UserID: ada.String(), OrgID: org.String()}}, event.Origin{ActorKind: "user", ActorID: ada.String(), IP: "203.0.113.7", RequestID: "r0"}},
		{noted{"1", event.Concern{UserID: bob.String()}}, event.Origin{ActorKind: "user", ActorID: ada.String(), IP: "203.0.113.8", RequestID: "r0"}},
		{otherNoted{noted{"2", event.Concern{UserID: ada.String(), Failed: true}}}, event.Origin{ActorKind: "anonymous", IP: "203.0.113.7"}},
		{noted{"3", event.Concern{OrgID: org.String()}}, event.Origin{ActorKind: "user", ActorID: bob.String(), Credential: "s", UserAgent: "u", Command: "A.B"}},
		{otherNoted{noted{What: "4"}}, event.Origin{ActorKind: "system"}},
	} {
		w.do(t, func(ctx context.Context, tx Repos) error {
			return tx.Events.Record(event.WithOrigin(ctx, one.origin), one.data)
		})
		if i < 4 {
			w.clock.move(time.Minute)
		}
	}
}

func (w *world) auditSearched(t *testing.T) {
	ada, bob, org := like(w, user.ID("")), like(w, user.ID("")), like(w, workspace.ID(""))
	start := noon()
	w.history(t, ada, bob, org)
	all := w.audit(t, outbound.AuditQuery{})
	equal(t, "the number of events", len(all), 5)
	equal(t, "a whole record", all[1], event.Record{
		ID: all[1].ID, Kind: "thing.noted", At: start.Add(3 * time.Minute), Outcome: event.Success, OrgID: org.String(),
		Origin: event.Origin{ActorKind: "user", ActorID: bob.String(), Credential: "s", UserAgent: "u", Command: "A.B"},
		Data:   []byte(`{"what":"3"}`),
	})
	equal(t, "the address", all[4].Origin.IP, "203.0.113.7")
	type query = outbound.AuditQuery
	for _, c := range []struct {
		what  string
		query query
		want  string
	}{
		{"all", query{}, "43210"},
		{"a page", query{Limit: 2}, "43"},
		{"the next page", query{Limit: 2, Before: all[1].ID}, "21"},
		{"about a user", query{User: ada}, "20"},
		{"about a workspace", query{Org: org}, "30"},
		{"about or by a user", query{Own: ada}, "210"},
		{"about or by a user, a page", query{Own: ada, Limit: 2}, "21"},
		{"about or by a user, the next page", query{Own: ada, Limit: 2, Before: all[3].ID}, "0"},
		{"about or by a user, of a kind", query{Own: ada, Kind: "thing.noted"}, "10"},
		{"about or by a user, in a time", query{Own: ada, From: start.Add(time.Minute), To: start.Add(2 * time.Minute)}, "1"},
		{"about or by one, about another", query{Own: ada, User: bob}, "1"},
		{"about or by one, or of a workspace", query{Own: bob, Org: org}, "310"},
		{"about or by one, or of a workspace, a page", query{Own: bob, Org: org, Limit: 1, Before: all[1].ID}, "1"},
		{"from an address", query{IP: "203.0.113.7"}, "20"},
		{"of a kind", query{Kind: "thing.other"}, "42"},
		{"of a kind, a page", query{Kind: "thing.other", Limit: 1, Before: all[0].ID}, "2"},
		{"what failed", query{Outcome: event.Failure}, "2"},
		{"by an actor", query{ActorID: bob.String()}, "3"},
		{"of a request", query{RequestID: "r0"}, "10"},
		{"of a request about a user", query{RequestID: "r0", User: bob}, "1"},
		{"from a time", query{From: start.Add(3 * time.Minute)}, "43"},
		{"until a time", query{To: start.Add(2 * time.Minute)}, "10"},
		{"within a time, a page", query{From: start.Add(time.Minute), To: start.Add(4 * time.Minute), Limit: 2}, "32"},
		{"within a time, the next page", query{From: start.Add(time.Minute), To: start.Add(4 * time.Minute), Limit: 2, Before: all[2].ID}, "1"},
		{"what failed within a time", query{From: start, Outcome: event.Failure}, "2"},
		{"of nobody", query{User: like(w, user.ID(""))}, ""},
	} {
		what := ""
		for _, record := range w.audit(t, c.query) {
			for i := range all {
				if all[i].ID == record.ID {
					what += fmt.Sprint(len(all) - 1 - i)
				}
			}
		}
		equal(t, c.what, what, c.want)
	}
}

// requestAt is a request identifier as the service mints it at a moment.
func requestAt(moment time.Time, n int) string {
	millis := moment.UnixMilli()
	return fmt.Sprintf("%08x-%04x-7000-8000-%012x", millis>>16, millis&0xffff, n)
}

// auditOfRequests records in requests that took a moment or long, and in those that
// a caller numbered, be it with an identifier of another time.
func (w *world) auditOfRequests(t *testing.T) {
	ada, bob := like(w, user.ID("")), like(w, user.ID(""))
	record := func(request string, about, by user.ID, took ...time.Duration) {
		for _, pause := range took {
			w.clock.move(pause)
			origin := event.Origin{ActorKind: "user", ActorID: by.String(), RequestID: request}
			w.do(t, func(ctx context.Context, tx Repos) error {
				return tx.Events.Record(event.WithOrigin(ctx, origin), noted{"r", event.Concern{UserID: about.String()}})
			})
		}
	}
	w.clock.move(time.Hour)
	now := w.clock.Now()
	quick, echoed, ahead := requestAt(now, 1), requestAt(now.Add(-time.Minute), 2), requestAt(now.Add(time.Hour), 3)
	record(quick, ada, ada, 0, time.Second, 10*time.Second)
	record(quick, bob, ada, 0)
	record(echoed, ada, ada, 0, 0)
	record(ahead, ada, ada, 0)
	record("a:request", ada, bob, 0, time.Hour)
	type query = outbound.AuditQuery
	for what, c := range map[string]struct {
		query query
		want  int
	}{
		"with the service's identifier":       {query{RequestID: quick}, 4},
		"a page":                              {query{RequestID: quick, Limit: 3}, 3},
		"of one's own":                        {query{RequestID: quick, Own: bob}, 1},
		"of one's own, as who acted":          {query{RequestID: quick, Own: ada}, 4},
		"by an actor":                         {query{RequestID: quick, ActorID: bob.String()}, 0},
		"about a user":                        {query{RequestID: quick, User: bob}, 1},
		"with an identifier of before":        {query{RequestID: echoed}, 2},
		"with an identifier of later":         {query{RequestID: ahead}, 1},
		"with a caller's identifier":          {query{RequestID: "a:request"}, 2},
		"with a caller's identifier, in time": {query{RequestID: "a:request", From: w.clock.Now()}, 1},
		"that nobody made":                    {query{RequestID: requestAt(now, 9)}, 0},
	} {
		equal(t, what, len(w.audit(t, c.query)), c.want)
	}
	equal(t, "the pages", len(w.auditPages(t, query{RequestID: quick, Limit: 1})), 4)
}

// auditByActors records what somebody did to themselves and to others.
func (w *world) auditByActors(t *testing.T) {
	ada, bob := like(w, user.ID("")), like(w, user.ID(""))
	w.clock.move(time.Hour)
	for _, c := range []struct{ about, by string }{
		{ada.String(), ada.String()}, {bob.String(), ada.String()}, {"", ada.String()}, {ada.String(), bob.String()}, {ada.String(), ""}, {ada.String(), ada.String()},
	} {
		w.do(t, func(ctx context.Context, tx Repos) error {
			return tx.Events.Record(event.WithOrigin(ctx, event.Origin{ActorKind: "user", ActorID: c.by}), noted{"a", event.Concern{UserID: c.about}})
		})
	}
	type query = outbound.AuditQuery
	for what, c := range map[string]struct {
		query query
		want  int
	}{
		"by one":                  {query{ActorID: ada.String()}, 4},
		"by one, about them":      {query{ActorID: ada.String(), User: ada}, 2},
		"by one, about another":   {query{ActorID: ada.String(), User: bob}, 1},
		"by one, of their own":    {query{ActorID: ada.String(), Own: ada}, 4},
		"by one, of another's":    {query{ActorID: bob.String(), Own: ada}, 1},
		"of one's own":            {query{Own: ada}, 6},
		"by one, before all that": {query{ActorID: ada.String(), To: w.clock.Now()}, 0},
	} {
		equal(t, what, len(w.audit(t, c.query)), c.want)
	}
	equal(t, "the pages", len(w.auditPages(t, query{ActorID: ada.String(), Limit: 1})), 4)
}

// auditAtOnce pages through events of one moment, searched by time alone.
func (w *world) auditAtOnce(t *testing.T) {
	w.clock.move(time.Hour)
	w.do(t, func(ctx context.Context, tx Repos) error {
		return tx.Events.Record(ctx, noted{What: "a"}, noted{What: "b"}, noted{What: "c"})
	})
	what := ""
	query := outbound.AuditQuery{From: w.clock.Now(), Limit: 1}
	for page := w.audit(t, query); len(page) > 0; page = w.audit(t, query) {
		what += string(page[0].Data)
		query.Before = page[0].ID
	}
	equal(t, "the pages", what, `{"what":"c"}{"what":"b"}{"what":"a"}`)
}

// auditOfKinds pages through kinds which the index by kind leaves out, and through
// one that it has, each by itself and within a time.
func (w *world) auditOfKinds(t *testing.T) {
	kinds := []event.Kind{"session.refreshed", "m2m_token.issued", "thing.counted"}
	w.clock.move(time.Hour)
	start := w.clock.Now()
	var want [3][]event.ID
	for i := range 12 {
		of := i % len(kinds)
		w.do(t, func(ctx context.Context, tx Repos) error { return tx.Events.Record(ctx, ofKind{kind: kinds[of]}) })
		want[of] = append([]event.ID{w.audit(t, outbound.AuditQuery{Limit: 1})[0].ID}, want[of]...)
		w.clock.move(time.Minute)
	}
	for i, kind := range kinds {
		equal(t, "all "+string(kind), w.auditPages(t, outbound.AuditQuery{Kind: kind, Limit: 3}), want[i])
		within := outbound.AuditQuery{Kind: kind, From: start.Add(3 * time.Minute), To: start.Add(9 * time.Minute), Limit: 1}
		equal(t, "within a time "+string(kind), w.auditPages(t, within), want[i][1:3])
	}
	equal(t, "a kind that never happened", len(w.audit(t, outbound.AuditQuery{Kind: "thing.lost", Limit: 1})), 0)
}

// auditPages returns the identifiers of all pages of a search.
func (w *world) auditPages(t *testing.T, query outbound.AuditQuery) []event.ID {
	t.Helper()
	var found []event.ID
	for page := w.audit(t, query); len(page) > 0; page = w.audit(t, query) {
		for _, record := range page {
			query.Before = record.ID
			found = append(found, record.ID)
		}
	}
	return found
}

// auditStepped records while the clock runs back. Identifiers still rise, so the
// events are dated near them: searches by time look for them there.
func (w *world) auditStepped(t *testing.T) {
	const near = 10 * time.Second
	w.clock.move(time.Hour)
	ahead := w.clock.Now()
	what := ""
	for _, step := range []time.Duration{0, -near / 2, -time.Hour, time.Hour + near, 1} {
		w.clock.move(step)
		w.do(t, func(ctx context.Context, tx Repos) error { return tx.Events.Record(ctx, noted{What: "s"}) })
		last := w.audit(t, outbound.AuditQuery{Limit: 1})[0]
		if apart := last.At.Sub(last.ID.Time()).Abs(); apart > near {
			t.Errorf("%v after a step, an event is %v apart from its identifier", step, apart)
		}
		at := outbound.AuditQuery{From: last.At, To: last.At.Add(time.Microsecond)}
		for _, record := range w.audit(t, at) {
			if record.ID == last.ID {
				what += "found "
			}
		}
	}
	equal(t, "what is found at its time", what, "found found found found found ")
	equal(t, "all of them", len(w.audit(t, outbound.AuditQuery{From: ahead.Add(-near - time.Millisecond)})), 5)
}

func (w *world) audit(t *testing.T, query outbound.AuditQuery) []event.Record {
	t.Helper()
	found, err := w.store.AuditTrail.Search(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// AuditLog checks outbound.AuditLog.
func AuditLog(t *testing.T, open Opener) {
	w := newWorld(t, open)
	org := like(w, workspace.ID(""))
	entry, err := audit.New(audit.Recorded{
		OrgID: org, AppID: "0193c1a2-7b1e-7c3d-9a5f-0123456789ab", Action: "invoice.approved",
		Actor: map[string]any{"name": "Ünïcode \"quoted\" <&>"}, OccurredAt: noon().Add(-time.Hour),
	}, noon())
	if err != nil {
		t.Fatal(err)
	}
	origin := event.Origin{
		ActorKind: "app", ActorID: "0193c1a2-7b1e-7c3d-9a5f-0123456789ab", IP: "203.0.113.7",
		UserAgent: "curl", RequestID: "r", Command: "AUDIT.RECORD",
	}
	ctx := event.WithRecorder(event.WithOrigin(t.Context(), origin), &event.Recorder{})
	var added event.Record
	add := func(tx Repos) (err error) {
		added, err = tx.Log.Add(ctx, entry)
		return err
	}
	if err := w.unit.Do(ctx, add); err != nil {
		t.Fatal(err)
	}
	equal(t, "its origin", added.Origin, origin)
	equal(t, "its time", added.At, noon())
	found, err := w.store.AuditTrail.Search(t.Context(), outbound.AuditQuery{Org: org})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "what is found of it", found, []event.Record{added})
	w.fails(t, errEnough, func(_ context.Context, tx Repos) error {
		if err := add(tx); err != nil {
			return err
		}
		return errEnough
	})
	if found, err = w.store.AuditTrail.Search(t.Context(), outbound.AuditQuery{Org: org}); err != nil || len(found) != 1 {
		t.Errorf("%d entries after one was rolled back (%v)", len(found), err)
	}
}

package contract

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/risk"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/ops"
	"gatehouse.internal/ports/outbound/signin"
)

// Flows checks ops.Flows and ops.FlowDirectory.
func Flows(t *testing.T, open Opener) {
	w := newWorld(t, open)
	t.Run("keeps every field", w.flowsRoundTrip)
	t.Run("keeps the last versions", w.flowVersions)
	t.Run("has one in force", w.flowsInForce)
	t.Run("goes with its workspace", w.flowsVoided)
}

// drawn stores a flow of a workspace, "" the instance.
func (w *world) drawn(t *testing.T, org workspace.ID, name flow.Name) flow.Snapshot {
	t.Helper()
	made := flow.New(w.flowDraft(org, name), noon())
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Flows.Save(ctx, made) })
	return made.Snapshot()
}

func (w *world) flowDraft(org workspace.ID, name flow.Name) flow.Draft {
	return flow.Draft{
		ID: like(w, flow.ID("")), OrgID: org, Name: name, Description: "Łab 'A'", Trigger: flow.Login, Author: "somebody",
		Graph: flow.Graph{Nodes: []flow.Node{{ID: "start", Type: "start"}, {ID: "end", Type: "deny", Config: flow.Config{"reason": "<'né'>"}}}, Edges: []flow.Edge{{From: "start", To: "end"}}},
	}
}

// redrawn reads a flow, changes it and stores it.
func (w *world) redrawn(t *testing.T, of flow.Snapshot, change func(*flow.Flow)) {
	t.Helper()
	w.do(t, func(ctx context.Context, tx Repos) error {
		f, err := tx.Flows.ByName(ctx, of.OrgID, of.Name)
		if err != nil {
			return err
		}
		change(f)
		return tx.Flows.Save(ctx, f)
	})
}

func (w *world) flowsRoundTrip(t *testing.T) {
	org, other := w.team(t, false, role.Owner), w.team(t, false, role.Owner)
	want := w.drawn(t, org, "one")
	w.drawn(t, other, "one")
	ofInstance := w.drawn(t, "", "one")
	for _, s := range []flow.Snapshot{want, ofInstance} {
		found, err := w.store.FlowDirectory.Find(t.Context(), s.OrgID, "one")
		is(t, "the flow", err, nil)
		found.Current.Changes = []string{}
		equal(t, "the flow", found, s)
		all, err := w.store.FlowDirectory.List(t.Context(), ops.FlowQuery{Org: s.OrgID, Trigger: flow.Login, Limit: 5})
		is(t, "the list", err, nil)
		equal(t, "how many are listed", len(all), 1)
	}
	w.fails(t, flow.ErrNameTaken, func(ctx context.Context, tx Repos) error {
		return tx.Flows.Save(ctx, flow.New(w.flowDraft(org, "one"), noon()))
	})
	_, err := w.store.FlowDirectory.Find(t.Context(), org, "two")
	is(t, "a flow that there is not", err, flow.ErrNotFound)
	w.conflicts(t, func(ctx context.Context, tx Repos) error {
		stale, err := tx.Flows.ByName(ctx, org, "one")
		if err != nil {
			return err
		}
		fresh, err := tx.Flows.ByName(ctx, org, "one")
		if err != nil {
			return err
		}
		fresh.Describe("other", noon())
		if err := tx.Flows.Save(ctx, fresh); err != nil {
			return err
		}
		stale.Describe("stale", noon())
		return tx.Flows.Save(ctx, stale)
	})
}

func (w *world) flowVersions(t *testing.T) {
	org := w.team(t, false, role.Owner)
	s := w.drawn(t, org, "often")
	w.do(t, func(ctx context.Context, tx Repos) error {
		for n := range flow.KeptVersions {
			f, err := tx.Flows.ByName(ctx, org, "often")
			if err != nil {
				return err
			}
			g := f.Snapshot().Current.Graph
			g.Nodes[1].Config = flow.Config{"reason": fmt.Sprint(n)}
			f.Rewrite(flow.Graph{Nodes: append([]flow.Node{}, g.Nodes...), Edges: g.Edges}, "other", noon())
			f.Rewrite(flow.Graph{Nodes: []flow.Node{{ID: "start", Type: "start"}, {ID: fmt.Sprint("n", n), Type: "allow"}}, Edges: []flow.Edge{{From: "start", To: fmt.Sprint("n", n)}}}, "other", noon())
			if err := tx.Flows.Save(ctx, f); err != nil {
				return err
			}
		}
		return nil
	})
	kept, err := w.store.FlowDirectory.Versions(t.Context(), s.ID, 0, 0)
	is(t, "the versions", err, nil)
	newest := kept[0].Number
	if len(kept) > flow.KeptVersions || kept[len(kept)-1].Number <= newest-flow.KeptVersions {
		t.Errorf("%d versions are kept, from %d to %d", len(kept), kept[len(kept)-1].Number, newest)
	}
	one, err := w.store.FlowDirectory.Version(t.Context(), s.ID, newest)
	is(t, "the newest", err, nil)
	equal(t, "its author", one.Author, "other")
	_, err = w.store.FlowDirectory.Version(t.Context(), s.ID, 1)
	is(t, "one that is too old", err, flow.ErrNoVersion)
}

func (w *world) flowsInForce(t *testing.T) {
	org := w.team(t, false, role.Owner)
	one, two := w.drawn(t, org, "one"), w.drawn(t, org, "two")
	before := w.instance(t.Context(), t).Revision
	w.redrawn(t, one, func(f *flow.Flow) { f.Describe("a draft moves nothing", noon()) })
	equal(t, "the revision after a draft", w.instance(t.Context(), t).Revision, before)
	for _, change := range []func(*flow.Flow){
		func(f *flow.Flow) { f.Enable(noon()) },
		func(f *flow.Flow) { f.Describe("in force", noon()) },
		func(f *flow.Flow) { f.Disable(noon()) },
		func(f *flow.Flow) { f.Enable(noon()) },
	} {
		w.redrawn(t, one, change)
		after := w.instance(t.Context(), t).Revision
		if after <= before {
			t.Errorf("the revision is %d, and was %d", after, before)
		}
		before = after
	}
	w.do(t, func(ctx context.Context, tx Repos) error {
		found, err := tx.Flows.Enabled(ctx, org, flow.Login)
		if err == nil {
			equal(t, "the flow in force", found.Snapshot().ID, one.ID)
		}
		return err
	})
	err := w.unit.Do(t.Context(), func(tx Repos) error {
		f, err := tx.Flows.ByName(t.Context(), org, two.Name)
		if err != nil {
			return err
		}
		f.Enable(noon())
		return tx.Flows.Save(t.Context(), f)
	})
	if err == nil {
		t.Error("two flows of a trigger are in force")
	}
	on := true
	all, err := w.store.FlowDirectory.List(t.Context(), ops.FlowQuery{Org: org, Enabled: &on})
	is(t, "the enabled ones", err, nil)
	equal(t, "how many", len(all), 1)
	w.do(t, func(ctx context.Context, tx Repos) error {
		f, err := tx.Flows.ByName(ctx, org, one.Name)
		if err != nil {
			return err
		}
		f.Delete()
		return tx.Flows.Delete(ctx, f)
	})
	_, err = w.store.FlowDirectory.Find(t.Context(), org, one.Name)
	is(t, "a deleted flow", err, flow.ErrNotFound)
}

func (w *world) flowsVoided(t *testing.T) {
	owner := w.person(t, "void-flows@example.com").ID()
	own, shared := w.team(t, true, role.Owner, owner), w.team(t, false, role.Owner, owner)
	w.drawn(t, own, "mine")
	w.drawn(t, shared, "ours")
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.LoginMethods.Void(ctx, owner, noon()) })
	for org, left := range map[workspace.ID]int{own: 0, shared: 1} {
		all, err := w.store.FlowDirectory.List(t.Context(), ops.FlowQuery{Org: org})
		is(t, "the flows", err, nil)
		equal(t, "what is left once the account was claimed", len(all), left)
	}
}

// flowRun is a run that was not stored yet.
func (w *world) flowRun(of flow.Snapshot, decision flow.Decision) flow.Run {
	return flow.Run{
		ID: like(w, flow.RunID("")), FlowID: of.ID, OrgID: of.OrgID, Name: of.Name, Version: 1, Trigger: of.Trigger,
		Decision: decision, At: noon(), Took: 42 * time.Microsecond,
		Content: flow.RunContent{
			Reason: "<'né'>", Node: "end", Trace: []flow.Step{{Node: "end", Outcome: "deny", Took: time.Microsecond}},
			Claims: []string{"tier"}, Context: map[string]json.RawMessage{"ip": []byte(`{"address":"192.0.2.1"}`)},
		},
	}
}

// decided checks that runs are stored with what they decided about, or not at all: store
// stores one thing of a person that can be stored, or one that cannot.
func (w *world) decided(t *testing.T, of user.ID, store func(ctx context.Context, can bool, decidedBy ...flow.Run) error) {
	t.Helper()
	drawn := w.drawn(t, w.team(t, false, role.Owner), "decides")
	runs := make([]flow.Run, 4)
	for i := range runs {
		runs[i] = w.flowRun(drawn, flow.Allow)
		runs[i].User = of
	}
	nobody := w.flowRun(drawn, flow.Allow)
	is(t, "what can be stored", store(t.Context(), true, runs[0], nobody), nil)
	is(t, "what cannot", store(t.Context(), false, runs[1]), aggregate.ErrConflict)
	for i, keep := range []bool{false, true} {
		is(t, "the transaction of a command", w.store.Within(t.Context(), func(ctx context.Context) bool {
			is(t, "what can be stored in it", store(ctx, true, runs[2+i]), nil)
			return keep
		}), nil)
	}
	found, err := w.store.FlowRunDirectory.List(t.Context(), ops.FlowRunQuery{Orgs: []workspace.ID{drawn.OrgID}, Limit: 9})
	is(t, "the runs", err, nil)
	sort := func(a, b flow.Run) int { return cmp.Compare(a.ID, b.ID) }
	want := []flow.Run{runs[0], nobody, runs[3]}
	slices.SortFunc(want, sort)
	slices.SortFunc(found, sort)
	equal(t, "the runs", found, want)
}

// FlowRuns checks ops.FlowRuns and ops.FlowRunDirectory.
func FlowRuns(t *testing.T, open Opener) {
	w := newWorld(t, open)
	org, other, owner := w.team(t, false, role.Owner), w.team(t, false, role.Owner), w.person(t, "runs@example.com").ID()
	ran := func(of workspace.ID, name flow.Name, decision flow.Decision, minute int) flow.Run {
		run := w.flowRun(w.drawn(t, of, name), decision)
		run.At = noon().Add(time.Duration(minute) * time.Minute)
		if decision == flow.Deny {
			run.User = owner
		}
		w.do(t, func(ctx context.Context, tx Repos) error { return tx.FlowRuns.Add(ctx, run) })
		return run
	}
	first, second := ran(org, "one", flow.Deny, 0), ran(org, "two", flow.Allow, 1)
	ran(other, "one", flow.Deny, 0)
	ofInstance := ran("", "one", flow.Allow, 0)
	find := func(in workspace.ID, id flow.RunID) (flow.Run, error) {
		return w.store.FlowRunDirectory.Find(t.Context(), []workspace.ID{in}, id)
	}
	for _, want := range []flow.Run{first, second, ofInstance} {
		found, err := find(want.OrgID, want.ID)
		is(t, "the run", err, nil)
		equal(t, "the run", found, want)
	}
	_, err := find(other, first.ID)
	is(t, "a run of another workspace", err, flow.ErrNoRun)
	for what, c := range map[string]struct {
		query ops.FlowRunQuery
		want  []flow.RunID
	}{
		"all, newest first": {ops.FlowRunQuery{}, []flow.RunID{second.ID, first.ID}},
		"of a name":         {ops.FlowRunQuery{Name: "one"}, []flow.RunID{first.ID}},
		"of a decision":     {ops.FlowRunQuery{Decision: flow.Allow}, []flow.RunID{second.ID}},
		"about somebody":    {ops.FlowRunQuery{User: owner}, []flow.RunID{first.ID}},
		"of a trigger":      {ops.FlowRunQuery{Trigger: flow.Refresh}, nil},
		"from a moment":     {ops.FlowRunQuery{From: second.At}, []flow.RunID{second.ID}},
		"up to one":         {ops.FlowRunQuery{To: second.At}, []flow.RunID{first.ID}},
		"behind a page":     {ops.FlowRunQuery{Before: second.ID}, []flow.RunID{first.ID}},
		"one":               {ops.FlowRunQuery{Limit: 1}, []flow.RunID{second.ID}},
	} {
		c.query.Orgs = []workspace.ID{org}
		found, err := w.store.FlowRunDirectory.List(t.Context(), c.query)
		is(t, what, err, nil)
		var ids []flow.RunID
		for _, one := range found {
			ids = append(ids, one.ID)
		}
		equal(t, what, ids, c.want)
	}
}

// Assessments checks signin.Assessments, signin.AssessmentDirectory and what signin.RiskHistories
// says of them.
func Assessments(t *testing.T, open Opener) {
	w := newWorld(t, open)
	org, owner := w.team(t, false, role.Owner), w.person(t, "risk@example.com").ID()
	want := risk.Snapshot{
		ID: like(w, risk.ID("")), UserID: owner, OrgID: org, Trigger: flow.Login, IP: "192.0.2.1", UserAgent: "Firefox", CreatedAt: noon(),
		Score: risk.Score{Score: 80, Level: risk.High, Signals: []risk.Signal{{Name: risk.NewDevice, Weight: 80, Detail: "Firefox"}}},
	}
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Assessments.Save(ctx, risk.Make(want)) })
	w.fails(t, risk.ErrNotFound, func(ctx context.Context, tx Repos) error {
		_, err := tx.Assessments.ByID(ctx, like(w, risk.ID("")))
		return err
	})
	judge := func(ctx context.Context, tx Repos, verdict risk.Verdict) error {
		kept, err := tx.Assessments.ByID(ctx, want.ID)
		if err != nil {
			return err
		}
		kept.Judge(verdict, 0, noon())
		return tx.Assessments.Save(ctx, kept)
	}
	w.conflicts(t, func(ctx context.Context, tx Repos) error {
		stale, err := tx.Assessments.ByID(ctx, want.ID)
		if err != nil {
			return err
		}
		if err := judge(ctx, tx, risk.Mine); err != nil {
			return err
		}
		stale.Judge(risk.NotMine, 0, noon())
		return tx.Assessments.Save(ctx, stale)
	})
	w.do(t, func(ctx context.Context, tx Repos) error { return judge(ctx, tx, risk.NotMine) })
	want.Verdict, want.VerdictAt = risk.NotMine, noon()
	for what, c := range map[string]struct {
		query signin.AssessmentQuery
		found int
	}{
		"of somebody": {signin.AssessmentQuery{User: owner}, 1}, "in a workspace": {signin.AssessmentQuery{Org: org}, 1},
		"from an address": {signin.AssessmentQuery{IP: "192.0.2.1"}, 1}, "from another one": {signin.AssessmentQuery{IP: "192.0.2.2"}, 0},
		"of a score": {signin.AssessmentQuery{User: owner, MinScore: 80}, 1}, "of a higher one": {signin.AssessmentQuery{User: owner, MinScore: 81}, 0},
	} {
		c.query.Limit = 5
		all, err := w.store.Assessments.List(t.Context(), c.query)
		is(t, what, err, nil)
		equal(t, what, len(all), c.found)
		for _, one := range all {
			equal(t, what, one, want)
		}
	}
	w.do(t, func(ctx context.Context, tx Repos) error {
		history, err := tx.Histories.Of(ctx, signin.RiskQuery{User: owner, IP: "192.0.2.1", Client: "Firefox", Now: noon().Add(time.Minute), KnownFor: time.Hour})
		if err == nil {
			equal(t, "what was denied", len(history.Denied), 1)
			equal(t, "the denied address", history.Denied[0].IP.String(), "192.0.2.1")
			equal(t, "logins and failures", len(history.Logins)+history.Failures+history.AddressAccounts, 0)
		}
		return err
	})
}

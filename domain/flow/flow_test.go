package flow_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/flow"
)

func noon() time.Time { return time.Date(2026, time.November, 28, 12, 0, 0, 0, time.UTC) }

// graph returns a start that leads to one node of a type.
func graph(kind string) flow.Graph {
	return flow.Graph{
		Nodes: []flow.Node{{ID: "start", Type: flow.Start}, {ID: "end", Type: kind}}, Edges: []flow.Edge{{From: "start", To: "end"}},
	}
}

// made returns a new flow whose events are stored.
func made(t *testing.T) *flow.Flow {
	t.Helper()
	f := flow.New(flow.Draft{ID: "flw_01jd7x9k2mf3q8v5t0abcdefgh", Name: "risky", Trigger: flow.Login, Graph: graph("allow"), Author: "ada"}, noon())
	if got, want := kinds(t, f), []event.Kind{flow.KindCreated}; !slices.Equal(got, want) {
		t.Fatalf("events of a new flow: got %v, want %v", got, want)
	}
	return f
}

// kinds returns the kinds of the events that were raised, each of which is in the catalog.
func kinds(t *testing.T, f *flow.Flow) []event.Kind {
	t.Helper()
	var raised []event.Kind
	for _, data := range f.Stored() {
		raised = append(raised, data.Kind())
		if !slices.ContainsFunc(flow.Events(), func(d event.Definition) bool { return d.Example.Kind() == data.Kind() }) {
			t.Errorf("got an event %s, want one of the catalog", data.Kind())
		}
	}
	return raised
}

// Every verb on a flow that is enabled and on one that is not. A new one is not.
func TestTransitions(t *testing.T) {
	t.Parallel()
	later := noon().Add(time.Hour)
	type result struct {
		enabled bool
		version int
		events  []event.Kind
	}
	for _, verb := range []struct {
		name string
		do   func(*flow.Flow)
		want map[bool]result
	}{
		{"Enable", func(f *flow.Flow) { f.Enable(later) }, map[bool]result{false: {true, 1, []event.Kind{flow.KindEnabled}}, true: {true, 1, nil}}},
		{"Disable", func(f *flow.Flow) { f.Disable(later) }, map[bool]result{false: {false, 1, nil}, true: {false, 1, []event.Kind{flow.KindDisabled}}}},
		{"Rewrite", func(f *flow.Flow) { f.Rewrite(graph("deny"), "bob", later) }, map[bool]result{false: {false, 2, []event.Kind{flow.KindUpdated}}, true: {true, 2, []event.Kind{flow.KindUpdated}}}},
		{"Rewrite alike", func(f *flow.Flow) { f.Rewrite(graph("allow"), "bob", later) }, map[bool]result{false: {false, 1, nil}, true: {true, 1, nil}}},
		{"Describe", func(f *flow.Flow) { f.Describe("text", later) }, map[bool]result{false: {false, 1, []event.Kind{flow.KindUpdated}}, true: {true, 1, []event.Kind{flow.KindUpdated}}}},
		{"Describe alike", func(f *flow.Flow) { f.Describe("", later) }, map[bool]result{false: {false, 1, nil}, true: {true, 1, nil}}},
		{"Delete", func(f *flow.Flow) { f.Delete() }, map[bool]result{false: {false, 1, []event.Kind{flow.KindDeleted}}, true: {true, 1, []event.Kind{flow.KindDeleted}}}},
	} {
		for _, enabled := range []bool{false, true} {
			f := made(t)
			if enabled {
				f.Enable(noon())
			}
			f.Stored()
			verb.do(f)
			s, want := f.Snapshot(), verb.want[enabled]
			if s.Enabled != want.enabled || s.Current.Number != want.version {
				t.Errorf("%s while enabled is %v: got enabled %v, version %d, want %v, %d", verb.name, enabled, s.Enabled, s.Current.Number, want.enabled, want.version)
			}
			if moved := s.UpdatedAt.Equal(later); moved != (want.events != nil && verb.name != "Delete") {
				t.Errorf("%s while enabled is %v: UpdatedAt moved: got %v", verb.name, enabled, moved)
			}
			if got := kinds(t, f); !slices.Equal(got, want.events) {
				t.Errorf("%s while enabled is %v: got events %v, want %v", verb.name, enabled, got, want.events)
			}
		}
	}
}

func TestRewriteMakesAVersion(t *testing.T) {
	t.Parallel()
	f := flow.Restore(made(t).Snapshot(), 1)
	f.Rewrite(graph("deny"), "bob", noon().Add(time.Hour))
	current := f.Snapshot().Current
	if current.Number != 2 || current.Author != "bob" || !current.CreatedAt.Equal(noon().Add(time.Hour)) || !slices.Equal(current.Changes, []string{"node end changed"}) {
		t.Errorf("the new version: got %+v, want number 2 by bob with one node changed", current)
	}
	for version, want := range map[int]error{0: nil, 1: flow.ErrStale, 2: nil, 3: flow.ErrStale} {
		if err := f.Expect(version); !errors.Is(err, want) {
			t.Errorf("Expect(%d) at version 2 = %v, want %v", version, err, want)
		}
	}
}

func TestScope(t *testing.T) {
	t.Parallel()
	if got := (flow.Snapshot{}).Scope(); got != flow.Instance {
		t.Errorf("Scope() without a workspace = %s, want %s", got, flow.Instance)
	}
	if got := (flow.Snapshot{OrgID: "org_01jd7x9k2mf3q8v5t0abcdefgh"}).Scope(); got != flow.Workspace {
		t.Errorf("Scope() of a workspace = %s, want %s", got, flow.Workspace)
	}
}

// Sign-in rules of a workspace are those of the triggers by which a person signs in.
func TestSignsIn(t *testing.T) {
	t.Parallel()
	want := map[flow.Trigger]bool{flow.Login: true, flow.SocialLogin: true, flow.PasskeyLogin: true}
	for _, trigger := range flow.Triggers() {
		if got := trigger.SignsIn(); got != want[trigger] {
			t.Errorf("SignsIn() of %s = %v, want %v", trigger, got, want[trigger])
		}
	}
}

func TestGraphChanges(t *testing.T) {
	t.Parallel()
	before := graph("allow")
	after := flow.Graph{
		Nodes: []flow.Node{{ID: "start", Type: flow.Start}, {ID: "check", Type: "condition"}, {ID: "stop", Type: "deny"}},
		Edges: []flow.Edge{{From: "start", To: "check", When: flow.Default}, {From: "check", To: "stop", When: "true"}},
	}
	want := []string{"node check added", "node stop added", "node end removed", "edge check true added", "edge start default changed"}
	if got := after.Changes(before); !slices.Equal(got, want) {
		t.Errorf("Changes() = %q, want %q", got, want)
	}
	if got := before.Changes(before); len(got) != 0 {
		t.Errorf("Changes() of the same graph = %q, want none", got)
	}
	var many flow.Graph
	for i := range 25 {
		many.Nodes = append(many.Nodes, flow.Node{ID: fmt.Sprint("n", i)})
	}
	if got := many.Changes(flow.Graph{}); len(got) != 21 || got[20] != "and 5 more" {
		t.Errorf("25 changes: got %d lines that end with %q, want 21 that end with how many more", len(got), got[len(got)-1])
	}
}

// Graphs that are equal are stored alike, and come back as they were.
func TestGraphsAreStored(t *testing.T) {
	t.Parallel()
	config := graph("switch")
	config.Nodes[1].Config = flow.Config{"expression": "a < b && c"}
	for name, c := range map[string]struct {
		one, other flow.Graph
		want       bool
	}{
		"the same":               {graph("allow"), graph("allow"), true},
		"without edges":          {flow.Graph{Edges: []flow.Edge{}}, flow.Graph{}, true},
		"another type":           {graph("allow"), graph("deny"), false},
		"with a configuration":   {config, graph("switch"), false},
		"a config that is equal": {config, config, true},
	} {
		if got := c.one.Equal(c.other); got != c.want {
			t.Errorf("%s: Equal() = %v, want %v", name, got, c.want)
		}
		text, err := c.one.Encode()
		if err != nil {
			t.Fatalf("%s: Encode() = %v", name, err)
		}
		if back, err := flow.DecodeGraph(text); err != nil || !back.Equal(c.one) {
			t.Errorf("%s: DecodeGraph(%s) = %+v, %v, want %+v", name, text, back, err, c.one)
		}
	}
	broken := graph("allow")
	broken.Nodes[0].Config = flow.Config{"f": func() {}}
	if broken.Equal(broken) {
		t.Error("Equal() of a graph that has no form = true, want false")
	}
	if _, err := flow.DecodeGraph([]byte("{")); err == nil {
		t.Error("DecodeGraph({) = nil, want an error")
	}
}

// The bounds of a graph hold to the node, and each complaint names its place.
func TestShapeBounds(t *testing.T) {
	t.Parallel()
	// fan is a start with edges to all other nodes.
	fan := func(nodes, edges int) flow.Graph {
		g := flow.Graph{Nodes: []flow.Node{{ID: "n0", Type: flow.Start}}}
		for i := 1; i < nodes; i++ {
			g.Nodes = append(g.Nodes, flow.Node{ID: fmt.Sprint("n", i), Type: "allow"})
		}
		for i := range edges {
			g.Edges = append(g.Edges, flow.Edge{From: "n0", To: fmt.Sprint("n", 1+i%(nodes-1)), When: fmt.Sprint("w", i)})
		}
		return g
	}
	large := fan(2, 1)
	large.Nodes[1].Config = flow.Config{"text": string(make([]byte, 64<<10))}
	twice, back := fan(3, 2), fan(2, 1)
	twice.Edges[1].When = "w0"
	back.Edges = append(back.Edges, flow.Edge{From: "n1", To: "n0"})
	lost := fan(2, 1)
	lost.Edges = append(lost.Edges, flow.Edge{From: "nowhere", To: "n1"})
	for name, c := range map[string]struct {
		graph flow.Graph
		want  []string
	}{
		"as many as may":       {fan(flow.MaxNodes, flow.MaxEdges), nil},
		"a node too many":      {fan(flow.MaxNodes+1, flow.MaxEdges), []string{"/nodes"}},
		"an edge too many":     {fan(flow.MaxNodes, flow.MaxEdges+1), []string{"/edges"}},
		"too large":            {large, []string{"/nodes"}},
		"one output twice":     {twice, []string{"/edges/1/when"}},
		"back to the start":    {back, []string{"/edges/1/to"}},
		"from a node not here": {lost, []string{"/edges/1/from"}},
		"nothing":              {flow.Graph{}, []string{"/nodes"}},
	} {
		var got []string
		for _, field := range c.graph.Shape() {
			got = append(got, field.Path)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got complaints about %v, want %v", name, got, c.want)
		}
	}
}

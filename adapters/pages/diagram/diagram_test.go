package diagram_test

import (
	"fmt"
	"strings"
	"testing"

	"gatehouse.internal/adapters/pages/diagram"
	"gatehouse.internal/domain/flow"
)

func node(id string, config flow.Config) flow.Node {
	return flow.Node{ID: id, Type: "condition", Config: config}
}

func edge(from, to, when string) flow.Edge { return flow.Edge{From: from, To: to, When: when} }

// A node is below all its predecessors and overlaps none, and only the path of the run
// is highlighted.
func TestOf(t *testing.T) {
	t.Parallel()
	g := flow.Graph{
		Nodes: []flow.Node{node("start", nil), node("a", nil), node("b", nil), node("c", nil), node("end", nil)},
		Edges: []flow.Edge{
			edge("start", "a", ""), edge("a", "b", "true"), edge("a", "c", "false"), edge("b", "end", "true"), edge("b", "c", "false"),
			edge("c", "end", "true"), edge("start", "end", "other"),
		},
	}
	d := diagram.Of(g, []diagram.Step{{Node: "start", Output: "default"}, {Node: "a", Output: "false"}, {Node: "c", Output: "true"}, {Node: "end"}})
	at := map[string]diagram.Box{}
	for _, one := range d.Boxes {
		at[one.ID] = one
		if one.X < 0 || one.Y < 0 || one.X+one.Width > d.Width || one.Y+one.Height > d.Height {
			t.Errorf("%s stands outside: %+v of %d × %d", one.ID, one, d.Width, d.Height)
		}
		for _, other := range d.Boxes {
			if one.ID != other.ID && one.Y == other.Y && one.X < other.X+other.Width && other.X < one.X+one.Width {
				t.Errorf("%s stands on %s", one.ID, other.ID)
			}
		}
		if one.Lit == (one.ID == "b") {
			t.Errorf("%s is lit: %t", one.ID, one.Lit)
		}
	}
	for _, e := range g.Edges {
		if at[e.From].Y >= at[e.To].Y {
			t.Errorf("%s stands below %s", e.From, e.To)
		}
	}
	var lit []string
	for i, line := range d.Lines {
		if line.Lit {
			lit = append(lit, g.Edges[i].From+"-"+g.Edges[i].To+" "+line.Label)
		}
	}
	if got, want := strings.Join(lit, ", "), "start-a , a-c false, c-end true"; got != want {
		t.Errorf("lit are %q, want %q", got, want)
	}
}

// The layout of an invalid graph terminates.
func TestOfWhatIsUnsound(t *testing.T) {
	t.Parallel()
	d := diagram.Of(flow.Graph{
		Nodes: []flow.Node{node("a", nil), node("b", nil)},
		Edges: []flow.Edge{edge("a", "b", ""), edge("b", "a", ""), edge("a", "nowhere", "")},
	}, nil)
	if len(d.Boxes) != 2 {
		t.Errorf("Of() of a cycle has %d boxes", len(d.Boxes))
	}
	if d := diagram.Of(flow.Graph{}, nil); len(d.Boxes)+len(d.Lines) != 0 {
		t.Errorf("Of() of nothing = %+v", d)
	}
}

// Long texts are truncated; the full text is kept in Detail.
func TestTexts(t *testing.T) {
	t.Parallel()
	wide, long := strings.Repeat("語", 30), strings.Repeat("x", 60)
	d := diagram.Of(flow.Graph{Nodes: []flow.Node{
		node(long, flow.Config{"expression": long}), node("w", flow.Config{"message": wide}), node("two", flow.Config{"on_error": "deny", "cidrs": []any{"192.0.2.0/24", "x"}}),
	}}, nil)
	for i, want := range []string{"condition " + strings.Repeat("x", 17) + "…", "condition " + strings.Repeat("語", 8) + "…", "condition cidrs 192.0.2.0/2…"} {
		if d.Boxes[i].Short != want {
			t.Errorf("Short = %q, want %q", d.Boxes[i].Short, want)
		}
	}
	if d.Boxes[0].Detail != long || len(d.Boxes[0].ID) > 40 {
		t.Errorf("the first is %+v", d.Boxes[0])
	}
}

func BenchmarkOf(b *testing.B) {
	var g flow.Graph
	for i := range flow.MaxNodes {
		g.Nodes = append(g.Nodes, node(fmt.Sprint("n", i), nil))
		for _, back := range []int{1, 9} {
			if i >= back {
				g.Edges = append(g.Edges, edge(fmt.Sprint("n", i-back), fmt.Sprint("n", i), fmt.Sprint(back)))
			}
		}
	}
	for b.Loop() {
		diagram.Of(g, nil)
	}
}

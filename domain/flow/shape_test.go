package flow_test

import (
	"fmt"
	"testing"

	"gatehouse.internal/domain/flow"
)

// Everything that is wrong with the form of a graph is named at once.
func TestShapeNamesAll(t *testing.T) {
	t.Parallel()
	node := func(id, kind string) flow.Node { return flow.Node{ID: id, Type: kind} }
	for name, test := range map[string]struct {
		graph flow.Graph
		want  string
	}{
		"whole": {flow.Graph{
			Nodes: []flow.Node{node("start", "start"), node("a", "allow")}, Edges: []flow.Edge{{From: "start", To: "a"}},
		}, ""},
		"an edge dangles": {flow.Graph{
			Nodes: []flow.Node{node("start", "start"), node("a", "allow"), node("lost", "allow"), node("behind", "allow")},
			Edges: []flow.Edge{{From: "start", To: "a"}, {From: "a", To: "nothing"}, {From: "lost", To: "behind"}},
		}, "/edges/1/to is not the id of a node, /nodes/2 cannot be reached from the start node, /nodes/3 cannot be reached from the start node"},
		"two of one name": {flow.Graph{
			Nodes: []flow.Node{node("start", "start"), node("a", "allow"), node("a", "allow"), node("lost", "allow")},
			Edges: []flow.Edge{{From: "start", To: "a"}},
		}, "/nodes/2/id is already the id of another node, /nodes/3 cannot be reached from the start node"},
		"two starts": {flow.Graph{
			Nodes: []flow.Node{node("start", "start"), node("again", "start"), node("lost", "allow")},
		}, "/nodes/1/type must not be a second start: a graph has exactly one, /nodes/2 cannot be reached from the start node"},
		"no start": {flow.Graph{Nodes: []flow.Node{node("a", "allow")}}, "/nodes must contain a start node"},
		"a circle": {flow.Graph{
			Nodes: []flow.Node{node("start", "start"), node("a", "log"), node("b", "log")},
			Edges: []flow.Edge{{From: "a", To: "b"}, {From: "b", To: "a"}},
		}, "/nodes/1 cannot be reached from the start node, /nodes/2 cannot be reached from the start node"},
	} {
		got := ""
		for i, one := range test.graph.Shape() {
			if i > 0 {
				got += ", "
			}
			got += fmt.Sprint(one.Path, " ", one.Message)
		}
		if got != test.want {
			t.Errorf("%s: got %s, want %s", name, got, test.want)
		}
	}
}

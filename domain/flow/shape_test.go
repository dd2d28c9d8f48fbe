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
		}, "/edges/1/to is not the id of a node, /nodes/2 is not reached from the start, /nodes/3 is not reached from the start"},
		"two of one name": {flow.Graph{
			Nodes: []flow.Node{node("start", "start"), node("a", "allow"), node("a", "allow"), node("lost", "allow")},
			Edges: []flow.Edge{{From: "start", To: "a"}},
		}, "/nodes/2/id is the id of another node, /nodes/3 is not reached from the start"},
		"two starts": {flow.Graph{
			Nodes: []flow.Node{node("start", "start"), node("again", "start"), node("lost", "allow")},
		}, "/nodes/1/type is a second start: a graph has one, /nodes/2 is not reached from the start"},
		"no start": {flow.Graph{Nodes: []flow.Node{node("a", "allow")}}, "/nodes have no start: a graph has one"},
		"a circle": {flow.Graph{
			Nodes: []flow.Node{node("start", "start"), node("a", "log"), node("b", "log")},
			Edges: []flow.Edge{{From: "a", To: "b"}, {From: "b", To: "a"}},
		}, "/nodes/1 is not reached from the start, /nodes/2 is not reached from the start"},
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

// Package order sorts the nodes of a graph topologically. It is the only package that
// depends on gonum.
package order

import (
	"errors"

	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/topo"
)

// Sort returns numbers of nodes below count in an order in which every edge leads onwards.
// Where there is none, it returns the cycles.
func Sort(count int, edges [][2]int) (sorted []int, cycles [][]int) {
	g := simple.NewDirectedGraph()
	for i := range count {
		g.AddNode(simple.Node(i))
	}
	for _, e := range edges {
		if e[0] == e[1] {
			return nil, [][]int{{e[0]}}
		}
		g.SetEdge(g.NewEdge(simple.Node(e[0]), simple.Node(e[1])))
	}
	ordered, err := topo.Sort(g)
	if unorderable, cyclic := errors.AsType[topo.Unorderable](err); cyclic {
		for _, component := range unorderable {
			cycle := make([]int, len(component))
			for i, node := range component {
				cycle[i] = int(node.ID())
			}
			cycles = append(cycles, cycle)
		}
		return nil, cycles
	}
	for _, node := range ordered {
		sorted = append(sorted, int(node.ID()))
	}
	return sorted, nil
}

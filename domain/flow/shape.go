package flow

import (
	"strconv"

	"gatehouse.internal/domain/fault"
)

// Shape returns errors of the form of a graph that do not depend on node types: too
// many nodes, duplicate names, edges to unknown nodes, unreachable nodes. Cycles are
// detected when the nodes are ordered.
func (g Graph) Shape() []fault.Field {
	s := shape{Graph: g, place: map[string]int{}}
	s.bounds()
	s.names()
	s.ends()
	s.reach()
	return s.found
}

// shape collects errors.
type shape struct {
	Graph

	// place maps names to the indexes of nodes.
	place map[string]int
	found []fault.Field
}

func (s *shape) complain(message string, path ...string) {
	s.found = append(s.found, fault.Field{Path: fault.Pointer(path...), Message: message})
}

func (s *shape) bounds() {
	if len(s.Nodes) > MaxNodes {
		s.complain("has more than 64 nodes", "nodes")
	}
	if len(s.Edges) > MaxEdges {
		s.complain("has more than 128 edges", "edges")
	}
	if text, err := s.Encode(); err != nil || len(text) > maxGraph {
		s.complain("is larger than 64 KiB with its edges", "nodes")
	}
}

func (s *shape) names() {
	starts := 0
	for i, n := range s.Nodes {
		at := strconv.Itoa(i)
		if _, taken := s.place[n.ID]; taken {
			s.complain("is the id of another node", "nodes", at, "id")
			continue
		}
		s.place[n.ID] = i
		if n.Type == Start {
			if starts++; starts > 1 {
				s.complain("is a second start: a graph has one", "nodes", at, "type")
			}
		}
	}
	if starts == 0 {
		s.complain("have no start: a graph has one", "nodes")
	}
}

func (s *shape) ends() {
	taken := map[[2]string]bool{}
	for i, e := range s.Edges {
		at := strconv.Itoa(i)
		if _, known := s.place[e.From]; !known {
			s.complain("is not the id of a node", "edges", at, "from")
		}
		to, known := s.place[e.To]
		switch {
		case !known:
			s.complain("is not the id of a node", "edges", at, "to")
		case s.Nodes[to].Type == Start:
			s.complain("leads back to the start", "edges", at, "to")
		}
		key := [2]string{e.From, e.Output()}
		if taken[key] {
			s.complain("is what another edge of the node carries", "edges", at, "when")
		}
		taken[key] = true
	}
}

// reach finds the nodes that no path from a start leads to. Without a start, that is the
// error to mend.
func (s *shape) reach() {
	reached := map[string]bool{}
	var open []string
	for _, n := range s.Nodes {
		if n.Type == Start && !reached[n.ID] {
			reached[n.ID] = true
			open = append(open, n.ID)
		}
	}
	if len(open) == 0 {
		return
	}
	next := map[string][]string{}
	for _, e := range s.Edges {
		next[e.From] = append(next[e.From], e.To)
	}
	for ; len(open) > 0; open = open[1:] {
		for _, to := range next[open[0]] {
			if !reached[to] {
				reached[to] = true
				open = append(open, to)
			}
		}
	}
	for i, n := range s.Nodes {
		if !reached[n.ID] {
			s.complain("is not reached from the start", "nodes", strconv.Itoa(i))
		}
	}
}

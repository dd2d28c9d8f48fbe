package flow

import (
	"strconv"

	"gatehouse.internal/domain/fault"
)

// Shape returns errors of the form of a graph that do not depend on node types: too
// many nodes, duplicate names, edges to unknown nodes, unreachable nodes. Cycles are
// detected when the nodes are ordered.
func (g Graph) Shape() []fault.Field {
	s := graphCheck{Graph: g, place: map[string]int{}}
	s.bounds()
	s.names()
	s.ends()
	s.reach()
	return s.found
}

// graphCheck collects errors.
type graphCheck struct {
	Graph

	// place maps names to the indexes of nodes.
	place map[string]int
	found []fault.Field
}

func (s *graphCheck) complain(message string, path ...string) {
	s.found = append(s.found, fault.Field{Path: fault.Pointer(path...), Message: message})
}

func (s *graphCheck) bounds() {
	if len(s.Nodes) > MaxNodes {
		s.complain("must have at most 64 items", "nodes")
	}
	if len(s.Edges) > MaxEdges {
		s.complain("must have at most 128 items", "edges")
	}
	if text, err := s.Encode(); err != nil || len(text) > maxGraph {
		s.complain("must not exceed 64 KiB together with the edges", "nodes")
	}
}

func (s *graphCheck) names() {
	starts := 0
	for i, n := range s.Nodes {
		at := strconv.Itoa(i)
		if _, taken := s.place[n.ID]; taken {
			s.complain("is already the id of another node", "nodes", at, "id")
			continue
		}
		s.place[n.ID] = i
		if n.Type == Start {
			if starts++; starts > 1 {
				s.complain("must not be a second start: a graph has exactly one", "nodes", at, "type")
			}
		}
	}
	if starts == 0 {
		s.complain("must contain a start node", "nodes")
	}
}

func (s *graphCheck) ends() {
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
			s.complain("must not lead to the start node", "edges", at, "to")
		}
		key := [2]string{e.From, e.Output()}
		if taken[key] {
			s.complain("is already used by another edge of the node", "edges", at, "when")
		}
		taken[key] = true
	}
}

// reach finds the nodes that no path from a start leads to. Without a start, that is the
// error to mend.
func (s *graphCheck) reach() {
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
			s.complain("cannot be reached from the start node", "nodes", strconv.Itoa(i))
		}
	}
}

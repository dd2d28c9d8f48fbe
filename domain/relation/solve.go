package relation

import "context"

// values are the values of the nodes of a graph.
type values []bool

// solve answers the question if the known part of the graph suffices. The values of the
// nodes have a lower bound, of what is certain, and an upper bound, of what is
// possible: unread nodes are possible. Subtraction swaps the bounds, so they are
// computed from each other until neither changes.
func (s *search) solve(ctx context.Context) error {
	high := make(values, len(s.nodes))
	for i := range high {
		high[i] = true
	}
	low := make(values, len(s.nodes))
	fresh := make(values, len(s.nodes))
	for _, i := range s.fresh {
		fresh[i] = true
	}
	for {
		nextLow, err := s.least(ctx, high, fresh, false)
		if err != nil {
			return err
		}
		nextHigh, err := s.least(ctx, nextLow, fresh, true)
		if err != nil {
			return err
		}
		stable := !s.negated || (same(low, nextLow) && same(high, nextHigh))
		low, high = nextLow, nextHigh
		switch {
		case low[0]:
			s.answer(true, nil)
			return nil
		case !high[0]:
			s.answer(false, nil)
			return nil
		case stable:
			return nil
		}
	}
}

func same(a, b values) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// least computes the least values of all nodes, given the values others of subtracted
// operands; unknown is the value of unread nodes.
func (s *search) least(ctx context.Context, others, fresh values, unknown bool) (values, error) {
	made := make(values, len(s.nodes))
	for changed := true; changed; {
		changed = false
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !s.work.take(s.size) {
			return nil, ErrTooDeep
		}
		// What a node follows from was mostly met after it.
		for i := len(s.nodes) - 1; i >= 0; i-- {
			if made[i] {
				continue
			}
			n := s.nodes[i]
			made[i] = n.holds || (fresh[i] && unknown) || (!fresh[i] && n.eval(&n.relation.Rewrite, made, others, unknown))
			changed = changed || made[i]
		}
	}
	return made, nil
}

// eval is the value of a rewrite.
func (n *node) eval(w *Rewrite, of, others values, unknown bool) bool {
	holds := func(operand *Rewrite) bool { return n.eval(operand, of, others, unknown) }
	switch w.Op {
	case This, Computed, FromParent:
		return n.leaves[w.leaf].eval(of, unknown)
	case Union:
		return w.some(holds)
	case Intersection:
		return w.every(holds)
	case Difference:
	}
	return holds(&w.Operands[0]) && !n.eval(&w.Operands[1], others, of, !unknown)
}

// eval is the value of a leaf.
func (l *leafState) eval(of values, unknown bool) bool {
	if l.yes || (unknown && l.unknown) {
		return true
	}
	for _, i := range l.follows {
		if of[i] {
			return true
		}
	}
	return false
}

package relation

import "slices"

// gate is a rewrite that somebody can have once enough of its operands can be had.
type gate struct {
	missing int
	// opens are those that have one missing less once this one is open.
	opens []*gate
}

// entries finds the relations that somebody can have. It opens each gate once.
type entries struct {
	// relations are the gates of relations by their indexes.
	relations []gate
	open      []*gate
}

// enterable reports for each relation whether somebody can have it.
func (m *Model) enterable() []bool {
	e := &entries{relations: make([]gate, len(m.relations))}
	for _, r := range m.relations {
		e.relation(r)
	}
	for len(e.open) > 0 {
		last := len(e.open) - 1
		g := e.open[last]
		e.open = e.open[:last]
		for _, next := range g.opens {
			e.pass(next)
		}
	}
	can := make([]bool, len(e.relations))
	for i := range can {
		can[i] = e.relations[i].missing <= 0
	}
	return can
}

// pass takes one from what a gate misses.
func (e *entries) pass(g *gate) {
	if g.missing--; g.missing == 0 {
		e.open = append(e.open, g)
	}
}

// relation wires the gates of a relation.
func (e *entries) relation(r *Relation) {
	leaves := make([]gate, len(r.leaves))
	direct := slices.ContainsFunc(r.Direct, func(one Restriction) bool { return one.Relation == "" })
	for i, leaf := range r.leaves {
		g := &leaves[i]
		g.missing = 1
		for _, from := range r.follows(leaf) {
			source := &e.relations[from.index]
			source.opens = append(source.opens, g)
		}
		if leaf.Op == This && direct {
			e.pass(g)
		}
	}
	wire(&r.Rewrite, leaves, &e.relations[r.index])
}

// wire makes a gate that of a rewrite. Subtracted operands open nothing.
func wire(w *Rewrite, leaves []gate, g *gate) {
	g.missing = 1
	operands := w.Operands
	switch w.Op {
	case This, Computed, FromParent:
		leaves[w.leaf].opens = append(leaves[w.leaf].opens, g)
	case Union:
	case Intersection:
		g.missing = len(operands)
	case Difference:
		operands = operands[:1]
	}
	for i := range operands {
		wire(&operands[i], leaves, &gate{opens: []*gate{g}})
	}
}

// entries adds errors of relations that nobody can have, and of circular definitions.
func (v *validation) entries() {
	circular := make([]bool, len(v.model.relations))
	for _, component := range v.model.components((*Relation).computed) {
		for _, r := range component {
			circular[r.index] = len(component) > 1 || slices.Contains(r.computed(), r)
		}
	}
	enterable := v.model.enterable()
	for _, r := range v.model.relations {
		switch {
		case circular[r.index]:
			v.about(r, "%s is defined in terms of itself", r.Name)
		case !enterable[r.index]:
			v.about(r, "%s can never be granted: every path to it leads back to itself", r.Name)
		}
	}
}

package relation

// components returns the strongly connected components of relations, each after those
// that it leads to (Tarjan's algorithm).
func (m *Model) components(next func(*Relation) []*Relation) [][]*Relation {
	w := &walk{next: next, entered: make([]int, len(m.relations)), lowest: make([]int, len(m.relations))}
	for _, r := range m.relations {
		if w.entered[r.index] == 0 {
			w.visit(r)
		}
	}
	return w.found
}

// walk is a depth-first walk over relations.
type walk struct {
	next func(*Relation) []*Relation
	// entered is the order in which relations were met, from 1 on, and lowest the first
	// one of the path that each leads back to.
	entered, lowest []int
	count           int
	path            []*Relation
	found           [][]*Relation
}

// left is what lowest says of a relation whose component is complete.
const left = int(^uint(0) >> 1)

func (w *walk) visit(r *Relation) {
	w.count++
	w.entered[r.index], w.lowest[r.index] = w.count, w.count
	bottom := len(w.path)
	w.path = append(w.path, r)
	for _, to := range w.next(r) {
		if w.entered[to.index] == 0 {
			w.visit(to)
		}
		w.lowest[r.index] = min(w.lowest[r.index], w.lowest[to.index])
	}
	if w.lowest[r.index] < w.entered[r.index] {
		return
	}
	component := append([]*Relation(nil), w.path[bottom:]...)
	w.path = w.path[:bottom]
	for _, one := range component {
		w.lowest[one.index] = left
	}
	w.found = append(w.found, component)
}

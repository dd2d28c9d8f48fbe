package relation

// shapeSet is a set of shapes of subjects (user, user:*, group#member), a bit for each
// number.
type shapeSet []uint64

const wordBits = 64

func (s shapeSet) add(number int) { s[number/wordBits] |= 1 << (number % wordBits) }

func (s shapeSet) has(number int) bool { return s[number/wordBits]&(1<<(number%wordBits)) != 0 }

func (s shapeSet) addAll(others shapeSet) {
	for i := range s {
		s[i] |= others[i]
	}
}

// link computes which subjects may have each relation. Relations that lead to each other
// share one set, which is complete once those that they lead to are.
func (m *Model) link() {
	m.shapes = map[string]int{}
	for _, r := range m.relations {
		m.numberShape(r.name())
		for _, one := range r.Direct {
			m.numberShape(one.Shape())
		}
	}
	for _, component := range m.components((*Relation).sources) {
		reach := make(shapeSet, (len(m.shapes)+wordBits-1)/wordBits)
		for _, r := range component {
			r.reach = reach
		}
		for _, r := range component {
			reach.add(m.shapes[r.name()])
			for _, one := range r.Direct {
				reach.add(m.shapes[one.Shape()])
			}
			for _, from := range r.sources() {
				reach.addAll(from.reach)
			}
		}
	}
}

func (m *Model) numberShape(shape string) {
	if _, known := m.shapes[shape]; !known {
		m.shapes[shape] = len(m.shapes)
	}
}

// sources returns the relations that a relation follows from, some of them repeatedly.
func (r *Relation) sources() []*Relation {
	var all []*Relation
	for _, leaf := range r.leaves {
		all = append(all, r.follows(leaf)...)
	}
	return all
}

// computed returns the relations of the same object that a relation takes.
func (r *Relation) computed() []*Relation {
	var all []*Relation
	for _, leaf := range r.leaves {
		if leaf.Op == Computed {
			all = append(all, r.follows(leaf)...)
		}
	}
	return all
}

// forms returns the numbers of the shapes that a subject has: its own, and that of
// everybody of its type.
func (m *Model) forms(s Subject) []int {
	var found []int
	for _, shape := range []string{s.Shape(), s.everybody().Shape()} {
		if number, known := m.shapes[shape]; known {
			found = append(found, number)
		}
	}
	return found
}

// mayReach reports whether a subject of some forms may have the relation by the model
// alone.
func (r *Relation) mayReach(forms []int) bool {
	for _, number := range forms {
		if r.reach.has(number) {
			return true
		}
	}
	return false
}

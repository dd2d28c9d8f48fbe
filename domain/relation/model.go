package relation

import (
	"slices"
	"strings"
)

// Bounds of a model. OpenFGA bounds its text, types and conditions alike.
const (
	// MostModelBytes bounds a model as text.
	MostModelBytes = 256 << 10
	mostTypes      = 100
	// mostRelations, mostRewrites and mostRestrictions bound a model as a whole: each
	// relation, operator, operand and listed type of subjects is work at each change.
	mostRelations    = 1000
	mostRewrites     = 5000
	mostRestrictions = 2500
	mostConditions   = 100
	mostParameters   = 25
	// mostNesting bounds how deep rewrites nest.
	mostNesting = 25
)

// Model is an authorization model: the types of objects, their relations, and how
// relations derive from others. It is immutable.
type Model struct {
	Types      []*Type
	Conditions []*Condition

	types      map[string]*Type
	conditions map[string]*Condition
	// relations are those of all types, each at its index.
	relations []*Relation
	// shapes numbers the shapes of subjects that the model knows.
	shapes map[string]int
}

// Type is a type of objects.
type Type struct {
	Name      string
	Relations []*Relation

	relations map[string]*Relation
	line      int
}

// Relation is a relation of a type.
type Relation struct {
	Name    string
	Rewrite Rewrite
	// Direct are the subjects that tuples of the relation may name.
	Direct []Restriction

	of    *Type
	line  int
	index int
	// parents are the types that Direct names, and usersets the relations.
	parents  []*Type
	usersets []*Relation
	// leaves are the different leaves of the rewrite in order; negated reports whether any
	// of them is subtracted.
	leaves  []*Rewrite
	negated bool
	// reach are the shapes of subjects that may have the relation.
	reach shapeSet
}

// Restriction is a form of subjects that tuples of a relation may name.
type Restriction struct {
	Type string
	// Relation is that of a userset, and Wildcard stands for all objects of the type;
	// not both.
	Relation string
	Wildcard bool
	// Condition is the one that the tuple must name; "" for none.
	Condition string
}

// Op is the operator of a rewrite.
type Op int

// What rewrites do.
const (
	// This takes the subjects of the tuples, Computed another relation of the object,
	// FromParent a relation of the objects that a relation names.
	This Op = iota
	Computed
	FromParent
	// Union, Intersection and Difference combine others; a difference has two.
	Union
	Intersection
	Difference
)

// Rewrite defines how a relation is derived.
type Rewrite struct {
	Op Op
	// Relation is the computed relation, Tupleset the one that names the parents.
	Relation, Tupleset string
	Operands           []Rewrite

	// leaf is the index among the leaves of the relation; negative reports whether it
	// is subtracted.
	leaf     int
	negative bool
}

// some reports whether any operand is as wanted.
func (w *Rewrite) some(wanted func(*Rewrite) bool) bool {
	for i := range w.Operands {
		if wanted(&w.Operands[i]) {
			return true
		}
	}
	return false
}

// every reports whether all operands are as wanted.
func (w *Rewrite) every(wanted func(*Rewrite) bool) bool {
	return !w.some(func(operand *Rewrite) bool { return !wanted(operand) })
}

// Shape returns the form of a subject: user, user:* or group#member.
func (s Subject) Shape() string {
	switch {
	case s.Userset():
		return s.Type + "#" + s.Relation
	case s.Everybody():
		return s.Type + ":*"
	}
	return s.Type
}

// Shape returns the form of the subjects that fit.
func (r Restriction) Shape() string {
	switch {
	case r.Relation != "":
		return r.Type + "#" + r.Relation
	case r.Wildcard:
		return r.Type + ":*"
	}
	return r.Type
}

func (r Restriction) String() string {
	if r.Condition == "" {
		return r.Shape()
	}
	return r.Shape() + " with " + r.Condition
}

// Type finds a type; nil when there is none of that name.
func (m *Model) Type(name string) *Type { return m.types[name] }

// Relation finds a relation of a type; nil when there is none.
func (m *Model) Relation(of, name string) *Relation {
	if t := m.types[of]; t != nil {
		return t.relations[name]
	}
	return nil
}

// Condition finds a condition; nil when there is none of that name.
func (m *Model) Condition(name string) *Condition { return m.conditions[name] }

// prepare computes lookup tables of the types, relations and conditions.
func (m *Model) prepare() {
	m.types, m.conditions = map[string]*Type{}, map[string]*Condition{}
	for _, c := range m.Conditions {
		m.conditions[c.Name] = c
	}
	for _, t := range m.Types {
		m.types[t.Name], t.relations = t, map[string]*Relation{}
		for _, r := range t.Relations {
			t.relations[r.Name], r.of, r.index = r, t, len(m.relations)
			m.relations = append(m.relations, r)
			r.number(&r.Rewrite, false, map[leafKey]int{})
		}
	}
	for _, r := range m.relations {
		m.lookUp(r)
	}
}

// lookUp finds the types and relations that the direct subjects of a relation name, each
// once.
func (m *Model) lookUp(r *Relation) {
	types, relations := map[*Type]bool{nil: true}, map[*Relation]bool{nil: true}
	for _, one := range r.Direct {
		if t := m.types[one.Type]; !types[t] {
			types[t] = true
			r.parents = append(r.parents, t)
		}
		if from := m.Relation(one.Type, one.Relation); !relations[from] {
			relations[from] = true
			r.usersets = append(r.usersets, from)
		}
	}
}

// number numbers the leaves of a rewrite: those that say the same share a number.
func (r *Relation) number(w *Rewrite, negated bool, numbers map[leafKey]int) {
	switch w.Op {
	case This, Computed, FromParent:
		w.negative = negated
		r.negated = r.negated || negated
		key := leafKey{w.Op, w.Relation, w.Tupleset, negated}
		number, known := numbers[key]
		if !known {
			number = len(r.leaves)
			numbers[key] = number
			r.leaves = append(r.leaves, w)
		}
		w.leaf = number
		return
	case Union, Intersection, Difference:
	}
	for i := range w.Operands {
		r.number(&w.Operands[i], negated || (w.Op == Difference && i > 0), numbers)
	}
}

// leafKey is what a leaf says.
type leafKey struct {
	op                 Op
	relation, tupleset string
	negative           bool
}

// direct reports whether tuples of the relation may name subjects of a shape.
func (r *Relation) direct(shape string) bool {
	return slices.ContainsFunc(r.Direct, func(one Restriction) bool { return one.Shape() == shape })
}

// follows returns the relations from which a leaf of a relation follows by itself, which
// are of the same object for a computed one.
func (r *Relation) follows(leaf *Rewrite) []*Relation {
	var found []*Relation
	switch leaf.Op {
	case This:
		return r.usersets
	case Computed:
		if from := r.of.relations[leaf.Relation]; from != nil {
			found = append(found, from)
		}
	case FromParent:
		set := r.of.relations[leaf.Tupleset]
		if set == nil {
			return nil
		}
		for _, parent := range set.parents {
			if from := parent.relations[leaf.Relation]; from != nil {
				found = append(found, from)
			}
		}
	case Union, Intersection, Difference:
	}
	return found
}

// name returns the name of a relation in messages: document#viewer.
func (r *Relation) name() string { return r.of.Name + "#" + r.Name }

// Shapes returns those of all tuples that fit the model, each as document#viewer@user with
// the condition behind it, in order.
func (m *Model) Shapes() []string {
	var all []string
	for _, t := range m.Types {
		for _, r := range t.Relations {
			for _, one := range r.Direct {
				all = append(all, r.name()+"@"+one.String())
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Gone returns the shapes of tuples that fit this model and do not fit the next.
func (m *Model) Gone(next *Model) []string {
	fits := next.Shapes()
	return slices.DeleteFunc(m.Shapes(), func(shape string) bool {
		_, found := slices.BinarySearch(fits, shape)
		return found
	})
}

// ShapeOf takes a shape of tuples apart: the type of objects, the relation, and the
// shape of subjects without the condition.
func ShapeOf(shape string) (objects, relation, subjects string) {
	left, right, _ := strings.Cut(shape, "@")
	objects, relation, _ = strings.Cut(left, "#")
	subjects, _, _ = strings.Cut(right, " with ")
	return objects, relation, subjects
}

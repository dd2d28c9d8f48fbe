package relation

import (
	"context"
	"slices"
	"strings"
	"time"
)

// Objects lists the objects of a type that a subject has a relation to, in the order of
// their texts. It fails with a validation fault, ErrTooDeep or a *ConditionError.
func (c ListChecker) Objects(ctx context.Context, of Question, list List) (items []Object, next string, err error) {
	target, fault := c.Model.Defined(of.Object.Type, of.Relation)
	if fault == nil {
		fault = c.Model.Asked(of.Object.Type, of.Relation, of.Subject)
	}
	if fault != nil {
		return nil, "", fault
	}
	c.work = &work{mostListSteps}
	s := &reverse{
		model: c.Model, target: target, subject: of.Subject, now: c.Now,
		held: map[Pair]bool{}, visited: map[Source]bool{}, tuples: map[Source][]Tuple{},
	}
	s.needs, s.verify = c.Model.needs(target)
	s.implies, s.looped = s.implications(), s.loops()
	from, err := s.candidates(ctx, c)
	if err != nil {
		return nil, "", err
	}
	return fill(ctx, c.Checker, list, from, func(one Object) *Question {
		if !s.verify {
			return nil
		}
		return &Question{one, of.Relation, of.Subject, of.Context}
	})
}

// reverse searches the objects that a subject may have a relation to.
type reverse struct {
	model   *Model
	target  *Relation
	subject Subject
	now     time.Time
	needs   map[*Relation]bool
	verify  bool
	// implies are the leaves that follow from each relation.
	implies map[*Relation][]implied
	// looped reports whether objects of the target's type lead to others of it.
	looped bool

	// held are the relations that the subject may have, seen the sources that were met,
	// tuples those of the sources that were read.
	held    map[Pair]bool
	visited map[Source]bool
	tuples  map[Source][]Tuple
	// next are sources to read, final those that name objects to list.
	next, final []Source
	read        int
}

// implied is a leaf that follows from a relation.
type implied struct {
	relation *Relation
	leaf     *Rewrite
}

// implications returns the leaves that follow from each of the needed relations.
func (s *reverse) implications() map[*Relation][]implied {
	made := map[*Relation][]implied{}
	for r := range s.needs {
		for _, leaf := range r.leaves {
			if leaf.negative {
				continue
			}
			for _, from := range r.follows(leaf) {
				made[from] = append(made[from], implied{r, leaf})
			}
		}
	}
	return made
}

// loops reports whether objects of the target's type lead to others of it.
func (s *reverse) loops() bool {
	for r := range s.needs {
		for _, leaf := range r.leaves {
			if leaf.negative || leaf.Op == Computed {
				continue
			}
			for _, from := range r.follows(leaf) {
				if from.of == s.target.of {
					return true
				}
			}
		}
	}
	return false
}

// candidates finds the objects that the subject may have the relation to.
func (s *reverse) candidates(ctx context.Context, c ListChecker) (candidates[Object], error) {
	s.start()
	for len(s.next) > 0 {
		level := s.next
		s.next = nil
		if !c.work.take(readSteps + keySteps*len(level)) {
			return nil, ErrTooDeep
		}
		found, err := c.Lister.Related(ctx, level, MostTuples+1)
		if err != nil {
			return nil, err
		}
		if s.read += len(found); s.read > MostTuples {
			return s.all(c), nil
		}
		s.keep(level, found)
	}
	var known []Object
	for pair := range s.held {
		if pair.Object.Type == s.target.of.Name && pair.Relation == s.target.Name {
			known = append(known, pair.Object)
		}
	}
	if s.looped {
		return sorted(known), nil
	}
	return s.streamed(c, known), nil
}

// all returns all objects of the type: there is too much between the subject and them.
func (s *reverse) all(c ListChecker) candidates[Object] {
	s.verify = true
	shapes := slices.DeleteFunc(s.model.Shapes(), func(shape string) bool {
		objects, _, _ := ShapeOf(shape)
		return objects != s.target.of.Name
	})
	return func(ctx context.Context, after string, limit int) ([]Object, error) {
		return c.Lister.Shaped(ctx, shapes, after, limit)
	}
}

// streamed returns the objects that the final sources name, and those that are known.
func (s *reverse) streamed(c ListChecker, known []Object) candidates[Object] {
	inMemory := sorted(known)
	return func(ctx context.Context, after string, limit int) ([]Object, error) {
		both, err := inMemory(ctx, after, limit)
		if err != nil || len(s.final) == 0 {
			return both, err
		}
		stored, err := c.Lister.Objects(ctx, s.final, after, limit)
		if err != nil {
			return nil, err
		}
		both = append(slices.Clone(both), stored...)
		slices.SortFunc(both, func(a, b Object) int { return strings.Compare(a.String(), b.String()) })
		both = slices.Compact(both)
		return both[:min(len(both), limit)], nil
	}
}

// start begins with the tuples that name the subject, or everybody of its type.
func (s *reverse) start() {
	subject := s.subject
	if subject.Userset() {
		s.hold(Pair{subject.Object, subject.Relation})
		return
	}
	for r := range s.needs {
		for _, one := range r.Direct {
			switch {
			case one.Relation != "" || one.Type != subject.Type:
			case one.Wildcard:
				s.source(Source{subject.everybody(), r.Name, r.of.Name})
			case !subject.Everybody():
				s.source(Source{subject, r.Name, r.of.Name})
			}
		}
	}
}

// source notes tuples that are to be read, or listed.
func (s *reverse) source(one Source) {
	if s.visited[one] {
		return
	}
	s.visited[one] = true
	if !s.looped && one.Type == s.target.of.Name {
		s.final = append(s.final, one)
		return
	}
	s.next = append(s.next, one)
}

// keep adds the tuples of sources, and follows them.
func (s *reverse) keep(level []Source, found []Tuple) {
	for _, one := range level {
		s.tuples[one] = nil
	}
	var counted []Tuple
	for _, t := range found {
		if r := s.model.Relation(t.Object.Type, t.Relation); r != nil && r.takes(t) && !t.Expired(s.now) {
			from := Source{t.Subject, t.Relation, t.Object.Type}
			s.tuples[from] = append(s.tuples[from], t)
			counted = append(counted, t)
		}
	}
	for _, t := range counted {
		if t.Subject.Userset() || t.Subject == s.subject || t.Subject == s.subject.everybody() {
			s.hold(Pair{t.Object, t.Relation})
		}
		s.inherit(t)
	}
}

// inherit adds relations implied by a tuple with a parent.
func (s *reverse) inherit(t Tuple) {
	for to := range s.needs {
		for _, leaf := range to.leaves {
			parent := Pair{t.Subject.Object, leaf.Relation}
			if leaf.Op == FromParent && !leaf.negative && leaf.Tupleset == t.Relation && to.of.Name == t.Object.Type && s.held[parent] {
				s.hold(Pair{t.Object, to.Name})
			}
		}
	}
}

// hold adds a relation that the subject may have, and the sources it leads to.
func (s *reverse) hold(p Pair) {
	r := s.model.Relation(p.Object.Type, p.Relation)
	if s.held[p] || !s.needs[r] {
		return
	}
	s.held[p] = true
	for _, next := range s.implies[r] {
		to := next.relation
		switch next.leaf.Op {
		case This:
			s.source(Source{Subject{p.Object, p.Relation}, to.Name, to.of.Name})
		case Computed:
			s.hold(Pair{p.Object, to.Name})
		case FromParent:
			s.parent(Source{Subject{p.Object, ""}, next.leaf.Tupleset, to.of.Name}, to)
		case Union, Intersection, Difference:
		}
	}
}

// parent notes that a relation of the objects which a source names follows from one
// that is held.
func (s *reverse) parent(from Source, to *Relation) {
	s.source(from)
	for _, t := range s.tuples[from] {
		s.hold(Pair{t.Object, to.Name})
	}
}

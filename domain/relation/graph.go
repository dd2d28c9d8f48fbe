package relation

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// Question asks whether a subject has a relation to an object.
type Question struct {
	Object   Object
	Relation string
	Subject  Subject
	// Context holds values for the parameters of conditions, as JSON has them.
	Context map[string]any
}

// leafState is the known state of a leaf of a rewrite.
type leafState struct {
	// yes reports whether a tuple contains the subject, and unknown whether more tuples
	// might.
	yes, unknown bool
	// follows are the nodes of which one suffices.
	follows []int32
}

// node is a relation of an object in the graph of a question.
type node struct {
	pair     Pair
	relation *Relation
	leaves   []leafState
	// holds reports whether the node is the userset which the question is about.
	holds bool
}

// search is the graph of one question.
type search struct {
	model      *Model
	question   Question
	conditions Conditions
	now        time.Time
	work       *work
	// forms are the numbers of the subject's shapes.
	forms []int

	nodes []*node
	// size is the number of nodes, their leaves and what these follow from.
	size  int
	known map[Pair]int32
	// fresh are the nodes whose tuples are read next.
	fresh []int32
	// read counts the tuples that were read for it.
	read int
	// negated reports whether some node has a but not.
	negated bool
	// trouble is why something is unknown.
	trouble error
	// judged remembers conditions by their names and the contexts of tuples.
	judged map[[2]string]verdict
	// answered is set once allowed and err are.
	answered, allowed bool
	err               error
}

type verdict struct{ holds, known bool }

func newSearch(c Checker, q Question) *search {
	m := c.Model
	s := &search{
		model: m, question: q, conditions: c.Conditions, now: c.Now, work: c.work, forms: m.forms(q.Subject),
		known: map[Pair]int32{}, judged: map[[2]string]verdict{},
	}
	if err := m.Asked(q.Object.Type, q.Relation, q.Subject); err != nil {
		s.answer(false, err)
		return s
	}
	s.visit(Pair{q.Object, q.Relation})
	return s
}

func (s *search) answer(allowed bool, err error) {
	s.answered, s.allowed, s.err = true, allowed, err
}

// visit returns the node of a relation that the model defines, and adds it, with those
// that it is computed from, when it is new.
func (s *search) visit(p Pair) int32 {
	if i, known := s.known[p]; known {
		return i
	}
	r := s.model.Relation(p.Object.Type, p.Relation)
	i := int32(len(s.nodes))
	n := &node{pair: p, relation: r, leaves: make([]leafState, len(r.leaves))}
	n.holds = s.question.Subject.Relation == p.Relation && s.question.Subject.Object == p.Object
	s.nodes, s.known[p] = append(s.nodes, n), i
	s.size += 1 + len(n.leaves)
	s.fresh = append(s.fresh, i)
	s.negated = s.negated || r.negated
	for at, leaf := range r.leaves {
		if leaf.Op == Computed {
			s.follow(n, at, Pair{p.Object, leaf.Relation})
		}
	}
	return i
}

// follow connects a leaf to a relation, unless by the model the subject cannot have it.
func (s *search) follow(n *node, leaf int, p Pair) {
	if r := s.model.Relation(p.Object.Type, p.Relation); r != nil && r.mayReach(s.forms) {
		n.leaves[leaf].follows = append(n.leaves[leaf].follows, s.visit(p))
		s.size++
	}
}

// wants returns the query of a node.
func (s *search) wants(n *node) (q Query) {
	for _, leaf := range n.relation.leaves {
		switch leaf.Op {
		case This:
			s.wantsDirect(&q, n)
		case FromParent:
			if s.leads(n.relation, leaf) {
				q.Objects = append(q.Objects, Pair{n.pair.Object, leaf.Tupleset})
			}
		case Computed, Union, Intersection, Difference:
		}
	}
	return q
}

func (s *search) wantsDirect(q *Query, n *node) {
	subject := s.question.Subject
	if n.relation.direct(subject.Shape()) {
		q.Exact = append(q.Exact, Key{n.pair.Object, n.pair.Relation, subject})
	}
	if all := subject.everybody(); all != subject && n.relation.direct(all.Shape()) {
		q.Exact = append(q.Exact, Key{n.pair.Object, n.pair.Relation, all})
	}
	for _, from := range n.relation.usersets {
		if from.mayReach(s.forms) {
			q.Usersets = append(q.Usersets, n.pair)
			return
		}
	}
}

// leads reports whether by the model the subject can have the relation of a leaf.
func (s *search) leads(r *Relation, leaf *Rewrite) bool {
	for _, from := range r.follows(leaf) {
		if from.mayReach(s.forms) {
			return true
		}
	}
	return false
}

// take adds what was read to a node.
func (s *search) take(ctx context.Context, n *node, from *memory) error {
	for at, leaf := range n.relation.leaves {
		var err error
		switch leaf.Op {
		case This:
			err = s.takeDirect(ctx, n, at, from)
		case FromParent:
			err = s.takeParents(ctx, n, at, from)
		case Computed, Union, Intersection, Difference:
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *search) takeDirect(ctx context.Context, n *node, at int, from *memory) error {
	keys := []Key{{n.pair.Object, n.pair.Relation, s.question.Subject}}
	if all := s.question.Subject.everybody(); all != s.question.Subject {
		keys = append(keys, Key{n.pair.Object, n.pair.Relation, all})
	}
	for _, key := range keys {
		if tuple, found := from.exact[key]; found {
			s.read++
			counts, err := s.counts(ctx, tuple, &n.leaves[at])
			if err != nil {
				return err
			}
			n.leaves[at].yes = n.leaves[at].yes || counts
		}
	}
	sets := from.usersets[n.pair]
	if sets == nil {
		return nil
	}
	s.cut(n, at, sets)
	return s.takeAll(ctx, n, at, sets.all, func(t Tuple) Pair { return Pair{t.Subject.Object, t.Subject.Relation} })
}

func (s *search) takeParents(ctx context.Context, n *node, at int, from *memory) error {
	leaf := n.relation.leaves[at]
	parents := from.objects[Pair{n.pair.Object, leaf.Tupleset}]
	if parents == nil {
		return nil
	}
	s.cut(n, at, parents)
	return s.takeAll(ctx, n, at, parents.all, func(t Tuple) Pair { return Pair{t.Subject.Object, leaf.Relation} })
}

// cut makes a leaf unknown if not all of its tuples were read.
func (s *search) cut(n *node, at int, from *tuples) {
	if from.more {
		n.leaves[at].unknown = true
		s.trouble = ErrTooDeep
	}
}

// takeAll lets a leaf follow from what tuples lead to.
func (s *search) takeAll(ctx context.Context, n *node, at int, all []Tuple, to func(Tuple) Pair) error {
	if !s.work.take(tupleSteps * len(all)) {
		return ErrTooDeep
	}
	s.read += len(all)
	for _, tuple := range all {
		if s.read > MostTuples || len(s.nodes) > mostNodes {
			n.leaves[at].unknown = true
			s.trouble = ErrTooDeep
			return nil
		}
		counts, err := s.counts(ctx, tuple, &n.leaves[at])
		if err != nil {
			return err
		}
		if counts {
			s.follow(n, at, to(tuple))
		}
	}
	return nil
}

// counts reports whether a tuple counts now. Where its condition cannot be evaluated, the
// leaf is unknown.
func (s *search) counts(ctx context.Context, t Tuple, leaf *leafState) (bool, error) {
	if t.Expired(s.now) {
		return false, nil
	}
	if r := s.model.Relation(t.Object.Type, t.Relation); r == nil || !r.takes(t) {
		return false, nil
	}
	if t.Condition == "" {
		return true, nil
	}
	key := [2]string{t.Condition, t.Context}
	found, known := s.judged[key]
	if !known {
		if !s.work.take(conditionSteps) {
			return false, ErrTooDeep
		}
		var err error
		if found, err = s.judge(ctx, t); err != nil {
			return false, err
		}
		s.judged[key] = found
	}
	leaf.unknown = leaf.unknown || !found.known
	return found.holds, nil
}

// judge evaluates the condition of a tuple.
func (s *search) judge(ctx context.Context, t Tuple) (verdict, error) {
	condition := s.model.Condition(t.Condition)
	var own map[string]any
	if t.Context != "" {
		if err := json.Unmarshal([]byte(t.Context), &own); err != nil {
			return verdict{}, err
		}
	}
	values, err := condition.Values(own, s.question.Context)
	holds := false
	if err == nil {
		holds, err = s.conditions.Holds(ctx, condition, values)
	}
	if failed, ok := errors.AsType[*ConditionError](err); ok {
		s.trouble = failed
		return verdict{}, nil
	}
	return verdict{holds, true}, err
}

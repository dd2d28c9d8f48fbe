package relation

import (
	"context"
	"time"
)

// Answer is the result of a check, or its error.
type Answer struct {
	Allowed bool
	// Err is a validation fault about the question, ErrTooDeep, or a *ConditionError.
	Err error
}

// Checker decides questions by a model.
type Checker struct {
	Model      *Model
	Reader     Reader
	Conditions Conditions
	// Now is the time by which tuples and conditions count.
	Now time.Time

	// work is what all questions of a list share.
	work *work
}

// Check answers questions together, sharing reads. It fails if something cannot be
// read, or if the context ends.
func (c Checker) Check(ctx context.Context, questions ...Question) ([]Answer, error) {
	answers := make([]Answer, len(questions))
	all := make([]*search, len(questions))
	if c.work == nil {
		c.work = &work{mostSteps}
	}
	for i, q := range questions {
		all[i] = newSearch(c, q)
	}
	if err := c.run(ctx, all); err != nil {
		return nil, err
	}
	for i, s := range all {
		answers[i] = Answer{s.allowed, s.err}
	}
	return answers, nil
}

// run answers all searches, a level at a time.
func (c Checker) run(ctx context.Context, all []*search) error {
	from := newMemory()
	for range MostDepth {
		pending := unanswered(all)
		if len(pending) == 0 {
			return nil
		}
		if err := from.ask(ctx, c.Reader, pending, c.work); err != nil {
			return err
		}
		for _, s := range pending {
			if err := s.advance(ctx, from); err != nil {
				return err
			}
		}
	}
	for _, s := range unanswered(all) {
		s.answer(false, ErrTooDeep)
	}
	return nil
}

func unanswered(all []*search) []*search {
	var left []*search
	for _, s := range all {
		if !s.answered {
			left = append(left, s)
		}
	}
	return left
}

// advance adds what was read for a level, and solves the question if possible.
func (s *search) advance(ctx context.Context, from *memory) error {
	level := s.fresh
	s.fresh = nil
	for _, i := range level {
		if err := s.take(ctx, s.nodes[i], from); err != nil {
			return err
		}
	}
	if err := s.solve(ctx); err != nil || s.answered {
		return err
	}
	if len(s.fresh) == 0 {
		// What depends on itself through a but not is no yes.
		s.answer(false, s.trouble)
	}
	return nil
}

// tuples are those of a relation of an object, or some of them.
type tuples struct {
	all  []Tuple
	more bool
}

// memory is what was read for questions that are answered together.
type memory struct {
	asked             map[Key]bool
	exact             map[Key]Tuple
	usersets, objects map[Pair]*tuples
}

func newMemory() *memory {
	return &memory{
		asked: map[Key]bool{}, exact: map[Key]Tuple{}, usersets: map[Pair]*tuples{}, objects: map[Pair]*tuples{},
	}
}

// mostTogether is how many times as much is read for many questions as for one.
const mostTogether = 10

// ask reads the next nodes of searches, unless they were read before. It fails with ErrTooDeep if
// that takes too much work.
func (m *memory) ask(ctx context.Context, reader Reader, pending []*search, left *work) error {
	q := Query{Limit: min(len(pending), mostTogether) * MostTuples}
	for _, s := range pending {
		for _, i := range s.fresh {
			m.add(&q, s.wants(s.nodes[i]))
		}
	}
	switch {
	case q.size() == 0:
		return nil
	case !left.take(q.steps()):
		return ErrTooDeep
	}
	found, err := reader.Read(ctx, q)
	if err != nil {
		return err
	}
	m.keep(q, found)
	return nil
}

// add merges another query without duplicates.
func (m *memory) add(q *Query, more Query) {
	for _, key := range more.Exact {
		if !m.asked[key] {
			m.asked[key] = true
			q.Exact = append(q.Exact, key)
		}
	}
	for _, pair := range more.Usersets {
		if m.usersets[pair] == nil {
			m.usersets[pair] = &tuples{}
			q.Usersets = append(q.Usersets, pair)
		}
	}
	for _, pair := range more.Objects {
		if m.objects[pair] == nil {
			m.objects[pair] = &tuples{}
			q.Objects = append(q.Objects, pair)
		}
	}
}

func (m *memory) keep(q Query, found QueryResult) {
	for _, t := range found.Exact {
		m.exact[t.Key] = t
	}
	keep := func(kept map[Pair]*tuples, asked []Pair, all []Tuple) {
		for _, t := range all {
			of := kept[Pair{t.Object, t.Relation}]
			of.all = append(of.all, t)
		}
		for _, pair := range asked {
			kept[pair].more = found.More
		}
	}
	keep(m.usersets, q.Usersets, found.Usersets)
	keep(m.objects, q.Objects, found.Objects)
}

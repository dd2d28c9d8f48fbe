package relation

import (
	"context"
	"slices"
	"sort"
	"strings"
)

// Source are the tuples by which a subject has a relation to objects of a type.
type Source struct {
	Subject  Subject
	Relation string
	Type     string
}

// Native reports whether tuples of the source are memberships of groups of this service.
func (s Source) Native() bool {
	return s.Subject.Type == userType && !s.Subject.Userset() && !s.Subject.Everybody() &&
		s.Relation == memberRelation && s.Type == groupType
}

// Lister reads tuples for lists, of one workspace.
type Lister interface {
	Reader
	// Related returns tuples of sources, at most so many of all.
	Related(ctx context.Context, sources []Source, limit int) ([]Tuple, error)
	// Objects returns the objects of the tuples of sources that come after a text, in the
	// order of their texts, at most so many.
	Objects(ctx context.Context, sources []Source, after string, limit int) ([]Object, error)
	// Shaped returns the objects that have tuples of one of some shapes, likewise.
	Shaped(ctx context.Context, shapes []string, after string, limit int) ([]Object, error)
	// Subjects returns the subjects of a type, or of all types when it is "", that tuples
	// of the pairs name, without usersets, likewise.
	Subjects(ctx context.Context, pairs []Pair, of string, after string, limit int) ([]Subject, error)
}

// List is the requested part of a list: at most Size items after a text. Next is the
// text for the next part.
type List struct {
	After string
	Size  int
}

// mostCandidates is how many candidates are looked at for one part of a list.
const mostCandidates = 2000

// ListChecker makes lists by a model.
type ListChecker struct {
	Checker

	Lister Lister
}

// needs returns the relations that can imply another one, including itself, except
// subtracted ones. verify reports that having one of them does not suffice.
func (m *Model) needs(target *Relation) (all map[*Relation]bool, verify bool) {
	all = map[*Relation]bool{target: true}
	for queue := []*Relation{target}; len(queue) > 0; {
		r := queue[0]
		queue = queue[1:]
		verify = verify || m.conditional(r) || !united(&r.Rewrite)
		for _, leaf := range r.leaves {
			if leaf.negative {
				continue
			}
			for _, from := range r.follows(leaf) {
				if !all[from] {
					all[from] = true
					queue = append(queue, from)
				}
			}
		}
	}
	return all, verify
}

// united reports whether a rewrite combines by unions alone.
func united(w *Rewrite) bool {
	if w.Op == Intersection || w.Op == Difference {
		return false
	}
	for i := range w.Operands {
		if !united(&w.Operands[i]) {
			return false
		}
	}
	return true
}

// conditional reports whether tuples with conditions lead to a relation.
func (m *Model) conditional(r *Relation) bool {
	conditional := func(one Restriction) bool { return one.Condition != "" }
	if slices.ContainsFunc(r.Direct, conditional) {
		return true
	}
	for _, leaf := range r.leaves {
		if leaf.Op == FromParent && slices.ContainsFunc(r.of.relations[leaf.Tupleset].Direct, conditional) {
			return true
		}
	}
	return false
}

// candidates returns at most so many texts after one, in their order; fewer at the end.
type candidates[T any] func(ctx context.Context, after string, limit int) ([]T, error)

// fill makes a part of a list of candidates, those that hold where they are to be
// verified; next is "" at the end.
func fill[T interface{ String() string }](
	ctx context.Context, c Checker, list List, from candidates[T], question func(T) *Question,
) (items []T, next string, err error) {
	after := list.After
	for seen := 0; seen < mostCandidates; {
		batch, err := from(ctx, after, list.Size+1)
		if err != nil {
			return nil, "", err
		}
		held, err := verified(ctx, c, batch, question)
		if err != nil {
			return nil, "", err
		}
		for i, one := range batch {
			if !held[i] {
				continue
			}
			if len(items) == list.Size {
				return items, items[list.Size-1].String(), nil
			}
			items = append(items, one)
		}
		if len(batch) <= list.Size {
			return items, "", nil
		}
		after, seen = batch[len(batch)-1].String(), seen+len(batch)
	}
	return items, after, nil
}

// verified reports for each candidate whether its question holds.
func verified[T any](ctx context.Context, c Checker, batch []T, question func(T) *Question) ([]bool, error) {
	held := make([]bool, len(batch))
	var questions []Question
	for i, one := range batch {
		q := question(one)
		if held[i] = q == nil; q != nil {
			questions = append(questions, *q)
		}
	}
	if len(questions) == 0 {
		return held, nil
	}
	answers, err := c.Check(ctx, questions...)
	if err != nil {
		return nil, err
	}
	for i, answer := range answers {
		if answer.Err != nil {
			return nil, answer.Err
		}
		held[i] = answer.Allowed
	}
	return held, nil
}

// sorted are candidates that are in memory.
func sorted[T interface{ String() string }](all []T) candidates[T] {
	slices.SortFunc(all, func(a, b T) int { return strings.Compare(a.String(), b.String()) })
	return func(_ context.Context, after string, limit int) ([]T, error) {
		from := sort.Search(len(all), func(i int) bool { return all[i].String() > after })
		return all[from:min(len(all), from+limit)], nil
	}
}

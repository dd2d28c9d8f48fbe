package relation

import (
	"context"
	"slices"
	"strings"
	"time"

	"gatehouse.internal/domain/fault"
)

// Subjects returns the subjects with a relation to an object, in text order: those of a
// type (user), usersets of a type and a relation (group#member), or, if of is "", all
// except usersets. A wildcard is returned as user:*, without its exceptions. It fails
// with a validation fault, ErrTooDeep or a *ConditionError.
func (c ListChecker) Subjects(ctx context.Context, about Question, of string, list List) (items []Subject, next string, err error) {
	target, wrong := c.Model.Defined(about.Object.Type, about.Relation)
	if wrong != nil {
		return nil, "", wrong
	}
	kind, relation, isUserset := strings.Cut(of, "#")
	if of != "" && (c.Model.types[kind] == nil || (isUserset && c.Model.Relation(kind, relation) == nil)) {
		return nil, "", fault.Unfit("/type", "is not a type or type#relation in the model")
	}
	c.work = &work{mostListSteps}
	f := &forward{model: c.Model, visited: map[Pair]bool{}}
	var verify bool
	f.needs, verify = c.Model.needs(target)
	f.visit(Pair{about.Object, about.Relation})
	if err := f.follow(ctx, c); err != nil {
		return nil, "", err
	}
	from := func(ctx context.Context, after string, limit int) ([]Subject, error) {
		return c.Lister.Subjects(ctx, f.direct, kind, after, limit)
	}
	if isUserset {
		from = sorted(f.usersets(kind, relation))
	}
	return fill(ctx, c.Checker, list, from, func(one Subject) *Question {
		if !verify {
			return nil
		}
		return &Question{about.Object, about.Relation, one, about.Context}
	})
}

// forward finds the relations from which one follows.
type forward struct {
	model   *Model
	needs   map[*Relation]bool
	visited map[Pair]bool
	// fresh are pairs whose tuples are to be read, and direct those with tuples that
	// may contain a subject to list.
	fresh, direct []Pair
	read          int
}

// visit notes a relation of an object, and those that it is computed from.
func (f *forward) visit(p Pair) {
	r := f.model.Relation(p.Object.Type, p.Relation)
	if f.visited[p] || !f.needs[r] {
		return
	}
	f.visited[p] = true
	f.fresh = append(f.fresh, p)
	for _, leaf := range r.leaves {
		switch {
		case leaf.negative:
		case leaf.Op == This && (!p.Native() || r.direct(userType)):
			f.direct = append(f.direct, p)
		case leaf.Op == Computed:
			f.visit(Pair{p.Object, leaf.Relation})
		}
	}
}

// follow reads a level at a time.
func (f *forward) follow(ctx context.Context, c ListChecker) error {
	for len(f.fresh) > 0 {
		q, asked := Query{Limit: MostTuples}, map[Pair]bool{}
		for _, p := range f.fresh {
			f.wants(&q, p, asked)
		}
		f.fresh = nil
		switch {
		case q.size() == 0:
			return nil
		case !c.work.take(q.steps()):
			return ErrTooDeep
		}
		found, err := c.Reader.Read(ctx, q)
		if err != nil {
			return err
		}
		if f.read += len(found.Usersets) + len(found.Objects); found.More || f.read > MostTuples {
			return ErrTooDeep
		}
		for _, t := range slices.Concat(found.Usersets, found.Objects) {
			f.take(t, c.Now)
		}
	}
	return nil
}

func (f *forward) wants(q *Query, p Pair, asked map[Pair]bool) {
	r := f.model.Relation(p.Object.Type, p.Relation)
	for _, leaf := range r.leaves {
		if leaf.negative {
			continue
		}
		switch leaf.Op {
		case This:
			if slices.ContainsFunc(r.Direct, func(one Restriction) bool { return one.Relation != "" }) {
				q.Usersets = append(q.Usersets, p)
			}
		case FromParent:
			if set := (Pair{p.Object, leaf.Tupleset}); !asked[set] {
				asked[set] = true
				q.Objects = append(q.Objects, set)
			}
		case Computed, Union, Intersection, Difference:
		}
	}
}

// take follows a tuple.
func (f *forward) take(t Tuple, now time.Time) {
	if r := f.model.Relation(t.Object.Type, t.Relation); r == nil || !r.takes(t) || t.Expired(now) {
		return
	}
	if t.Subject.Userset() {
		f.visit(Pair{t.Subject.Object, t.Subject.Relation})
		return
	}
	for r := range f.needs {
		if !f.visited[Pair{t.Object, r.Name}] || r.of.Name != t.Object.Type {
			continue
		}
		for _, leaf := range r.leaves {
			if leaf.Op == FromParent && leaf.Tupleset == t.Relation && !leaf.negative {
				f.visit(Pair{t.Subject.Object, leaf.Relation})
			}
		}
	}
}

// usersets returns the visited relations of a type, as subjects.
func (f *forward) usersets(of, name string) []Subject {
	var found []Subject
	for p := range f.visited {
		if p.Object.Type == of && p.Relation == name {
			found = append(found, Subject{p.Object, p.Relation})
		}
	}
	return found
}

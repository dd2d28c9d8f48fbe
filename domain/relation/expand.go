package relation

import "context"

// Bounds of a tree.
const (
	// MostExpanded is how many relations deep a tree goes.
	MostExpanded = 10
	mostBranches = 200
	mostShown    = 100
)

// Tree is the expansion of a relation of an object, with a node for each rewrite.
type Tree struct {
	// Name is the relation of an object: document:1#viewer. It is empty where a rewrite
	// is a part of the one above it.
	Name string
	// Kind is direct, computed, from, union, intersection or difference.
	Kind string
	// Subjects are those that tuples name: of the relation itself, or, as Parents, of
	// the relation that names the parents.
	Subjects []string
	Tupleset string
	// More reports whether there are more nodes, or the expansion was truncated.
	More bool
	// Nodes are the operands: the base of a difference comes first.
	Nodes []*Tree
}

// Expand returns the tree of a relation of an object, so many relations deep. Conditions
// are not evaluated. It fails with a validation fault.
func (c Checker) Expand(ctx context.Context, of Pair, depth int) (*Tree, error) {
	if _, err := c.Model.Defined(of.Object.Type, of.Relation); err != nil {
		return nil, err
	}
	e := &expansion{Checker: c}
	return e.expand(ctx, of, depth)
}

type expansion struct {
	Checker

	branches int
}

// expand returns the tree of a relation, nil where it is not to be expanded.
func (e *expansion) expand(ctx context.Context, of Pair, depth int) (*Tree, error) {
	r := e.Model.Relation(of.Object.Type, of.Relation)
	if r == nil || depth == 0 || e.branches == mostBranches {
		return nil, nil //nolint:nilnil // nothing follows
	}
	e.branches++
	made, err := e.rewrite(ctx, of, &r.Rewrite, depth)
	if err != nil {
		return nil, err
	}
	made.Name = of.String()
	return made, nil
}

func (e *expansion) rewrite(ctx context.Context, of Pair, w *Rewrite, depth int) (*Tree, error) {
	made := &Tree{}
	switch w.Op {
	case This:
		made.Kind = "direct"
		return made, e.tuples(ctx, made, of, depth, func(s Subject) Pair { return Pair{s.Object, s.Relation} })
	case FromParent:
		made.Kind, made.Tupleset = "from", w.Tupleset
		return made, e.tuples(ctx, made, Pair{of.Object, w.Tupleset}, depth, func(s Subject) Pair { return Pair{s.Object, w.Relation} })
	case Computed:
		made.Kind = "computed"
		made.Subjects = []string{of.Object.String() + "#" + w.Relation}
		return made, e.follow(ctx, made, Pair{of.Object, w.Relation}, depth)
	case Union:
		made.Kind = "union"
	case Intersection:
		made.Kind = "intersection"
	case Difference:
		made.Kind = "difference"
	}
	for i := range w.Operands {
		node, err := e.rewrite(ctx, of, &w.Operands[i], depth)
		if err != nil {
			return nil, err
		}
		made.Nodes = append(made.Nodes, node)
	}
	return made, nil
}

// tuples adds the subjects of tuples, and their expansions.
func (e *expansion) tuples(ctx context.Context, made *Tree, of Pair, depth int, to func(Subject) Pair) error {
	found, err := e.Reader.Read(ctx, Query{Usersets: []Pair{of}, Objects: []Pair{of}, Limit: mostShown})
	if err != nil {
		return err
	}
	made.More = found.More
	for _, t := range append(found.Objects, found.Usersets...) {
		if t.Expired(e.Now) {
			continue
		}
		if len(made.Subjects) == mostShown {
			made.More = true
			break
		}
		made.Subjects = append(made.Subjects, t.Subject.String())
		if err := e.follow(ctx, made, to(t.Subject), depth); err != nil {
			return err
		}
	}
	return nil
}

func (e *expansion) follow(ctx context.Context, made *Tree, to Pair, depth int) error {
	if to.Relation == "" || e.Model.Relation(to.Object.Type, to.Relation) == nil {
		return nil
	}
	node, err := e.expand(ctx, to, depth-1)
	switch {
	case err != nil:
		return err
	case node != nil:
		made.Nodes = append(made.Nodes, node)
	case e.branches == mostBranches:
		made.More = true
	}
	return nil
}

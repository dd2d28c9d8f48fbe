package rebac

import (
	"context"

	"gatehouse.internal/domain/relation"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/workspaces"
)

// Objects lists the objects of a type that a subject has a relation to.
func (s *Service) Objects(ctx context.Context, org workspace.ID, of relation.Question, part relation.List) ([]relation.Object, string, error) {
	var items []relation.Object
	var next string
	err := s.listed(ctx, org, func(ctx context.Context, c relation.ListChecker) (err error) {
		items, next, err = c.Objects(ctx, of, part)
		return err
	})
	return items, next, err
}

// Subjects returns the subjects that have a relation to an object; kind is the
// parameter of of relation.ListChecker.Subjects.
func (s *Service) Subjects(ctx context.Context, org workspace.ID, about relation.Question, kind string, part relation.List) ([]relation.Subject, string, error) {
	var items []relation.Subject
	var next string
	err := s.listed(ctx, org, func(ctx context.Context, c relation.ListChecker) (err error) {
		items, next, err = c.Subjects(ctx, about, kind, part)
		return err
	})
	return items, next, err
}

// Expand returns the tree of a relation of an object.
func (s *Service) Expand(ctx context.Context, org workspace.ID, of relation.Pair, depth int) (*relation.Tree, error) {
	var tree *relation.Tree
	err := s.listed(ctx, org, func(ctx context.Context, c relation.ListChecker) (err error) {
		tree, err = c.Expand(ctx, of, depth)
		return err
	})
	return tree, err
}

// listed calls list with a consistent snapshot.
func (s *Service) listed(ctx context.Context, org workspace.ID, list func(context.Context, relation.ListChecker) error) error {
	err := s.snapshot(ctx, org, func(from workspaces.RelationSnapshot) error {
		m, _, err := s.inSnapshot(ctx, org, from)
		if err != nil {
			return err
		}
		return list(ctx, relation.ListChecker{Checker: s.checker(conditions{m, s, org, true}, from), Lister: from})
	})
	if err != nil {
		return About("", err)
	}
	return nil
}

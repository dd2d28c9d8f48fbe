package relations

import (
	"context"
	"errors"

	"gatehouse.internal/domain/relation"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/workspaces"
)

// change is what a command did to the tuples of a workspace.
type change struct {
	count    int
	revision relation.Revision
}

// changing lets tuples be changed while nobody else changes them; the revision moves when
// any was. The model is nil where there is none, unless the change asks for one.
func (s *Service) changing(ctx context.Context, tx Repos, org workspace.ID, do func(*relation.Model) (int, error)) (change, error) {
	head, err := tx.Relations.Hold(ctx, org)
	if err != nil {
		return change{}, err
	}
	m, err := s.Relating.Model(ctx, org, head, tx.Relations)
	if err != nil {
		return change{}, err
	}
	count, err := do(m)
	if err != nil || count == 0 {
		return change{0, head.Revision}, err
	}
	head.Revision++
	return change{count, head.Revision}, tx.Relations.Move(ctx, org, head, workspaces.RelationModel{})
}

// shapes returns those of the tuples of a relation, of all relations when it is "".
func shapes(m *relation.Model, name string) []string {
	var all []string
	for _, shape := range m.Shapes() {
		if _, of, _ := relation.ShapeOf(shape); name == "" || of == name {
			all = append(all, shape)
		}
	}
	return all
}

// none makes the absence of a model what it means for a list: nothing.
func none(err error) error {
	if errors.Is(err, relation.ErrNoModel) {
		return nil
	}
	return err
}

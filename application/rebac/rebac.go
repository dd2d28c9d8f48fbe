// Package rebac decides whether subjects are related to objects by the relation model
// of a workspace, for the family RELATION and for permissions on single objects.
package rebac

import (
	"context"
	"errors"

	"gatehouse.internal/application/engine/cache"
	"gatehouse.internal/application/engine/outside"
	"gatehouse.internal/application/expressions"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/relation"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/workspaces"
)

// Service answers by the stored relations.
type Service struct {
	Directory   workspaces.RelationDirectory
	Expressions *expressions.Compiler
	// Language compiles single conditions.
	Language outbound.Expressions
	Clock    outbound.Clock

	// models keeps the model that each workspace used last. A version never changes, so
	// that nothing kept can turn wrong.
	models cache.Cache[workspace.ID, *model]
}

// Answer is a result with its revision.
type Answer struct {
	Allowed  []bool
	Revision relation.Revision
}

// attempts is how often questions are tried while others change the relations, before
// they are answered within one transaction.
const attempts = 2

// errMoved is returned if the relations changed while a question was answered.
var errMoved = errors.New("the relations changed in the meantime")

// Check answers questions at one revision, which is current or newer than the call. It
// fails with relation.ErrNoModel or relation.ErrRevision, with relation.ErrTooDeep, or
// with a validation fault about a question, whose path begins with the result of at for
// its index.
func (s *Service) Check(ctx context.Context, org workspace.ID, atLeast string, at func(int) string, questions ...relation.Question) (Answer, error) {
	var found Answer
	var answers []relation.Answer
	var err error
	for range attempts {
		if answers, found.Revision, err = s.attempt(ctx, org, questions); !errors.Is(err, errMoved) {
			break
		}
	}
	if errors.Is(err, errMoved) {
		err = s.snapshot(ctx, org, func(from workspaces.RelationSnapshot) error {
			answers, found.Revision, err = s.checkInSnapshot(ctx, org, from, questions)
			return err
		})
	}
	if err == nil {
		found.Allowed, err = allowed(answers, at)
	}
	if err == nil {
		err = found.Revision.Reached(atLeast)
	}
	return found, err
}

// Current returns the model in force; it fails with relation.ErrNoModel.
func (s *Service) Current(ctx context.Context, org workspace.ID) (*relation.Model, error) {
	_, head, err := s.Directory.Read(ctx, org, relation.Query{})
	if err != nil {
		return nil, err
	}
	found, err := s.load(ctx, org, head.ModelVersion, s.Directory.Model)
	if err != nil {
		return nil, err
	}
	return found.Model, nil
}

// attempt answers by reads that others share. It fails with errMoved unless all of them
// saw one revision.
func (s *Service) attempt(ctx context.Context, org workspace.ID, questions []relation.Question) ([]relation.Answer, relation.Revision, error) {
	reader := &pinned{directory: s.Directory, org: org}
	model, ok := s.models.Last(org)
	if !ok {
		if _, err := reader.Read(ctx, relation.Query{}); err != nil {
			return nil, 0, err
		}
		var err error
		if model, err = s.load(ctx, org, reader.head.ModelVersion, s.Directory.Model); err != nil {
			return nil, 0, err
		}
	}
	reader.version = model.version
	answers, err := s.checker(conditions{model, s, org, false}, reader).Check(ctx, questions...)
	if err == nil && !reader.known {
		_, err = reader.Read(ctx, relation.Query{}) // the model alone decided
	}
	if errors.Is(err, errMoved) {
		s.models.Forget(org)
	}
	return answers, reader.head.Revision, err
}

// checkInSnapshot answers questions within one transaction.
func (s *Service) checkInSnapshot(ctx context.Context, org workspace.ID, from workspaces.RelationSnapshot, questions []relation.Question) ([]relation.Answer, relation.Revision, error) {
	model, head, err := s.inSnapshot(ctx, org, from)
	if err != nil {
		return nil, 0, err
	}
	answers, err := s.checker(conditions{model, s, org, true}, from).Check(ctx, questions...)
	return answers, head.Revision, err
}

// snapshot reads at one moment. What is to be compiled for that is compiled before.
func (s *Service) snapshot(ctx context.Context, org workspace.ID, read func(workspaces.RelationSnapshot) error) error {
	return outside.Repeat(ctx, func() error { return s.Directory.Snapshot(ctx, org, read) })
}

func (s *Service) checker(m conditions, reader relation.Reader) relation.Checker {
	return relation.Checker{Model: m.Model, Reader: reader, Conditions: m, Now: s.Clock.Now()}
}

// allowed takes the answers, or the fault of the first that has none.
func allowed(answers []relation.Answer, at func(int) string) ([]bool, error) {
	made := make([]bool, len(answers))
	for i, answer := range answers {
		if answer.Err != nil {
			return nil, About(at(i), answer.Err)
		}
		made[i] = answer.Allowed
	}
	return made, nil
}

// About converts an error to a fault with a path: path for parameters, and that of the
// context for conditions.
func About(path string, err error) error {
	if failed, ok := errors.AsType[*relation.ConditionError](err); ok {
		return fault.Invalid(path+"/context", failed.Error())
	}
	refused, ok := errors.AsType[*fault.Error](err)
	if !ok || len(refused.Fields) == 0 {
		return err
	}
	fields := make([]fault.Field, len(refused.Fields))
	for i, field := range refused.Fields {
		fields[i] = fault.Field{Path: path + field.Path, Message: field.Message}
	}
	return fault.Refuse(fields...)
}

// pinned reads as long as the relations stay at one revision.
type pinned struct {
	directory workspaces.RelationDirectory
	org       workspace.ID
	// version is that of the model that is used; 0 until one is.
	version int64
	head    workspaces.RelationHead
	known   bool
}

// Read fails with errMoved once the relations have changed.
func (p *pinned) Read(ctx context.Context, q relation.Query) (relation.QueryResult, error) {
	found, head, err := p.directory.Read(ctx, p.org, q)
	switch {
	case err != nil:
		return found, err
	case p.known && head != p.head, p.version != 0 && head.ModelVersion != p.version:
		return found, errMoved
	}
	p.head, p.known = head, true
	return found, nil
}

package rebac

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"gatehouse.internal/application/engine/outside"
	"gatehouse.internal/application/expressions"
	"gatehouse.internal/domain/relation"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/workspaces"
)

// modelRoom is the memory limit of cached models, in bytes.
const modelRoom = 16 << 20

// model is a version of the model of a workspace, ready for use.
type model struct {
	*relation.Model

	version int64
	// compiled holds the conditions by name, each compiled when it is first needed.
	compiled map[string]*atomic.Pointer[outbound.Expression]
}

// conditions evaluates the conditions of a model of a workspace. Inside a snapshot, one that
// is not compiled fails with outside.Request.
type conditions struct {
	*model

	service *Service
	org     workspace.ID
	inside  bool
}

// expression returns the compiled form of a condition.
func (m conditions) expression(ctx context.Context, c *relation.Condition) (outbound.Expression, error) {
	if made := m.compiled[c.Name].Load(); made != nil {
		return *made, nil
	}
	compile := func(ctx context.Context) error {
		made, err := m.service.Compile(ctx, m.org, c)
		if err != nil {
			return fmt.Errorf("compile the condition %s: %w", c.Name, err)
		}
		m.compiled[c.Name].Store(&made)
		return nil
	}
	if m.inside {
		return nil, &outside.Request{Do: func(ctx context.Context) error { return outside.Run(ctx, compile) }}
	}
	if err := outside.Run(ctx, compile); err != nil {
		return nil, err
	}
	return *m.compiled[c.Name].Load(), nil
}

// Holds evaluates a condition.
func (m conditions) Holds(ctx context.Context, c *relation.Condition, values map[string]any) (bool, error) {
	compiled, err := m.expression(ctx, c)
	if err != nil {
		return false, err
	}
	value, err := compiled.Evaluate(ctx, values)
	if failed, ok := errors.AsType[*outbound.ExpressionError](err); ok {
		return false, &relation.ConditionError{Condition: c.Name, Message: failed.Message}
	}
	if err != nil {
		return false, err
	}
	return string(value) == "true", nil
}

// source returns the expression of a condition.
func (s *Service) source(c *relation.Condition) expressions.Source {
	over := make([]outbound.Variable, len(c.Parameters))
	for i, p := range c.Parameters {
		over[i] = outbound.Variable{Name: p.Name, Type: typeOf(p.Type), Of: typeOf(p.Of)}
	}
	return expressions.Source{Dialect: expressions.NewDialect("relations", s.Language, over), Text: c.Expression}
}

// Prepare compiles the conditions of a model that is to be stored, for Compile.
func (s *Service) Prepare(ctx context.Context, org workspace.ID, m *relation.Model) error {
	var all []expressions.Source
	for _, c := range m.Conditions {
		all = append(all, s.source(c))
	}
	return s.Expressions.Prepare(ctx, org, all...)
}

// Compile reads the expression of a condition. It must not be called inside a unit of work.
// It fails with an *outbound.ExpressionError, or with the context.
func (s *Service) Compile(ctx context.Context, org workspace.ID, c *relation.Condition) (outbound.Expression, error) {
	compiled, err := s.Expressions.Compile(ctx, org, s.source(c))
	if err == nil && !compiled.Boolean() {
		return nil, &outbound.ExpressionError{Message: "the expression must return true or false"}
	}
	return compiled, err
}

// typeOf returns the type of a parameter in expressions.
func typeOf(t relation.ValueType) outbound.VariableType {
	switch t {
	case relation.BoolValue:
		return outbound.FlagField
	case relation.StringValue:
		return outbound.TextField
	case relation.TimestampValue:
		return outbound.TimeField
	case relation.AddressValue:
		return outbound.AddressValue
	default:
		return outbound.VariableType(t)
	}
}

// source reads a version of a model.
type source func(ctx context.Context, org workspace.ID, version int64) (workspaces.RelationModel, error)

// load returns a version of the model of a workspace; it fails with relation.ErrNoModel.
func (s *Service) load(ctx context.Context, org workspace.ID, version int64, from source) (*model, error) {
	if version == 0 {
		return nil, relation.ErrNoModel
	}
	if last, ok := s.models.Last(org); ok && last.version == version {
		return last, nil
	}
	stored, err := from(ctx, org, version)
	if err != nil {
		return nil, err
	}
	parsed, err := relation.Restore([]byte(stored.Text))
	if err != nil {
		return nil, fmt.Errorf("read the stored relation model %d: %s", version, err) //nolint:errorlint // no fault of the caller's
	}
	const perByte, perCondition = 8, 16 << 10
	made := &model{
		Model: parsed, version: version, compiled: map[string]*atomic.Pointer[outbound.Expression]{},
	}
	size := perByte*len(stored.Text) + perCondition*len(parsed.Conditions)
	for _, c := range parsed.Conditions {
		made.compiled[c.Name] = &atomic.Pointer[outbound.Expression]{}
	}
	s.models.Keep(org, made, size, modelRoom)
	return made, nil
}

// Model returns the active model and its version, for changes that must match it.
func (s *Service) Model(ctx context.Context, org workspace.ID, head workspaces.RelationHead, tx workspaces.Relations) (*relation.Model, error) {
	found, err := s.load(ctx, org, head.ModelVersion, tx.Model)
	if err != nil {
		return nil, err
	}
	return found.Model, nil
}

// inSnapshot returns the model in force at the moment of a snapshot.
func (s *Service) inSnapshot(ctx context.Context, org workspace.ID, from workspaces.RelationSnapshot) (*model, workspaces.RelationHead, error) {
	head, err := from.Head(ctx)
	if err != nil {
		return nil, head, err
	}
	found, err := s.load(ctx, org, head.ModelVersion, func(ctx context.Context, _ workspace.ID, version int64) (workspaces.RelationModel, error) {
		return from.Model(ctx, version)
	})
	return found, head, err
}

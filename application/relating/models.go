package relating

import (
	"context"
	"errors"
	"fmt"
	"sync"

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

	version  int64
	compiled map[string]func() (outbound.Expression, error)
}

// Holds evaluates a condition.
func (m *model) Holds(ctx context.Context, c *relation.Condition, values map[string]any) (bool, error) {
	compiled, err := m.compiled[c.Name]()
	if err != nil {
		return false, fmt.Errorf("compile the condition %s: %w", c.Name, err)
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

// Compile reads the expression of a condition. It fails with an
// *outbound.ExpressionError.
func Compile(in outbound.Expressions, c *relation.Condition) (outbound.Expression, error) {
	over := make([]outbound.Variable, len(c.Parameters))
	for i, p := range c.Parameters {
		over[i] = outbound.Variable{Name: p.Name, Type: typeOf(p.Type), Of: typeOf(p.Of)}
	}
	compiled, err := in.Compile(c.Expression, over)
	if err == nil && !compiled.Boolean() {
		return nil, &outbound.ExpressionError{Message: "it must be true or false"}
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
		Model: parsed, version: version, compiled: map[string]func() (outbound.Expression, error){},
	}
	size := perByte*len(stored.Text) + perCondition*len(parsed.Conditions)
	for _, c := range parsed.Conditions {
		made.compiled[c.Name] = sync.OnceValues(func() (outbound.Expression, error) { return Compile(s.Expressions, c) })
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

package relating

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"sync"

	"gatehouse.internal/domain/relation"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/workspaces"
)

// modelRoom bounds what models hold in memory, in bytes.
const modelRoom = 16 << 20

// model is a version of the model of a workspace, ready for use.
type model struct {
	*relation.Model

	org      workspace.ID
	version  int64
	compiled map[string]func() (outbound.Expression, error)
	size     int
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

// typeOf is the type of a parameter in expressions.
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
	if kept := s.models.last(org); kept != nil && kept.version == version {
		return kept, nil
	}
	stored, err := from(ctx, org, version)
	if err != nil {
		return nil, err
	}
	parsed, err := relation.Parse([]byte(stored.Text))
	if err != nil {
		return nil, fmt.Errorf("read the stored relation model %d: %s", version, err) //nolint:errorlint // no fault of the caller's
	}
	const perByte, perCondition = 8, 16 << 10
	made := &model{
		Model: parsed, org: org, version: version, compiled: map[string]func() (outbound.Expression, error){},
		size: perByte*len(stored.Text) + perCondition*len(parsed.Conditions),
	}
	for _, c := range parsed.Conditions {
		made.compiled[c.Name] = sync.OnceValues(func() (outbound.Expression, error) { return Compile(s.Expressions, c) })
	}
	s.models.keep(made)
	return made, nil
}

// Model returns the model in force, for changing what must fit it, and its version.
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

// models keeps the model that each workspace used last; what was used longest ago goes
// first. A version never changes, so that nothing kept can turn wrong. The zero value is
// empty.
type models struct {
	mu   sync.Mutex
	by   map[workspace.ID]*list.Element
	used list.List // of *model, the last used first
	held int
}

// last is the model that was kept last of a workspace; nil when there is none.
func (m *models) last(org workspace.ID) *model {
	m.mu.Lock()
	defer m.mu.Unlock()
	at := m.by[org]
	if at == nil {
		return nil
	}
	m.used.MoveToFront(at)
	kept, _ := at.Value.(*model)
	return kept
}

func (m *models) keep(made *model) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.drop(made.org)
	if m.by == nil {
		m.by = map[workspace.ID]*list.Element{}
	}
	m.by[made.org] = m.used.PushFront(made)
	for m.held += made.size; m.held > modelRoom; {
		oldest, _ := m.used.Back().Value.(*model)
		m.drop(oldest.org)
	}
}

// forget makes the next question read which model is in force.
func (m *models) forget(org workspace.ID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.drop(org)
}

func (m *models) drop(org workspace.ID) {
	if at := m.by[org]; at != nil {
		old, _ := m.used.Remove(at).(*model)
		delete(m.by, org)
		m.held -= old.size
	}
}

package flows

import (
	"context"
	"errors"

	"gatehouse.internal/application/engine/outside"
	"gatehouse.internal/application/flow/plan"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/workspace"
)

// judge compiles a graph for a workspace, outside of any unit of work. It returns the plan, or
// all that is wrong with the graph.
func (s *Service) judge(ctx context.Context, org workspace.ID, t flow.Trigger, g flow.Graph) (*plan.Plan, []fault.Field, error) {
	if err := s.Compiler.Expressions.Prepare(ctx, org, s.Compiler.Sources(t, g)...); err != nil {
		return nil, nil, err
	}
	return s.Compiler.Compile(ctx, org, t, g)
}

// sound is judge that fails with all that is wrong with the graph.
func (s *Service) sound(ctx context.Context, org workspace.ID, t flow.Trigger, g flow.Graph) (*plan.Plan, error) {
	made, found, err := s.judge(ctx, org, t, g)
	if found != nil {
		return nil, fault.Refuse(found...)
	}
	return made, err
}

// graphs are those that the units of work of one call have asked for.
type graphs struct {
	service *Service
	judged  []compiledGraph
}

// compiledGraph is a compiled graph, or the fault of it.
type compiledGraph struct {
	org     workspace.ID
	trigger flow.Trigger
	graph   flow.Graph
	plan    *plan.Plan
	err     error
}

// do is Unit.Do for changes that compile graphs: that happens outside of the unit, which then
// begins again.
func (s *Service) do(ctx context.Context, change func(tx Repos) error) error {
	g := &graphs{service: s}
	return outside.Repeat(ctx, func() error {
		return s.Unit.Do(ctx, func(tx Repos) error {
			tx.graphs = g
			return change(tx)
		})
	})
}

// sound is that of the service inside a unit of work of do. It fails with outside.Request until
// the graph is compiled.
func (g *graphs) sound(org workspace.ID, t flow.Trigger, of flow.Graph) (*plan.Plan, error) {
	for _, one := range g.judged {
		if one.org == org && one.trigger == t && one.graph.Equal(of) {
			return one.plan, one.err
		}
	}
	return nil, &outside.Request{Do: func(ctx context.Context) error {
		made, err := g.service.sound(ctx, org, t, of)
		if _, refused := errors.AsType[*fault.Error](err); err != nil && !refused {
			return err
		}
		g.judged = append(g.judged, compiledGraph{org, t, of, made, err})
		return nil
	}}
}

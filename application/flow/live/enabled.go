package live

import (
	"context"
	"fmt"

	"gatehouse.internal/application/flow/plan"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/ops"
)

// mostScopes is of how many workspaces a replica keeps the flows compiled.
const mostScopes = 1000

// enabled is one flow that is in force. It has no plan where its graph does not compile any
// more: then it denies.
type enabled struct {
	flow.Snapshot

	plan *plan.Plan
}

// scope is the flows of a workspace, or of the instance, at one of its marks.
type scope struct {
	mark  int64
	flows map[flow.Trigger]*enabled
}

// of returns the flow of a trigger that is in force at some marks or later ones; nil for none.
func (f *Flows) of(ctx context.Context, marks ops.FlowMarks, org workspace.ID, t flow.Trigger) (*enabled, error) {
	mark := marks.Workspaces
	if org == "" {
		mark = marks.Instance
	}
	if mark == 0 {
		return nil, nil
	}
	if held, is := f.held(org); is && held.mark >= mark {
		return held.flows[t], nil
	}
	f.loading.Lock()
	defer f.loading.Unlock()
	before, is := f.held(org)
	if is && before.mark >= mark {
		return before.flows[t], nil
	}
	// The flows are at least as new as the mark: changes move the mark in the same
	// transaction.
	on := true
	found, err := f.Directory.List(ctx, ops.FlowQuery{Org: org, Enabled: &on})
	if err != nil {
		return nil, fmt.Errorf("load the flows that are enabled: %w", err)
	}
	loaded := scope{mark: mark, flows: map[flow.Trigger]*enabled{}}
	for _, one := range found {
		loaded.flows[one.Trigger] = f.compiled(one, before.flows[one.Trigger])
	}
	f.keep(org, loaded)
	return loaded.flows[t], nil
}

func (f *Flows) held(org workspace.ID) (scope, bool) {
	found, _ := f.scopes.Load(org)
	held, is := found.(scope)
	return held, is
}

// compiled compiles a flow, unless it is the version that was compiled before.
func (f *Flows) compiled(s flow.Snapshot, before *enabled) *enabled {
	if before != nil && before.ID == s.ID && before.Current.Number == s.Current.Number {
		return before
	}
	made, _ := f.Compiler.Compile(s.Trigger, s.Current.Graph)
	return &enabled{Snapshot: s, plan: made}
}

func (f *Flows) keep(org workspace.ID, loaded scope) {
	if _, replaced := f.scopes.Swap(org, loaded); replaced {
		return
	}
	if f.count++; f.count > mostScopes {
		f.scopes.Clear()
		f.scopes.Store(org, loaded)
		f.count = 1
	}
}

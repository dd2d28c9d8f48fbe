package live

import (
	"context"
	"fmt"

	"gatehouse.internal/application/engine/outside"
	"gatehouse.internal/application/flow/plan"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/ops"
)

// room is the memory limit of compiled flows, and perScope about what a workspace holds beside
// its flows, in bytes.
const (
	room     = 64 << 20
	perScope = 512
)

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

func (s scope) size() int {
	size := perScope
	for _, one := range s.flows {
		size += perScope
		if one.plan != nil {
			size += one.plan.Size()
		}
	}
	return size
}

// markOf returns the mark of a workspace, or of the instance.
func markOf(marks ops.FlowMarks, org workspace.ID) int64 {
	if org == "" {
		return marks.Instance
	}
	return marks.Workspaces
}

// of returns the flow of a trigger that is in force at some marks or later ones, nil for none.
// It is not known until load has read the flows.
func (f *Flows) of(marks ops.FlowMarks, org workspace.ID, t flow.Trigger) (one *enabled, known bool) {
	mark := markOf(marks, org)
	if mark == 0 {
		return nil, true
	}
	held, is := f.scopes.Last(org)
	if !is || held.mark < mark {
		return nil, false
	}
	return held.flows[t], true
}

// load reads and compiles the flows of a workspace, or of the instance. No transaction and no
// other workspace waits for that.
func (f *Flows) load(ctx context.Context, marks ops.FlowMarks, org workspace.ID) error {
	return outside.Run(ctx, func(ctx context.Context) error {
		_, err := f.loads.Do(ctx, org, func() error { return f.loadNow(ctx, marks, org) })
		return err
	})
}

func (f *Flows) loadNow(ctx context.Context, marks ops.FlowMarks, org workspace.ID) error {
	before, is := f.scopes.Last(org)
	if is && before.mark >= markOf(marks, org) {
		return nil
	}
	// The flows are at least as new as the mark: changes move the mark in the same
	// transaction.
	on := true
	found, err := f.Directory.List(ctx, ops.FlowQuery{Org: org, Enabled: &on})
	if err != nil {
		return fmt.Errorf("load the flows that are enabled: %w", err)
	}
	loaded := scope{mark: markOf(marks, org), flows: map[flow.Trigger]*enabled{}}
	for _, one := range found {
		if loaded.flows[one.Trigger], err = f.compiled(ctx, one, before.flows[one.Trigger]); err != nil {
			return err
		}
	}
	f.scopes.Keep(org, loaded, loaded.size(), room)
	return nil
}

// compiled compiles a flow, unless it is the version that was compiled before.
func (f *Flows) compiled(ctx context.Context, s flow.Snapshot, before *enabled) (*enabled, error) {
	if before != nil && before.ID == s.ID && before.Current.Number == s.Current.Number {
		return before, nil
	}
	made, _, err := f.Compiler.Compile(ctx, s.OrgID, s.Trigger, s.Current.Graph)
	return &enabled{Snapshot: s, plan: made}, err
}

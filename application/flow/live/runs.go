package live

import (
	"context"
	"encoding/json"
	"hash/fnv"
	"maps"
	"slices"

	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/application/flow/plan"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/ports/outbound/ops"
)

// Repos holds the repositories of runs that are part of no other unit of work.
type Repos struct {
	Runs ops.FlowRuns
}

// note records the result of a flow, to be stored with the object of the decision. Of
// results that only allow, it records the share in the settings.
func (a *attempt) note(p *selectedFlow, s Subject, values map[string]any, o flow.Outcome) {
	run := flow.Run{
		ID: flow.NewRunID(a.flows.IDs), FlowID: p.ID, OrgID: p.OrgID, Name: p.Name, Version: p.Current.Number, Trigger: p.Trigger,
		User: s.User, Decision: o.Decision(), At: a.now,
		Content: flow.RunContent{
			Reason: o.Reason, Node: o.Node, Trace: o.Trace, Claims: slices.Sorted(maps.Keys(o.Demand.Claims)), Context: contextOf(p.Trigger, values),
		},
	}
	for _, step := range o.Trace {
		run.Took += step.Took
	}
	if o.Plain() && !sampled(run.ID, a.flows.Instance.State().Settings.FlowRunSample) {
		return
	}
	a.runs[place{p.OrgID, p.Trigger}] = run
}

// contextOf returns the part of the context that belongs to the trigger, as it is stored.
func contextOf(t flow.Trigger, values map[string]any) map[string]json.RawMessage {
	all := map[string]json.RawMessage{}
	for _, name := range plan.Parts(t) {
		if text, err := strictjson.Encode(values[name]); err == nil {
			all[name] = text
		}
	}
	return all
}

// sampled reports whether a run is one of so many.
func sampled(id flow.RunID, of int) bool {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(id))
	return of <= 1 || sum.Sum32()%uint32(of) == 0
}

// noted returns the runs that were noted.
func (a *attempt) noted() []flow.Run { return slices.Collect(maps.Values(a.runs)) }

// storeAlone stores the recorded runs separately.
func (a *attempt) storeAlone(ctx context.Context) error {
	err := Keep(ctx, a.noted())
	clear(a.runs)
	return err
}

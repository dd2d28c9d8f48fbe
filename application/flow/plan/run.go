package plan

import (
	"context"
	"encoding/json"
	"errors"
	"net/netip"
	"slices"
	"time"

	"gatehouse.internal/application/engine/outside"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/iprule"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/ports/outbound"
)

// Effects is how a run reaches beyond its facts.
type Effects interface {
	// Count counts a call, and reports whether that is one too many.
	Count(ctx context.Context, node, key string, rule limit.Rule) (over bool, err error)
	// Listed reports whether an address is on a named list of the flow's scope.
	Listed(ctx context.Context, list iprule.List, address netip.Addr) (bool, error)
	// Ask posts a context to an external server.
	Ask(ctx context.Context, node string, hook Hook, facts Facts) (Answer, error)
}

// ErrNoTime is returned if the calls of a run exceed their total time limit.
var ErrNoTime = errors.New("external calls exceeded the time limit of the run")

// Hook is the server of a webhook_check, and its time limit.
type Hook struct {
	URL     string
	Timeout time.Duration
}

// Answer is the response of such a server.
type Answer struct {
	Decision string                     `json:"decision"`
	Reason   string                     `json:"reason,omitzero"`
	Claims   map[string]json.RawMessage `json:"claims,omitzero"`
}

// Extent is how much of the context is known.
type Extent int

const (
	// Early is what is known before any account is read.
	Early Extent = iota
	// Whole is all of it.
	Whole
)

// Progress is the state of a run. It is a value: a copy can be continued again.
type Progress struct {
	plan *Plan
	at   int
	// Done reports whether the run has ended.
	Done    bool
	Outcome flow.Outcome
}

// Begin returns the progress of a run that has not begun.
func (p *Plan) Begin() Progress { return Progress{plan: p, at: p.start} }

// run is the state visible to a node.
type run struct {
	facts   Facts
	effects Effects
	outcome *flow.Outcome
	node    string
	detail  string
	// edges reports whether an output of the node leads anywhere.
	edges func(output string) bool
}

// Go continues a run as far as known information allows. If a node fails, the run
// denies. It fails with outside.Request, or if the context ends.
func (g Progress) Go(ctx context.Context, known Extent, facts Facts, effects Effects, clock outbound.Clock) (Progress, error) {
	g.Outcome = cloned(g.Outcome)
	for !g.Done {
		s := g.plan.steps[g.at]
		if s.late && known == Early {
			return g, nil
		}
		began := clock.Now()
		r := run{facts: facts, effects: effects, outcome: &g.Outcome, node: s.id, edges: func(output string) bool {
			_, leads := s.next[output]
			return leads
		}}
		output, err := s.act(ctx, &r)
		if _, wanted := errors.AsType[*outside.Request](err); wanted || ctx.Err() != nil {
			return g, errors.Join(err, ctx.Err())
		}
		if err != nil {
			output, r.detail = "error", err.Error()
			g.Outcome.Denied, g.Outcome.Reason = true, flow.Failed
		}
		g.Outcome.Trace = append(g.Outcome.Trace, flow.Step{Node: s.id, Outcome: output, Detail: r.detail, Took: clock.Now().Sub(began)})
		if g.Outcome.Denied {
			g.Outcome.Node = s.id
		}
		g.leave(s, output)
	}
	return g, nil
}

// leave moves to the next node. Without an edge, the flow allows.
func (g *Progress) leave(s step, output string) {
	to, leads := s.next[output]
	if !leads {
		to, leads = s.next[flow.Default]
	}
	g.Done = s.ends || g.Outcome.Denied || !leads
	g.at = to
}

func cloned(o flow.Outcome) flow.Outcome {
	o.Trace = slices.Clone(o.Trace)
	o.Demand.Actions = slices.Clone(o.Demand.Actions)
	o.Demand.Methods = slices.Clone(o.Demand.Methods)
	claims := make(map[string]json.RawMessage, len(o.Demand.Claims))
	for name, value := range o.Demand.Claims {
		claims[name] = value
	}
	o.Demand.Claims = claims
	return o
}

// address is where the call comes from.
func (r *run) address() (netip.Addr, error) {
	parsed, err := netip.ParseAddr(r.facts.Text("ip", "address"))
	if err != nil {
		return netip.Addr{}, errors.New("the IP address of the request is unknown")
	}
	return parsed.Unmap(), nil
}

// evaluate runs an expression over the facts.
func (r *run) evaluate(ctx context.Context, e outbound.Expression) ([]byte, error) {
	return e.Evaluate(ctx, r.facts.Values)
}

package live

import (
	"cmp"
	"context"
	"net/netip"
	"time"

	"gatehouse.internal/application/addresses"
	"gatehouse.internal/application/engine/cache"
	"gatehouse.internal/application/engine/instance"
	"gatehouse.internal/application/engine/outside"
	"gatehouse.internal/application/flow/plan"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/mac"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/ops"
	"gatehouse.internal/ports/outbound/signin"
	"gatehouse.internal/ports/outbound/webhooks"
	"gatehouse.internal/ports/outbound/workspaces"
)

// Flows decides by the flows that are enabled.
type Flows struct {
	Directory ops.FlowDirectory
	Orgs      workspaces.WorkspaceDirectory
	Compiler  plan.Compiler
	Lists     addresses.Lists
	// Admission counts for rate_limit.
	Admission    outbound.Admission
	Transactions outbound.Transactions
	Blinder      outbound.Blinder
	// Sender sends requests to other servers, signed with secrets derived from Key.
	Sender webhooks.Sender
	Key    mac.Key
	// Places looks up the locations of addresses.
	Places signin.Places
	Clock  outbound.Clock
	IDs    outbound.IDs
	// Unit stores runs outside of other units of work, as configured by Instance.
	Unit     outbound.Unit[Repos]
	Instance *instance.Current

	// scopes keeps the flows of workspaces, which their marks validate.
	scopes cache.Cache[workspace.ID, scope]
	loads  cache.Flights[workspace.ID]
}

// Call is what is known of a call before any account is read.
type Call struct {
	Trigger   flow.Trigger
	IP        netip.Addr
	UserAgent string
	// DryRun disables counting and requests.
	DryRun bool
	// Quiet leaves it to Decide to deny.
	Quiet bool
}

// Facts returns the context of a trigger that is known before any account is read.
func (f *Flows) Facts(t flow.Trigger, call Call) plan.Facts {
	a := &attempt{flows: f, call: call, now: f.Clock.Now()}
	return plan.Facts{Values: a.facts(t)}
}

type contextKey struct{}

// Begin returns the context of a call that flows decide about, in which the flow of the
// instance has gone as far as it needs no account. It fails with FLOW_BLOCKED.
func (f *Flows) Begin(ctx context.Context, state *instance.State, call Call) (context.Context, error) {
	if state.Flows == (ops.FlowMarks{}) {
		return ctx, nil
	}
	a := &attempt{flows: f, call: call, marks: state.Flows, now: f.Clock.Now(), picked: map[place]*selectedFlow{}, learned: map[string]externalResult{}, runs: map[place]flow.Run{}}
	ctx = context.WithValue(ctx, contextKey{}, a)
	if call.Quiet {
		return ctx, nil
	}
	return ctx, outside.Repeat(ctx, func() error { return a.early(ctx) })
}

// place identifies a flow.
type place struct {
	org     workspace.ID
	trigger flow.Trigger
}

// selectedFlow is a version that decides about a call, with its progress without an account.
type selectedFlow struct {
	*enabled

	begun plan.Progress
}

// attempt is one call as flows see it.
type attempt struct {
	flows *Flows
	call  Call
	marks ops.FlowMarks
	now   time.Time
	// picked are the versions that decide, whatever is enabled meanwhile; nil: there is none.
	picked  map[place]*selectedFlow
	learned map[string]externalResult
	// waited is how long other servers were waited for.
	waited time.Duration
	known  map[string]any
	// runs are results not stored yet.
	runs map[place]flow.Run
	// alone reports whether flows decide outside of any unit of work: in one that begins
	// meanwhile facts are read.
	alone bool
}

// pick returns the flow of a place that decides about the call; nil for none. It fails with
// outside.Request until the flows of the workspace are compiled.
func (a *attempt) pick(at place) (*selectedFlow, error) {
	if found, known := a.picked[at]; known {
		return found, nil
	}
	one, known := a.flows.of(a.marks, at.org, at.trigger)
	if !known {
		return nil, &outside.Request{Do: func(ctx context.Context) error { return a.flows.load(ctx, a.marks, at.org) }}
	}
	if one == nil {
		a.picked[at] = nil
		return nil, nil
	}
	p := &selectedFlow{enabled: one}
	if one.plan != nil {
		p.begun = one.plan.Begin()
	}
	a.picked[at] = p
	return p, nil
}

// early takes the flow of the instance as far as it needs no account.
func (a *attempt) early(ctx context.Context) error {
	p, err := a.pick(place{trigger: a.call.Trigger})
	if err != nil || p == nil {
		return err
	}
	outcome := broken()
	if p.plan != nil {
		reached, err := p.begun.Go(ctx, plan.Early, plan.Facts{Values: a.facts(a.call.Trigger)}, effects{a, p}, a.flows.Clock)
		if err != nil {
			return err
		}
		p.begun, outcome = reached, reached.Outcome
	}
	if !outcome.Denied {
		return nil
	}
	a.note(p, Subject{}, a.facts(a.call.Trigger), outcome)
	return cmp.Or(a.storeAlone(ctx), error(outcome.Blocked(p.Name)))
}

// broken returns the outcome of a flow whose graph no longer compiles.
func broken() flow.Outcome { return flow.Outcome{Denied: true, Reason: flow.Failed} }

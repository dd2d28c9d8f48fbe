package live

import (
	"context"
	"maps"

	"gatehouse.internal/application/engine/outside"
	"gatehouse.internal/application/flow/plan"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// Subject is the subject of a decision, once known.
type Subject struct {
	// Trigger is another one than that of the command; empty: that.
	Trigger flow.Trigger
	// Org is the workspace whose flow decides in addition to the instance's; empty for
	// none.
	Org   workspace.ID
	User  user.ID
	Email email.Address
	// Inside reports whether only the flow of the workspace decides, about a session that
	// is in already.
	Inside bool
	// Facts returns the context. It omits values that need a read of the store, unless
	// a flow needs them.
	Facts func(needs func(name string) bool) (map[string]any, error)
	// Weigh returns the risk of the attempt, where a flow reads it; nil: there is none.
	Weigh func() (Weight, error)
}

// Verdict is the combined decision of flows.
type Verdict struct {
	// Blocked is FLOW_BLOCKED where one denies, by which nothing else is asked for.
	Blocked *fault.Error
	flow.Demand
	// Runs are runs not stored by DecideAlone: they must be stored with the result, or
	// by Keep if there is none.
	Runs []flow.Run
}

// Err is Blocked as an error, nil where no flow denies.
func (v Verdict) Err() error {
	if v.Blocked == nil {
		return nil
	}
	return v.Blocked
}

// Trigger returns that of the call, where flows may decide about it; else empty.
func Trigger(ctx context.Context) flow.Trigger {
	if a := attemptOf(ctx); a != nil {
		return a.call.Trigger
	}
	return ""
}

func attemptOf(ctx context.Context) *attempt {
	a, _ := ctx.Value(contextKey{}).(*attempt)
	return a
}

// Decide takes the flows of a call to their ends: that of the instance, then that of the
// workspace; the first that denies ends it. A workspace without a flow for social or passkey
// logins decides about these by its flow for logins, so that no way in leaves that out. Inside
// of a unit of work, which must be one by Unit, it may fail with outside.Request.
func Decide(ctx context.Context, s Subject) (Verdict, error) {
	a := attemptOf(ctx)
	if a == nil {
		return Verdict{}, nil
	}
	if s.Trigger == "" {
		s.Trigger = a.call.Trigger
	}
	deciding, err := a.deciding(s)
	if err != nil {
		return Verdict{}, err
	}
	var v Verdict
	for _, p := range deciding {
		outcome, err := a.run(ctx, p, s)
		if err != nil {
			return Verdict{}, err
		}
		if outcome.Denied {
			return Verdict{Blocked: outcome.Blocked(p.Name)}, nil
		}
		v.Demand = v.And(outcome.Demand)
	}
	return v, nil
}

// deciding returns the flows that decide, in their order.
func (a *attempt) deciding(s Subject) (all []*selectedFlow, err error) {
	if !s.Inside {
		if all, err = a.add(all, "", s.Trigger); err != nil {
			return nil, err
		}
	}
	if s.Org == "" {
		return all, nil
	}
	before := len(all)
	all, err = a.add(all, s.Org, s.Trigger)
	if err == nil && len(all) == before && s.Trigger.SignsIn() {
		all, err = a.add(all, s.Org, flow.Login)
	}
	return all, err
}

func (a *attempt) add(to []*selectedFlow, org workspace.ID, t flow.Trigger) ([]*selectedFlow, error) {
	p, err := a.pick(place{org, t})
	if err == nil && p != nil {
		to = append(to, p)
	}
	return to, err
}

// DecideAlone is Decide outside of any unit of work. The runs behind a denial are stored; others are
// part of the verdict, so that they need no commit of their own.
func DecideAlone(ctx context.Context, s Subject) (v Verdict, err error) {
	a := attemptOf(ctx)
	if a == nil {
		return v, nil
	}
	clear(a.runs) // A call that begins anew decides anew.
	a.alone = true
	defer func() { a.alone = false }()
	err = outside.Repeat(ctx, func() (err error) {
		v, err = Decide(ctx, s)
		return err
	})
	if err == nil && v.Blocked != nil {
		return v, a.storeAlone(ctx)
	}
	v.Runs = a.noted()
	clear(a.runs)
	return v, err
}

// Keep stores runs by themselves.
func Keep(ctx context.Context, runs []flow.Run) error {
	a := attemptOf(ctx)
	if a == nil || len(runs) == 0 {
		return nil
	}
	return a.flows.Unit.Do(ctx, func(tx Repos) error { return tx.Runs.Add(ctx, runs...) })
}

// run takes one flow to its end.
func (a *attempt) run(ctx context.Context, p *selectedFlow, s Subject) (flow.Outcome, error) {
	values := a.facts(s.Trigger)
	if p.plan == nil {
		a.note(p, s, values, broken())
		return broken(), nil
	}
	if s.Facts != nil {
		of, err := s.Facts(p.plan.Needs)
		if err != nil {
			return flow.Outcome{}, err
		}
		maps.Copy(values, of)
	}
	if err := a.weigh(p.plan, s, values); err != nil {
		return flow.Outcome{}, err
	}
	values = plan.Context(s.Trigger, values)
	ended, err := p.begun.Go(ctx, plan.Whole, plan.Facts{Values: values, Email: s.Email.Folded()}, effects{a, p}, a.flows.Clock)
	if err == nil && ended.Outcome.Demand.Impossible() {
		ended.Outcome.Denied, ended.Outcome.Reason = true, flow.Failed
	}
	if err == nil {
		a.note(p, s, values, ended.Outcome)
	}
	return ended.Outcome, err
}

package flows

import (
	"context"
	"encoding/json"
	"net/netip"

	"gatehouse.internal/application/addresses"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/flow/live"
	"gatehouse.internal/application/flow/plan"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/iprule"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/workspace"
)

// admits fails where a flow would deny its maker, as they call at this moment, unless that is
// meant. What it would count or ask outside is taken for granted.
func (s *Service) admits(ctx context.Context, call command.Call, org workspace.ID, made *plan.Plan, force bool) error {
	if force || call.Caller.User == "" || made.Trigger() == flow.M2MToken {
		return nil
	}
	facts := s.Live.Facts(made.Trigger(), live.Call{IP: address(call.IP), UserAgent: call.UserAgent}).With(s.maker(call, org))
	ended, err := made.Begin().Go(ctx, plan.Whole, facts, permissiveEffects{s.Lists, org}, s.Clock)
	if err != nil || !ended.Outcome.Denied {
		return err
	}
	return fault.Unfit("/force", "is required: the flow would deny you right now at node "+ended.Outcome.Node+": "+ended.Outcome.Reason)
}

func address(text string) netip.Addr {
	parsed, err := netip.ParseAddr(text)
	if err != nil {
		return netip.Addr{}
	}
	return parsed
}

// maker returns what is known of the caller.
func (s *Service) maker(call command.Call, org workspace.ID) map[string]any {
	caller := call.Caller
	person := live.Person{Snapshot: caller.Profile, Roles: caller.Roles, Enrolled: caller.SecondFactor}
	if standing, is := caller.Source.(role.EffectiveRoles); is {
		person.Groups = standing.Groups()
	}
	facts := map[string]any{
		"user": person.Facts(), "method": "password", "amr": plan.Anys(caller.AMR), "provider": "", "org": nil,
		"device":  map[string]any{"known": true, "trusted": false, "age_days": int64(0)},
		"risk":    map[string]any{"score": int64(0), "level": "low", "signals": []string{}},
		"history": map[string]any{"failures_1h": int64(0), "logins_24h": int64(1), "distinct_ips_24h": int64(1)},
	}
	if org != "" {
		facts["org"] = live.Org(workspace.Snapshot{ID: org})
	}
	return facts
}

// permissiveEffects are effects that count nothing and refuse nothing; lists of addresses are the real ones.
type permissiveEffects struct {
	lists addresses.Lists
	org   workspace.ID
}

// Count counts nothing.
func (permissiveEffects) Count(context.Context, string, string, limit.Rule) (bool, error) {
	return false, nil
}

// Ask asks nobody.
func (permissiveEffects) Ask(context.Context, string, plan.Hook, plan.Facts) (plan.Answer, error) {
	return plan.Answer{Decision: "allow", Claims: map[string]json.RawMessage{}}, nil
}

// Listed looks at a list of the scope.
func (g permissiveEffects) Listed(ctx context.Context, list iprule.List, from netip.Addr) (bool, error) {
	return g.lists.Contains(ctx, g.org, list, from)
}

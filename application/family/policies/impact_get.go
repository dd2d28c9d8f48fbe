package policies

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/ops"
)

// ImpactGetParams are the parameters of POLICY.IMPACT_GET.
type ImpactGetParams struct {
	Kind   policy.Kind  `json:"kind" doc:"Which policy."`
	Values Change       `json:"values" doc:"What POLICY.SET would be given."`
	OrgID  workspace.ID `json:"org_id,omitzero" doc:"Workspace whose policy would change: the active one, or any for a superadmin; absent: the instance, which needs a superadmin." example:"-"`
}

// ImpactGetResult is the result of POLICY.IMPACT_GET.
type ImpactGetResult struct {
	Affected int       `json:"affected" doc:"How many people the change would touch."`
	Examples []user.ID `json:"examples" doc:"Some of them, 10 at most."`
}

func (s *Service) impactGet() command.Definition {
	return command.Define(command.Spec[ImpactGetParams, ImpactGetResult]{
		Name: "POLICY.IMPACT_GET",
		Summary: "How many people a change would touch, before it is made. password: who has one, and must meet a stricter rule with the next; session: whose session is older than it may become; " +
			"mfa: who has no second factor yet, or a device that is remembered for too long; lockout: who would be locked by the failed logins that there are; " +
			"risk: who had an attempt within 30 days that was not low and would be of another level; signup: whose address must be verified first. What makes a policy looser touches nobody.",
		Access: access.Holding("policies:read"),
		Effect: command.Reads,
		Handle: func(ctx context.Context, call command.Call, p ImpactGetParams) (ImpactGetResult, error) {
			wanted := SetParams(p)
			if err := s.allowed(ctx, call.Caller, wanted); err != nil {
				return ImpactGetResult{}, err
			}
			before, after, err := s.compare(ctx, wanted)
			if err != nil {
				return ImpactGetResult{}, err
			}
			touched, err := s.touched(ctx, wanted, before, after)
			return ImpactGetResult{Affected: touched.Count, Examples: append([]user.ID{}, touched.Examples...)}, err
		},
	})
}

// compare returns the policies in force before and after a change. It fails like after.
func (s *Service) compare(ctx context.Context, p SetParams) (before, after policy.Set, err error) {
	state := s.Policies.Instance.State()
	before, stored := state.Policies, state.PolicyValues
	if p.OrgID != "" {
		if before, err = s.Policies.OfOrg(ctx, p.OrgID); err != nil {
			return before, after, err
		}
		if stored, err = s.Policies.Workspaces.OfOrg(ctx, p.OrgID); err != nil {
			return before, after, err
		}
	}
	outcome, err := apply(p.Kind, stored[p.Kind], p.Values)
	if err != nil {
		return before, after, err
	}
	after, err = s.after(p, ops.PolicyValues(outcome.Values))
	return before, after, err
}

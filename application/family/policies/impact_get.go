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
	Kind   policy.Kind  `json:"kind" doc:"Kind of the policy."`
	Values Change       `json:"values" doc:"Values that you plan to pass to POLICY.SET."`
	OrgID  workspace.ID `json:"org_id,omitzero" doc:"ID of the workspace whose policy would change: the active one, or any for a superadmin. Omit for the instance, which requires a superadmin." example:"-"`
}

// ImpactGetResult is the result of POLICY.IMPACT_GET.
type ImpactGetResult struct {
	Affected int       `json:"affected" doc:"Number of affected users."`
	Examples []user.ID `json:"examples" doc:"IDs of some of the affected users. At most 10."`
}

const impactGetDescription = "Loosening a policy affects nobody. Otherwise, the affected users depend on the kind:\n\n" +
	"- `password`: users who have a password. Their next password must meet the stricter rule.\n" +
	"- `session`: users whose session is older than the new limit.\n" +
	"- `mfa`: users without a second factor, or with a device that has been remembered for too long.\n" +
	"- `lockout`: users whose recorded failed sign-ins would lock the account.\n" +
	"- `risk`: users with an attempt in the last 30 days that was not low risk and would get a different level.\n" +
	"- `signup`: users who would first have to verify their address."

func (s *Service) impactGet() command.Definition {
	return command.Define(command.Spec[ImpactGetParams, ImpactGetResult]{
		Name:        "POLICY.IMPACT_GET",
		Summary:     "Count the users that a policy change would affect, before you make it.",
		Description: impactGetDescription,
		Access:      access.Holding("policies:read"),
		Effect:      command.Reads,
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

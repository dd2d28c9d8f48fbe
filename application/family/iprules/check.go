package iprules

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/iprule"
	"gatehouse.internal/domain/workspace"
)

// CheckParams are the parameters of IP_RULE.CHECK.
type CheckParams struct {
	IP    string       `json:"ip" doc:"IP address to check." jsonschema:"minLength=2,maxLength=64,example=192.0.2.7"`
	List  iprule.List  `json:"list,omitzero" doc:"Check the rules on this list. Omit to check the rules that are on no list." example:"-"`
	OrgID workspace.ID `json:"org_id,omitzero" doc:"Workspace to act in. Defaults to the active workspace, or to the instance for a superadmin." example:"-"`
}

// CheckResult is the result of IP_RULE.CHECK.
type CheckResult struct {
	Allowed bool  `json:"allowed" doc:"Whether the rules allow the address. For rules on a list, what they would decide."`
	Rule    *Rule `json:"rule,omitzero" doc:"Rule that decided. Omitted if no rule contains the address."`
}

func (s *Service) check() command.Definition {
	return command.Define(command.Spec[CheckParams, CheckResult]{
		Name:        "IP_RULE.CHECK",
		Summary:     "Check an IP address against the address rules.",
		Description: "Returns the rule of the workspace or instance that decides for the address, and whether those rules allow it.",
		Access:      access.Holding(reading),
		Effect:      command.Reads,
		Handle: func(ctx context.Context, call command.Call, p CheckParams) (CheckResult, error) {
			org, err := scope(call.Caller, "", p.OrgID)
			if err != nil {
				return CheckResult{}, err
			}
			address, err := iprule.ParseAddress("/ip", p.IP)
			if err != nil {
				return CheckResult{}, err
			}
			rules, err := s.Rules.Of(ctx, org)
			if err != nil {
				return CheckResult{}, err
			}
			allowed, by := rules.Decide(p.List, address)
			result := CheckResult{Allowed: allowed}
			if by != nil {
				shown := show(*by)
				result.Rule = &shown
			}
			return result, nil
		},
	})
}

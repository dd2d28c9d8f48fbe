package policies

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/workspace"
)

// GetParams are the parameters of POLICY.GET.
type GetParams struct {
	Kind  policy.Kind  `json:"kind" doc:"Kind of the policy."`
	OrgID workspace.ID `json:"org_id,omitzero" doc:"ID of the workspace whose policy to retrieve: the active one, or any for a superadmin. Omit for the instance." example:"-"`
}

// GetResult is the result of POLICY.GET.
type GetResult struct {
	Policy Policy `json:"policy" doc:"Values in force. For a workspace, the stricter of its own and the instance's values."`
	Source string `json:"source" doc:"Source of the values: workspace if it set any of its own, else instance if it set any, else default." jsonschema:"enum=default,enum=instance,enum=workspace"`
}

const getDescription = "The kinds are passwords, sessions, lockout, second factors, risk and sign-up. For a workspace, you get the values in " +
	"force there."

func (s *Service) get() command.Definition {
	return command.Define(command.Spec[GetParams, GetResult]{
		Name:        "POLICY.GET",
		Summary:     "Retrieve a policy of the instance or a workspace.",
		Description: getDescription,
		Access:      access.Holding("policies:read"),
		Effect:      command.Reads,
		Handle: func(ctx context.Context, call command.Call, p GetParams) (GetResult, error) {
			state := s.Policies.Instance.State()
			inForce, source := state.Policies, "default"
			if len(state.PolicyValues[p.Kind]) > 0 {
				source = "instance"
			}
			if p.OrgID != "" {
				own, err := s.ofWorkspace(ctx, call.Caller, p)
				if err != nil {
					return GetResult{}, err
				}
				if own {
					source = "workspace"
				}
				if inForce, err = s.Policies.OfOrg(ctx, p.OrgID); err != nil {
					return GetResult{}, err
				}
			}
			shown, err := show(p.Kind, inForce)
			return GetResult{Policy: shown, Source: source}, err
		},
	})
}

// ofWorkspace reports whether a workspace that the caller may see set any value.
func (s *Service) ofWorkspace(ctx context.Context, caller access.Caller, p GetParams) (bool, error) {
	if err := s.visible(ctx, caller, p.OrgID); err != nil {
		return false, err
	}
	stored, err := s.Policies.Workspaces.OfOrg(ctx, p.OrgID)
	return len(stored[p.Kind]) > 0, err
}

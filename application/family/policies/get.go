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
	Kind  policy.Kind  `json:"kind" doc:"Which policy."`
	OrgID workspace.ID `json:"org_id,omitzero" doc:"Workspace whose policy to answer: the active one, or any for a superadmin; absent: the instance." example:"-"`
}

// GetResult is the result of POLICY.GET.
type GetResult struct {
	Policy Policy `json:"policy" doc:"The values in force; of a workspace, the stricter of its own and the instance's."`
	Source string `json:"source" doc:"Where they come from: the workspace if it set any of its own, else the instance if it did, else the defaults." jsonschema:"enum=default,enum=instance,enum=workspace"`
}

func (s *Service) get() command.Definition {
	return command.Define(command.Spec[GetParams, GetResult]{
		Name:    "POLICY.GET",
		Summary: "The policy for passwords, sessions, lockout, second factors or signup of the instance, or as it holds in a workspace.",
		Access:  access.Holding("policies:read"),
		Effect:  command.Reads,
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

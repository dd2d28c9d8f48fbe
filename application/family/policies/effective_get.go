package policies

import (
	"bytes"
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/instance"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/ops"
)

// EffectiveGetParams are the parameters of POLICY.EFFECTIVE_GET.
type EffectiveGetParams struct {
	UserID user.ID      `json:"user_id,omitzero" doc:"ID of the user. Defaults to you. Other members of the workspace require policies:read; superadmins can name anyone."`
	OrgID  workspace.ID `json:"org_id,omitzero" doc:"ID of the workspace to act in. Defaults to the active one." example:"-"`
}

// EffectiveGetResult is the result of POLICY.EFFECTIVE_GET.
type EffectiveGetResult struct {
	Password Policy                            `json:"password" doc:"Requirements for a new password."`
	Session  Policy                            `json:"session" doc:"Lifetime of a new session."`
	MFA      Policy                            `json:"mfa" doc:"Whether a second factor is required."`
	Lockout  Policy                            `json:"lockout" doc:"When the account is locked."`
	Risk     Policy                            `json:"risk" doc:"How sign-in attempts are scored."`
	Sources  map[policy.Kind]map[string]string `json:"sources" doc:"Source of each value, by policy kind and name: default, instance, or the ID of a workspace."`
}

// effectiveKinds returns the policies that fall on people.
func effectiveKinds() []policy.Kind {
	return []policy.Kind{policy.KindPassword, policy.KindSession, policy.KindMFA, policy.KindLockout, policy.KindRisk}
}

const effectiveGetDescription = "The strictest value of the instance and all of the user's workspaces applies. For another user, only the active " +
	"workspace counts, unless you are a superadmin."

func (s *Service) effectiveGet() command.Definition {
	return command.Define(command.Spec[EffectiveGetParams, EffectiveGetResult]{
		Name:        "POLICY.EFFECTIVE_GET",
		Summary:     "Retrieve the policies in force for a user, with the source of each value.",
		Description: effectiveGetDescription,
		Access:      access.Anybody(),
		InWorkspace: true,
		Effect:      command.Reads,
		Handle: func(ctx context.Context, call command.Call, p EffectiveGetParams) (EffectiveGetResult, error) {
			person, err := s.Readers.WhoseIn(ctx, call.Caller, p.UserID, "policies:read")
			if err != nil {
				return EffectiveGetResult{}, err
			}
			falling, err := s.falling(ctx, call.Caller, person.ID)
			if err != nil {
				return EffectiveGetResult{}, err
			}
			return s.effective(falling)
		},
	})
}

// falling returns the policies of workspaces that fall on somebody, as far as the caller may know.
func (s *Service) falling(ctx context.Context, caller access.Caller, of user.ID) ([]ops.WorkspacePolicy, error) {
	own := caller.Kind != access.App && of == caller.User
	if own || caller.Superadmin {
		return s.Policies.Workspaces.OfUser(ctx, of)
	}
	values, err := s.Policies.Workspaces.OfOrg(ctx, caller.Org)
	return []ops.WorkspacePolicy{{OrgID: caller.Org, Values: values}}, err
}

// effective joins the instance's policies with those of workspaces. A value is of the last
// that made it stricter.
func (s *Service) effective(falling []ops.WorkspacePolicy) (EffectiveGetResult, error) {
	state := s.Policies.Instance.State()
	inForce := state.Policies
	result := EffectiveGetResult{Sources: map[policy.Kind]map[string]string{}}
	for _, kind := range effectiveKinds() {
		values, err := show(kind, inForce)
		if err != nil {
			return result, err
		}
		from := map[string]string{}
		for name := range values {
			from[name] = "default"
			if state.PolicyValues[kind][name] != nil {
				from[name] = "instance"
			}
		}
		result.Sources[kind] = from
	}
	for _, one := range falling {
		own, err := instance.WithPolicies(inForce, one.Values)
		if err != nil {
			return result, err
		}
		stricter := inForce.Stricter(own)
		if err := result.credit(one.OrgID, inForce, stricter); err != nil {
			return result, err
		}
		inForce = stricter
	}
	return result, result.fill(inForce)
}

// credit notes that a workspace made values stricter.
func (r EffectiveGetResult) credit(org workspace.ID, before, after policy.Set) error {
	for kind, from := range r.Sources {
		was, err := show(kind, before)
		if err != nil {
			return err
		}
		is, err := show(kind, after)
		if err != nil {
			return err
		}
		for name := range from {
			if !bytes.Equal(was[name], is[name]) {
				from[name] = org.String()
			}
		}
	}
	return nil
}

// fill shows the policies of a set.
func (r *EffectiveGetResult) fill(set policy.Set) (err error) {
	for kind, into := range map[policy.Kind]*Policy{
		policy.KindPassword: &r.Password, policy.KindSession: &r.Session, policy.KindMFA: &r.MFA, policy.KindLockout: &r.Lockout, policy.KindRisk: &r.Risk,
	} {
		if *into, err = show(kind, set); err != nil {
			return err
		}
	}
	return nil
}

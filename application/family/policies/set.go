package policies

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/patch"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/ops"
)

// errInstance is returned to callers who may not change the instance's policies.
var errInstance = fault.New(fault.Denied, "only superadmins can change the policies of the instance: set org_id to a workspace")

// SetParams are the parameters of POLICY.SET.
type SetParams struct {
	Kind   policy.Kind  `json:"kind" doc:"Kind of the policy."`
	Values Change       `json:"values" doc:"New values by name; the names depend on the kind. Pass null to reset a value to its default. Omitted values do not change."`
	OrgID  workspace.ID `json:"org_id,omitzero" doc:"ID of the workspace whose policy to change: the active one, or any for a superadmin. Omit for the instance, which requires a superadmin." example:"-"`
}

// SetResult is the result of POLICY.SET.
type SetResult struct {
	Policy Policy `json:"policy" doc:"Values in force after the change."`
}

const setDescription = "A workspace policy can only be stricter than the instance policy; where it is not, the instance's value applies. The " +
	"sign-up policy exists for the instance only.\n\n" +
	"Existing sessions keep the policy that they started under. Existing passwords keep the policy that they were set under."

func (s *Service) set() command.Definition {
	return command.Define(command.Spec[SetParams, SetResult]{
		Name:        "POLICY.SET",
		Summary:     "Update a policy of the instance or a workspace.",
		Description: setDescription,
		Access:      access.Holding("policies:write").Recent(),
		Effect:      command.Writes,
		Emits:       []event.Kind{policy.EventUpdated},
		Handle: func(ctx context.Context, call command.Call, p SetParams) (SetResult, error) {
			if err := s.allowed(ctx, call.Caller, p); err != nil {
				return SetResult{}, err
			}
			var result SetResult
			err := s.Unit.Do(ctx, func(tx Repos) (err error) {
				result.Policy, err = s.change(ctx, tx, p)
				return err
			})
			return result, err
		},
	})
}

// change stores the values that differ, and what they were before.
func (s *Service) change(ctx context.Context, tx Repos, p SetParams) (Policy, error) {
	before, err := tx.Policies.Get(ctx, p.OrgID, p.Kind)
	if err != nil {
		return Policy{}, err
	}
	outcome, err := apply(p.Kind, before, p.Values)
	if err != nil {
		return Policy{}, err
	}
	shown, err := s.judge(p, outcome.Values)
	if err != nil || len(outcome.Changed) == 0 {
		return shown, err
	}
	if err := tx.Policies.Set(ctx, p.OrgID, p.Kind, ops.PolicyValues(outcome.Values)); err != nil {
		return Policy{}, err
	}
	change, err := aggregate.Between(string(p.Kind), before, outcome.Values)
	if err != nil {
		return Policy{}, err
	}
	return shown, tx.Events.RecordChange(ctx, policy.Updated{Policy: p.Kind, OrgID: p.OrgID.String(), Set: outcome.Changed}, change)
}

// allowed fails with errInstance, workspace.ErrNotFound or policy.ErrInstanceOnly.
func (s *Service) allowed(ctx context.Context, caller access.Caller, p SetParams) error {
	if p.OrgID == "" {
		if !caller.Superadmin {
			return errInstance
		}
		return nil
	}
	if err := s.visible(ctx, caller, p.OrgID); err != nil {
		return err
	}
	if p.Kind == policy.KindSignup {
		return policy.ErrInstanceOnly
	}
	return nil
}

func apply(kind policy.Kind, before ops.PolicyValues, change Change) (patch.Outcome, error) {
	const place = "/values"
	switch kind {
	case policy.KindPassword:
		return patch.Apply[policy.Password](place, before, patch.Values(change))
	case policy.KindSession:
		return patch.Apply[policy.Session](place, before, patch.Values(change))
	case policy.KindLockout:
		return patch.Apply[policy.Lockout](place, before, patch.Values(change))
	case policy.KindMFA:
		return patch.Apply[policy.MFA](place, before, patch.Values(change))
	case policy.KindRisk:
		return patch.Apply[policy.Risk](place, before, patch.Values(change))
	case policy.KindSignup:
		return patch.Apply[policy.Signup](place, before, patch.Values(change))
	}
	return patch.Outcome{}, fmt.Errorf("unknown policy kind %s", kind)
}

// Change is what is to be set, by name.
type Change map[string]json.RawMessage

// SchemaFragment describes the values of all kinds, or null for each.
func (Change) SchemaFragment() map[string]any {
	password, err1 := patch.Schemas[policy.Password]()
	session, err2 := patch.Schemas[policy.Session]()
	lockout, err3 := patch.Schemas[policy.Lockout]()
	factors, err4 := patch.Schemas[policy.MFA]()
	risk, err6 := patch.Schemas[policy.Risk]()
	signup, err5 := patch.Schemas[policy.Signup]()
	if errors.Join(err1, err2, err3, err4, err5, err6) != nil {
		return map[string]any{"type": "object"}
	}
	published := patch.Published(patch.Values{"min_length": json.RawMessage("12")}, password, session, lockout, factors, risk, signup)
	// Which names are known depends on the kind: apply names them.
	published["additionalProperties"] = true
	return published
}

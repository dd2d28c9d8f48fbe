// Package policies implements the family POLICY: the policies for passwords, sessions,
// lockout, second factors, risk and registration, of the instance and of workspaces.
package policies

import (
	"context"
	"encoding/json"
	"fmt"

	"gatehouse.internal/application/account"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/patch"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/ops"
	"gatehouse.internal/ports/outbound/signin"
	"gatehouse.internal/ports/outbound/workspaces"
)

// Repos holds the repositories of one unit of work.
type Repos struct {
	Policies   ops.Policies
	Workspaces workspaces.Workspaces
	Events     outbound.Events
}

// Service holds the dependencies of the family's commands.
type Service struct {
	Unit     outbound.Unit[Repos]
	Policies account.Policies
	Readers  account.Readers
	// Impacts and Assessments say whom a change touches.
	Impacts     ops.PolicyImpacts
	Assessments signin.AssessmentDirectory
	Clock       outbound.Clock
}

// Commands lists the commands of the family.
func (s *Service) Commands() []command.Definition {
	return []command.Definition{
		s.get(),
		s.set(),
		s.effectiveGet(),
		s.impactGet(),
	}
}

// Policy is a policy in results: its values by name.
type Policy map[string]json.RawMessage

// SchemaFragment describes the policies of all kinds.
func (Policy) SchemaFragment() map[string]any {
	return map[string]any{
		"type": "object", "additionalProperties": map[string]any{
			"type": []any{"integer", "boolean", "array"}, "items": map[string]any{"type": "string"},
		},
		"examples": []any{map[string]any{"min_length": 8, "min_score": 0}},
	}
}

// show returns one policy of a set.
func show(kind policy.Kind, set policy.Set) (Policy, error) {
	var of any
	switch kind {
	case policy.KindPassword:
		of = set.Password
	case policy.KindSession:
		of = set.Session
	case policy.KindLockout:
		of = set.Lockout
	case policy.KindMFA:
		of = set.MFA
	case policy.KindRisk:
		of = set.Risk
	case policy.KindSignup:
		of = set.Signup
	default:
		return nil, fmt.Errorf("unknown policy kind %s", kind)
	}
	values, err := patch.Of(of)
	return Policy(values), err
}

// visible fails with workspace.ErrNotFound unless a workspace is the caller's
// active one, or there is one and the caller a superadmin.
func (s *Service) visible(ctx context.Context, caller access.Caller, org workspace.ID) error {
	switch {
	case org == caller.Org:
		return nil
	case !caller.Superadmin:
		return workspace.ErrNotFound
	}
	return s.Unit.Do(ctx, func(tx Repos) error {
		_, err := tx.Workspaces.ByID(ctx, org)
		return err
	})
}

// Package account creates accounts and validates passwords for sign-up, administrators,
// imports and the first start.
package account

import (
	"context"
	"fmt"
	"strings"
	"time"

	"gatehouse.internal/application/engine/instance"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/impersonation"
	"gatehouse.internal/domain/password"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/crypt"
	"gatehouse.internal/ports/outbound/ops"
)

// Passwords judges and hashes new passwords.
type Passwords struct {
	Hasher   crypt.Passwords
	Strength crypt.PasswordStrength
}

// Judge returns the strength of a password and why it would be refused.
func (p Passwords) Judge(plain secret.String, owner password.Owner, rules policy.Password) (crypt.Strength, []string) {
	plain = password.Normal(plain)
	strength := p.Strength.Estimate(plain, owner.Hints()...)
	judged := password.Judgment{Score: strength.Score, Common: strength.Common}
	return strength, password.Complaints(plain, owner, judged, rules)
}

// Accept hashes a password that fulfills the rules, else it fails with a
// validation fault about the parameter at this path. It takes the time of a
// hash, so call it outside any unit of work.
func (p Passwords) Accept(ctx context.Context, path string, plain secret.String, owner password.Owner, rules policy.Password) (string, error) {
	if _, complaints := p.Judge(plain, owner, rules); len(complaints) > 0 {
		return "", fault.Invalid(path, "the password is "+strings.Join(complaints, ", "))
	}
	hash, err := p.Hasher.Hash(ctx, password.Normal(plain))
	if err != nil {
		return "", fmt.Errorf("hash password: %w", err)
	}
	return hash, nil
}

// Policies finds the policies that apply to an account.
type Policies struct {
	Instance   *instance.Current
	Workspaces ops.WorkspacePolicies
}

// OfUser returns the strictest of the instance's and those of every workspace the
// user belongs to.
func (p Policies) OfUser(ctx context.Context, person user.ID) (policy.Set, error) {
	state := p.Instance.State()
	inForce := state.Policies
	if !state.WorkspacePolicies {
		return inForce, nil
	}
	all, err := p.Workspaces.OfUser(ctx, person)
	if err != nil {
		return inForce, fmt.Errorf("read policies of workspaces: %w", err)
	}
	for _, stored := range all {
		own, err := instance.WithPolicies(inForce, stored.Values)
		if err != nil {
			return inForce, err
		}
		inForce = inForce.Stricter(own)
	}
	return inForce, nil
}

// Fallen returns what ended an impersonation by a moment, the session policy of the person
// included; "" while it stands.
func (p Policies) Fallen(ctx context.Context, s *impersonation.Standing, now time.Time) (impersonation.End, error) {
	if by := s.Fallen(now); by != "" {
		return by, nil
	}
	rules, err := p.OfUser(ctx, s.UserID)
	if err == nil && s.Forbidden(rules.Session, now) {
		return impersonation.ByPolicy, nil
	}
	return "", err
}

// OfOrg returns the strictest of the instance's and one workspace's.
func (p Policies) OfOrg(ctx context.Context, org workspace.ID) (policy.Set, error) {
	state := p.Instance.State()
	inForce := state.Policies
	if !state.WorkspacePolicies {
		return inForce, nil
	}
	stored, err := p.Workspaces.OfOrg(ctx, org)
	if err != nil {
		return inForce, fmt.Errorf("read policies of the workspace: %w", err)
	}
	own, err := instance.WithPolicies(inForce, stored)
	if err != nil {
		return inForce, err
	}
	return inForce.Stricter(own), nil
}

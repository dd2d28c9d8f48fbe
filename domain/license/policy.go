package license

import (
	"time"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/domain/workspace"
)

// MostPolicies is how many license policies a workspace may have.
const MostPolicies = 1000

// Errors of policies.
var (
	ErrNoPolicy   = fault.New(fault.NotFound, "no such license policy")
	ErrPolicyUsed = fault.New(fault.Validation, "the license policy is still used by licenses or products")
	ErrPolicies   = fault.LimitReached("license policy", MostPolicies, "delete unused policies")
)

// PolicySnapshot is the stored state of a policy.
type PolicySnapshot struct {
	ID    product.PolicyID `audit:"id"`
	OrgID workspace.ID
	// ProductID is the product that it is for; empty for any of the workspace.
	ProductID            product.ID      `audit:"product_id"`
	Name                 workspace.Label `audit:"name"`
	Terms                Terms           `audit:"terms"`
	CreatedAt, UpdatedAt time.Time
}

// Policy is the terms that licenses are issued from.
type Policy struct {
	aggregate.Root
	s PolicySnapshot
}

// Draw makes a policy out of a state without times. It fails like Terms.Check.
func Draw(s PolicySnapshot, now time.Time) (*Policy, error) {
	if err := s.Terms.Check(); err != nil {
		return nil, err
	}
	s.CreatedAt, s.UpdatedAt = now, now
	p := &Policy{s: s}
	p.Track(&p.s)
	p.Raise(PolicyCreated{s.ID, s.OrgID, string(s.Name)})
	return p, nil
}

// RestorePolicy returns the policy that was stored.
func RestorePolicy(s PolicySnapshot, version int64) *Policy {
	p := &Policy{Root: aggregate.At(version), s: s}
	p.Track(&p.s)
	return p
}

// Snapshot returns the state to store.
func (p *Policy) Snapshot() PolicySnapshot { return p.s }

// Update puts a name, "" for the one it has, and terms in place of those before. It fails
// like Terms.Check. What stays the same raises nothing.
func (p *Policy) Update(name workspace.Label, t Terms, now time.Time) error {
	if err := t.Check(); err != nil {
		return err
	}
	changed := p.s.Terms.put(t, nil)
	if name != "" && name != p.s.Name {
		p.s.Name = name
		changed = append(changed, "name")
	}
	if changed == nil {
		return nil
	}
	p.s.UpdatedAt = now
	p.Raise(PolicyUpdated{p.s.ID, p.s.OrgID, string(p.s.Name), changed})
	return nil
}

// Delete ends the policy. It is for the store to remove it.
func (p *Policy) Delete() { p.Raise(PolicyDeleted{p.s.ID, p.s.OrgID, string(p.s.Name)}) }

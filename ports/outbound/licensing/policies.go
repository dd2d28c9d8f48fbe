package licensing

import (
	"context"

	"gatehouse.internal/domain/license"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/domain/workspace"
)

// Policies stores license policies, inside a unit of work.
type Policies interface {
	// ByID returns a policy. It fails with license.ErrNoPolicy.
	ByID(ctx context.Context, id product.PolicyID) (*license.Policy, error)
	// Terms returns the terms for issuing licenses. It prevents changes of the policy
	// until the transaction ends, but not other calls of Terms. It fails with
	// license.ErrNoPolicy.
	Terms(ctx context.Context, id product.PolicyID) (license.PolicySnapshot, error)
	// Count returns the number of policies of a workspace. It blocks concurrent calls
	// for the workspace until the transaction ends.
	Count(ctx context.Context, org workspace.ID) (int, error)
	Save(ctx context.Context, p *license.Policy) error
	// Licenses returns and locks at most so many licenses with a policy, in ID order,
	// after one (Licenses.ByID).
	Licenses(ctx context.Context, id product.PolicyID, after license.ID, most int) ([]*license.License, error)
	// Delete deletes a policy. It fails with license.ErrPolicyUsed.
	Delete(ctx context.Context, p *license.Policy) error
}

// PolicyDirectory reads license policies, outside any transaction.
type PolicyDirectory interface {
	// Find returns a policy. It fails with license.ErrNoPolicy.
	Find(ctx context.Context, id product.PolicyID) (license.PolicySnapshot, error)
	// Licenses returns the number of licenses with a policy.
	Licenses(ctx context.Context, id product.PolicyID) (int, error)
	// List returns the policies that match, newest first.
	List(ctx context.Context, query PolicyQuery) ([]license.PolicySnapshot, error)
}

// PolicyQuery narrows a list of policies; zero values do not narrow.
type PolicyQuery struct {
	Org     workspace.ID
	Product product.ID
	// Before is the last ID of the previous page.
	Before product.PolicyID
	Limit  int
}

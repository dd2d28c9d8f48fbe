package licensing

import (
	"context"

	"gatehouse.internal/domain/licence"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/domain/workspace"
)

// Policies stores licence policies, inside a unit of work.
type Policies interface {
	// ByID fails with licence.ErrNoPolicy.
	ByID(ctx context.Context, id product.PolicyID) (*licence.Policy, error)
	// Terms reads what licences are issued by. It holds off whoever changes the policy, but not
	// others who issue. It fails with licence.ErrNoPolicy.
	Terms(ctx context.Context, id product.PolicyID) (licence.PolicySnapshot, error)
	// Count is how many a workspace has. It holds off every other transaction that asks
	// the same until this one ends.
	Count(ctx context.Context, org workspace.ID) (int, error)
	Save(ctx context.Context, p *licence.Policy) error
	// Licences reads licences that have a policy, at most so many that come after one, in their
	// order, each under a lock (Licences.ByID).
	Licences(ctx context.Context, id product.PolicyID, after licence.ID, most int) ([]*licence.Licence, error)
	// Delete fails with licence.ErrPolicyUsed.
	Delete(ctx context.Context, p *licence.Policy) error
}

// PolicyDirectory reads licence policies, outside any transaction.
type PolicyDirectory interface {
	// Find fails with licence.ErrNoPolicy.
	Find(ctx context.Context, id product.PolicyID) (licence.PolicySnapshot, error)
	// Licences is how many licences have a policy.
	Licences(ctx context.Context, id product.PolicyID) (int, error)
	// List returns the policies that match, newest first.
	List(ctx context.Context, query PolicyQuery) ([]licence.PolicySnapshot, error)
}

// PolicyQuery narrows a list of policies; zero values do not narrow.
type PolicyQuery struct {
	Org     workspace.ID
	Product product.ID
	// Before is the last id of the page before.
	Before product.PolicyID
	Limit  int
}

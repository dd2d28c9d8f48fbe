package licensing

import (
	"context"

	"gatehouse.internal/domain/licence"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/domain/workspace"
)

// Policies stores licence policies, inside a unit of work.
type Policies interface {
	// ByID returns a policy. It fails with licence.ErrNoPolicy.
	ByID(ctx context.Context, id product.PolicyID) (*licence.Policy, error)
	// Terms returns the terms for issuing licences. It prevents changes of the policy
	// until the transaction ends, but not other calls of Terms. It fails with
	// licence.ErrNoPolicy.
	Terms(ctx context.Context, id product.PolicyID) (licence.PolicySnapshot, error)
	// Count returns the number of policies of a workspace. It blocks concurrent calls
	// for the workspace until the transaction ends.
	Count(ctx context.Context, org workspace.ID) (int, error)
	Save(ctx context.Context, p *licence.Policy) error
	// Licences returns and locks at most so many licences with a policy, in ID order,
	// after one (Licences.ByID).
	Licences(ctx context.Context, id product.PolicyID, after licence.ID, most int) ([]*licence.Licence, error)
	// Delete deletes a policy. It fails with licence.ErrPolicyUsed.
	Delete(ctx context.Context, p *licence.Policy) error
}

// PolicyDirectory reads licence policies, outside any transaction.
type PolicyDirectory interface {
	// Find returns a policy. It fails with licence.ErrNoPolicy.
	Find(ctx context.Context, id product.PolicyID) (licence.PolicySnapshot, error)
	// Licences returns the number of licences with a policy.
	Licences(ctx context.Context, id product.PolicyID) (int, error)
	// List returns the policies that match, newest first.
	List(ctx context.Context, query PolicyQuery) ([]licence.PolicySnapshot, error)
}

// PolicyQuery narrows a list of policies; zero values do not narrow.
type PolicyQuery struct {
	Org     workspace.ID
	Product product.ID
	// Before is the last ID of the previous page.
	Before product.PolicyID
	Limit  int
}

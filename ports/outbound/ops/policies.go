package ops

import (
	"context"
	"encoding/json"

	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// PolicyValues are the values of a policy that were set, by name, as JSON.
type PolicyValues map[string]json.RawMessage

// Policies stores policies, inside a unit of work. The empty workspace is the
// instance; its changes move the instance revision, and so does the first policy of
// any workspace.
type Policies interface {
	// Get holds off every other transaction that changes a policy until this one
	// ends, so that two changes of one policy do not undo each other.
	Get(ctx context.Context, org workspace.ID, kind policy.Kind) (PolicyValues, error)
	// Set fails with workspace.ErrNotFound.
	Set(ctx context.Context, org workspace.ID, kind policy.Kind, values PolicyValues) error
}

// WorkspacePolicies reads the policies of workspaces, outside any transaction.
type WorkspacePolicies interface {
	// OfUser returns the policies of every workspace that a user belongs to.
	OfUser(ctx context.Context, person user.ID) ([]map[policy.Kind]PolicyValues, error)
	// OfOrg returns the policies of one workspace.
	OfOrg(ctx context.Context, org workspace.ID) (map[policy.Kind]PolicyValues, error)
}

package ops

import (
	"context"
	"encoding/json"
	"time"

	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// PolicyValues are the values set in a policy, by name, as JSON.
type PolicyValues map[string]json.RawMessage

// Policies stores policies, inside a unit of work. The empty workspace is the instance;
// its changes increment the instance revision, and so does the first policy of any
// workspace.
type Policies interface {
	// Get returns and locks the values of a policy until the transaction ends, so that
	// concurrent changes are not lost.
	Get(ctx context.Context, org workspace.ID, kind policy.Kind) (PolicyValues, error)
	// Set stores the values of a policy. It fails with workspace.ErrNotFound.
	Set(ctx context.Context, org workspace.ID, kind policy.Kind, values PolicyValues) error
}

// WorkspacePolicy are the policy values set by a workspace.
type WorkspacePolicy struct {
	OrgID  workspace.ID
	Values map[policy.Kind]PolicyValues
}

// Touched are people affected by a change: their number, and some of them.
type Touched struct {
	Count    int
	Examples []user.ID
}

// PolicyImpacts finds people affected by a change of a policy, outside any transaction:
// members of a workspace, or everybody for the empty one.
type PolicyImpacts interface {
	// WithoutFactor returns those with neither a second factor nor a passkey.
	WithoutFactor(ctx context.Context, org workspace.ID) (Touched, error)
	// WithDevice returns those with a device remembered before a time.
	WithDevice(ctx context.Context, org workspace.ID, before, now time.Time) (Touched, error)
	// WithSession returns those with a live session that began, or was last used,
	// before a time.
	WithSession(ctx context.Context, org workspace.ID, begun, used, now time.Time) (Touched, error)
	// WithPassword returns those with a password.
	WithPassword(ctx context.Context, org workspace.ID) (Touched, error)
	// WithFailures returns those with at least so many failed logins since a time.
	WithFailures(ctx context.Context, org workspace.ID, least int, since time.Time) (Touched, error)
	// Unproved returns those whose address is not verified.
	Unproved(ctx context.Context) (Touched, error)
}

// WorkspacePolicies reads the policies of workspaces, outside any transaction.
type WorkspacePolicies interface {
	// OfUser returns the policies of all workspaces of a user that have some.
	OfUser(ctx context.Context, person user.ID) ([]WorkspacePolicy, error)
	// OfOrg returns the policies of a workspace.
	OfOrg(ctx context.Context, org workspace.ID) (map[policy.Kind]PolicyValues, error)
}

package ops

import (
	"context"
	"encoding/json"
	"time"

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

// WorkspacePolicy is what a workspace set of its policies.
type WorkspacePolicy struct {
	OrgID  workspace.ID
	Values map[policy.Kind]PolicyValues
}

// Touched are people whom a change would touch: how many, and some of them.
type Touched struct {
	Count    int
	Examples []user.ID
}

// PolicyImpacts finds people whom a change of a policy would touch, outside any transaction:
// those of a workspace, or of the instance for the empty one.
type PolicyImpacts interface {
	// WithoutFactor returns those who have neither a second factor nor a passkey.
	WithoutFactor(ctx context.Context, org workspace.ID) (Touched, error)
	// WithDevice returns those who had a device remembered before a time.
	WithDevice(ctx context.Context, org workspace.ID, before, now time.Time) (Touched, error)
	// WithSession returns those with a live session that began, or was last used, before a time.
	WithSession(ctx context.Context, org workspace.ID, begun, used, now time.Time) (Touched, error)
	// WithPassword returns those who have a password.
	WithPassword(ctx context.Context, org workspace.ID) (Touched, error)
	// WithFailures returns those of whom at least so many logins failed since a time.
	WithFailures(ctx context.Context, org workspace.ID, least int, since time.Time) (Touched, error)
	// Unproved returns those whose address is not verified.
	Unproved(ctx context.Context) (Touched, error)
}

// WorkspacePolicies reads the policies of workspaces, outside any transaction.
type WorkspacePolicies interface {
	// OfUser returns the policies of every workspace that a user belongs to and that has some.
	OfUser(ctx context.Context, person user.ID) ([]WorkspacePolicy, error)
	// OfOrg returns the policies of one workspace.
	OfOrg(ctx context.Context, org workspace.ID) (map[policy.Kind]PolicyValues, error)
}

package outbound

import (
	"context"
	"encoding/json"
	"time"

	"gatehouse.internal/domain/login"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/signingkey"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// Instance reads what holds for the whole instance, at one revision.
type Instance interface {
	Load(ctx context.Context) (InstanceState, error)
}

// InstanceState is the stored configuration of the instance.
type InstanceState struct {
	Revision int64
	// Settings are the values that were set, by name, as JSON.
	Settings map[string]json.RawMessage
	Limits   []TunedLimit
	// Policies are the instance's values that were set, by kind.
	Policies map[policy.Kind]PolicyValues
	// WorkspacePolicies tells that there may be workspaces with policies of their own.
	WorkspacePolicies bool
	// Keys is nil before the first start.
	Keys  *signingkey.Ring
	Spike login.Spike
}

// PolicyValues are the values of a policy that were set, by name, as JSON.
type PolicyValues map[string]json.RawMessage

// Settings stores runtime settings, inside a unit of work. Each change moves
// the instance revision.
type Settings interface {
	// Set stores values by name; a nil value goes back to the default.
	Set(ctx context.Context, values map[string]json.RawMessage) error
}

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
	// OfUser gives the policies of every workspace that a user belongs to.
	OfUser(ctx context.Context, person user.ID) ([]map[policy.Kind]PolicyValues, error)
	// OfOrg gives the policies of one workspace.
	OfOrg(ctx context.Context, org workspace.ID) (map[policy.Kind]PolicyValues, error)
}

// KeyRing stores the signing keys, sealed, inside a unit of work. Each change
// moves the instance revision.
type KeyRing interface {
	// Load gives nil when there is no ring yet.
	Load(ctx context.Context) (*signingkey.Ring, error)
	Save(ctx context.Context, ring *signingkey.Ring) error
}

// LoginFailures counts failing logins over all addresses, inside a unit of work.
type LoginFailures interface {
	// Count adds one failure to the minute and gives its total.
	Count(ctx context.Context, minute time.Time) (int, error)
	// Total sums the failures of past minutes in [from, to).
	Total(ctx context.Context, from, to time.Time) (int, error)
	// Spike reads the guard, and holds off every other transaction that does so
	// until this one ends.
	Spike(ctx context.Context) (login.Spike, error)
	// SetSpike stores the guard; this moves the instance revision.
	SetSpike(ctx context.Context, spike login.Spike) error
}

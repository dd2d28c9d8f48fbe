package ops

import (
	"context"
	"encoding/json"

	"gatehouse.internal/domain/login"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/signingkey"
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
	// WorkspacePolicies reports whether there may be workspaces with policies of their own.
	WorkspacePolicies bool
	// Keys is nil before the first start.
	Keys  *signingkey.Ring
	Spike login.Spike
	// IPRules tells when rules about addresses changed.
	IPRules IPRuleMarks
	// Flows tells when the flows that are in force changed.
	Flows FlowMarks
}

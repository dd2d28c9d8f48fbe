package ops

import (
	"context"
	"encoding/json"

	"gatehouse.internal/domain/loginevent"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/signingkey"
)

// Instance reads the configuration of the instance, at one revision.
type Instance interface {
	Load(ctx context.Context) (InstanceState, error)
}

// InstanceState is the stored configuration of the instance.
type InstanceState struct {
	Revision int64
	// Settings are the values set, by name, as JSON.
	Settings map[string]json.RawMessage
	Limits   []TunedLimit
	// Policies are the policy values set for the instance, by kind.
	Policies map[policy.Kind]PolicyValues
	// WorkspacePolicies reports whether there may be workspaces with their own
	// policies.
	WorkspacePolicies bool
	// Keys is nil before the first start.
	Keys  *signingkey.Ring
	Spike loginevent.Spike
	// IPRules are the revisions of the last changes of IP rules.
	IPRules IPRuleMarks
	// Flows are the revisions of the last changes of active flows.
	Flows FlowMarks
}

package flows

import (
	"encoding/json"
	"time"

	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/user"
)

// Run is a run of a flow in results.
type Run struct {
	ID        flow.RunID    `json:"id" doc:"ID of the run."`
	Name      flow.Name     `json:"name" doc:"Name of the flow."`
	Version   int           `json:"version" doc:"Version of the flow that decided."`
	Scope     flow.Scope    `json:"scope" doc:"Owner of the flow: the instance or a workspace."`
	Trigger   flow.Trigger  `json:"trigger" doc:"Trigger that the flow decided about."`
	UserID    user.ID       `json:"user_id,omitzero" doc:"Account that the run was about. Omitted if none was known."`
	Decision  flow.Decision `json:"decision" doc:"Decision of the flow."`
	Reason    string        `json:"reason" doc:"Reason for a denial. May be empty."`
	Node      string        `json:"node" doc:"ID of the node that denied. Empty if none did."`
	Claims    []string      `json:"claims" doc:"Names of the claims that the flow set."`
	MS        float64       `json:"ms" doc:"Total duration of the nodes. Milliseconds."`
	CreatedAt time.Time     `json:"created_at" doc:"Time of the run."`
}

func showRun(r flow.Run) Run {
	shown := Run{
		ID: r.ID, Name: r.Name, Version: r.Version, Scope: flow.Workspace, Trigger: r.Trigger, UserID: r.User, Decision: r.Decision,
		Reason: r.Content.Reason, Node: r.Content.Node, Claims: r.Content.Claims, MS: ms(r.Took), CreatedAt: r.At,
	}
	if r.OrgID == "" {
		shown.Scope = flow.Instance
	}
	if shown.Claims == nil {
		shown.Claims = []string{}
	}
	return shown
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// redacted returns the context of a run without personal data beyond who somebody is.
func redacted(context map[string]json.RawMessage) map[string]map[string]any {
	hidden := map[string][]string{"ip": {"address"}, "user_agent": {"raw"}, "user": {"metadata", "email_domain"}}
	shown := map[string]map[string]any{}
	for name, text := range context {
		var object map[string]any
		if json.Unmarshal(text, &object) != nil {
			continue
		}
		for _, field := range hidden[name] {
			delete(object, field)
		}
		shown[name] = object
	}
	return shown
}

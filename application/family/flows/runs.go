package flows

import (
	"encoding/json"
	"time"

	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/user"
)

// Run is a run of a flow in results.
type Run struct {
	ID        flow.RunID    `json:"id" doc:"Identifier."`
	Name      flow.Name     `json:"name" doc:"The flow."`
	Version   int           `json:"version" doc:"The version that decided."`
	Scope     flow.Scope    `json:"scope" doc:"Whose flow it is."`
	Trigger   flow.Trigger  `json:"trigger" doc:"What it decided about."`
	UserID    user.ID       `json:"user_id,omitzero" doc:"Whom it was about; absent where nobody was known."`
	Decision  flow.Decision `json:"decision" doc:"What it came to."`
	Reason    string        `json:"reason" doc:"Why it denied, or empty."`
	Node      string        `json:"node" doc:"The node that denied, or empty."`
	Claims    []string      `json:"claims" doc:"Names of the claims that it set."`
	MS        float64       `json:"ms" doc:"How long its nodes took together, in milliseconds."`
	CreatedAt time.Time     `json:"created_at" doc:"When it was."`
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

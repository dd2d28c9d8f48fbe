package m2m

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"gatehouse.internal/application/flow/live"
	"gatehouse.internal/application/flow/plan"
	"gatehouse.internal/domain/app"
)

// decide has flows decide about an app that was proved, before it gets a token. It fails with
// FLOW_BLOCKED.
func (s *Service) decide(ctx context.Context, of app.Snapshot, scope string) (live.Verdict, error) {
	if live.Trigger(ctx) == "" {
		return live.Verdict{}, nil
	}
	verdict, err := live.DecideAlone(ctx, live.Subject{Org: of.OrgID, Facts: func(needs func(string) bool) (map[string]any, error) {
		org, err := live.FindOrg(ctx, of.OrgID, needs)
		return map[string]any{
			"client": map[string]any{"id": of.Slug, "type": string(of.Type)}, "scopes": plan.Anys(strings.Fields(scope)),
			"method": "client", "org": org,
		}, err
	}})
	if err == nil {
		err = verdict.Err()
	}
	return verdict, err
}

// joined returns the claims of an app with those that flows set besides.
func joined(own map[string]jsontext.Value, set map[string]json.RawMessage) map[string]jsontext.Value {
	all := make(map[string]jsontext.Value, len(own)+len(set))
	for name, value := range set {
		all[name] = jsontext.Value(value)
	}
	for name, value := range own {
		all[name] = value
	}
	return all
}

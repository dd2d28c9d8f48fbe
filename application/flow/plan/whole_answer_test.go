package plan_test

import (
	"encoding/json"
	"testing"

	"gatehouse.internal/application/flow/plan"
	"gatehouse.internal/domain/flow"
)

// An answer that makes no sense in one claim sets none of the others.
func TestAnAnswerIsTakenWhole(t *testing.T) {
	t.Parallel()
	made := compile(t, flow.Login, line(flow.Node{
		ID: "hook", Type: "webhook_check", Config: flow.Config{"url": "https://hooks.example.com/x", "on_error": "allow"},
	}))
	facts, _ := plan.Read(flow.Login, map[string]any{}, still{}.Now())
	claims := map[string]json.RawMessage{"sub": json.RawMessage(`"root"`)}
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g"} {
		claims[name] = json.RawMessage(`1`)
	}
	server := &outside{answer: plan.Answer{Decision: "allow", Claims: claims}}
	for range 20 {
		ended, err := made.Begin().Go(t.Context(), plan.Whole, facts, server, still{})
		if err != nil || ended.Outcome.Denied || len(ended.Outcome.Demand.Claims) > 0 {
			t.Fatalf("%v, %+v", err, ended.Outcome)
		}
	}
}

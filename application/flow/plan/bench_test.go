package plan_test

import (
	"testing"

	"gatehouse.internal/application/flow/plan"
	"gatehouse.internal/domain/flow"
)

// BenchmarkRun runs ten nodes, of which three are conditions.
func BenchmarkRun(b *testing.B) {
	g := line(
		flow.Node{ID: "a", Type: "condition", Config: flow.Config{"expression": "'member' in user.roles"}},
		flow.Node{ID: "b", Type: "log", Config: flow.Config{"message": "x"}},
		flow.Node{ID: "c", Type: "condition", Config: flow.Config{"expression": "now - user.created_at < duration('72h')"}},
		flow.Node{ID: "d", Type: "ip_denylist", Config: flow.Config{"cidrs": []any{"192.0.2.0/24"}}},
		flow.Node{ID: "e", Type: "condition", Config: flow.Config{"expression": "user.email_domain.endsWith('.com')"}},
		flow.Node{ID: "f", Type: "risk_score", Config: flow.Config{"at_least": 70}},
		flow.Node{ID: "g", Type: "require_mfa"}, flow.Node{ID: "h", Type: "log", Config: flow.Config{"message": "y"}}, flow.Node{ID: "i", Type: "allow"},
	)
	for i, when := range []string{"", "true", "", "true", "false", "true", "false", "", ""} {
		g.Edges[i].When = when
	}
	made, found := judge(b, flow.Login, g)
	if found != nil {
		b.Fatal(found)
	}
	facts, _ := plan.Read(flow.Login, map[string]any{}, still{}.Now())
	for b.Loop() {
		ended, err := made.Begin().Go(b.Context(), plan.Whole, facts, nil, still{})
		if err != nil || len(ended.Outcome.Trace) != 10 {
			b.Fatal(err, ended.Outcome)
		}
	}
}

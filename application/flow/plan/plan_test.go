package plan_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/adapters/expression"
	"gatehouse.internal/application/expressions"
	"gatehouse.internal/application/flow/plan"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/iprule"
	"gatehouse.internal/domain/limit"
)

// still is a clock that stands at a Monday noon.
type still struct{}

func (still) Now() time.Time { return time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC) }

// outside is what nodes reach: it counts by key, and answers as it is told.
type outside struct {
	counts map[string]int
	answer plan.Answer
	err    error
}

func (o *outside) Count(_ context.Context, node, key string, rule limit.Rule) (bool, error) {
	if o.counts == nil {
		o.counts = map[string]int{}
	}
	o.counts[node+" "+key]++
	return o.counts[node+" "+key] > rule.Limit, o.err
}

// Listed knows one list.
func (o *outside) Listed(_ context.Context, list iprule.List, address netip.Addr) (bool, error) {
	return list == "partners" && address == netip.MustParseAddr("203.0.113.7"), nil
}

func (o *outside) Ask(context.Context, string, plan.Hook, plan.Facts) (plan.Answer, error) {
	return o.answer, o.err
}

// judge compiles a graph, and returns what is wrong with it.
func judge(t testing.TB, on flow.Trigger, g flow.Graph) (*plan.Plan, []fault.Field) {
	t.Helper()
	made, found, err := plan.Compiler{Expressions: &expressions.Compiler{}, Language: expression.Costing(10_000)}.Compile(t.Context(), "", on, g)
	if err != nil {
		t.Fatal(err)
	}
	return made, found
}

func compile(t *testing.T, on flow.Trigger, g flow.Graph) *plan.Plan {
	t.Helper()
	made, found := judge(t, on, g)
	if found != nil {
		t.Fatalf("the graph is refused: %v", found)
	}
	return made
}

// decide runs a graph over a context.
func decide(t *testing.T, on flow.Trigger, g flow.Graph, given map[string]any, effects plan.Effects) flow.Outcome {
	t.Helper()
	facts, found := plan.Read(on, given, still{}.Now())
	if found != nil {
		t.Fatalf("the context is refused: %v", found)
	}
	ended, err := compile(t, on, g).Begin().Go(t.Context(), plan.Whole, facts, effects, still{})
	if err != nil {
		t.Fatal(err)
	}
	return ended.Outcome
}

type object = map[string]any

// line is a graph of start and nodes one after the other.
func line(nodes ...flow.Node) flow.Graph {
	g := flow.Graph{Nodes: append([]flow.Node{{ID: "start", Type: "start"}}, nodes...)}
	for i := range nodes {
		g.Edges = append(g.Edges, flow.Edge{From: g.Nodes[i].ID, To: g.Nodes[i+1].ID})
	}
	return g
}

func TestTemplatesDoWhatTheySay(t *testing.T) {
	t.Parallel()
	day := 24 * time.Hour
	ago := func(d time.Duration) string { return still{}.Now().Add(-d).Format(time.RFC3339) }
	night := object{"now": "2026-11-23T03:00:00Z"}
	tests := map[string][]struct {
		given  object
		want   flow.Decision
		demand func(flow.Demand) bool
	}{
		"force-mfa-for-role":       {{object{"user": object{"roles": []any{"admin"}}}, flow.RequireMFA, nil}, {object{}, flow.Allow, nil}},
		"office-hours":             {{night, flow.Deny, nil}, {object{}, flow.Allow, nil}, {object{"now": "2026-11-23T03:00:00Z", "ip": object{"address": "192.0.2.9"}}, flow.Allow, nil}, {object{"now": "2026-11-22T12:00:00Z"}, flow.Deny, nil}},
		"office-addresses":         {{object{}, flow.Deny, nil}, {object{"ip": object{"address": "2001:db8::1"}}, flow.Allow, nil}, {object{"ip": object{"address": "::ffff:192.0.2.1"}}, flow.Allow, nil}},
		"deny-high-risk":           {{object{"risk": object{"score": 70.0}}, flow.Deny, nil}, {object{"risk": object{"score": 30.0}}, flow.RequireMFA, nil}, {object{"risk": object{"score": 29.0}}, flow.Allow, nil}},
		"challenge-new-devices":    {{object{}, flow.RequireMFA, nil}, {object{"device": object{"known": true}}, flow.Allow, nil}},
		"block-disposable-domains": {{object{"user": object{"email_domain": "yopmail.com"}}, flow.Deny, nil}, {object{}, flow.Allow, nil}},
		"partner-domains":          {{object{"user": object{"email_domain": "else.example"}}, flow.Deny, nil}, {object{"user": object{"email_domain": "partner.example"}}, flow.Allow, nil}},
		"step-up-old-sessions":     {{object{}, flow.RequireMFA, func(d flow.Demand) bool { return d.FreshSeconds == 86400 }}},
		"quarantine-new-accounts": {
			{object{"user": object{"created_at": ago(2 * day)}}, flow.Allow, func(d flow.Demand) bool {
				return string(d.Claims["quarantined"]) == "true" && d.IdleMinutes == 15 && d.AbsoluteMinutes == 60
			}},
			{object{"user": object{"created_at": ago(4 * day)}}, flow.Allow, func(d flow.Demand) bool { return len(d.Claims) == 0 && d.IdleMinutes == 0 }},
		},
		"slow-down-addresses": {{object{}, flow.Allow, nil}},
	}
	for _, template := range plan.Templates() {
		cases := tests[string(template.Name)]
		if cases == nil {
			t.Errorf("no test shows the point of %s", template.Name)
		}
		for i, c := range cases {
			got := decide(t, template.Trigger, template.Graph, c.given, &outside{})
			if got.Decision() != c.want || c.demand != nil && !c.demand(got.Demand) {
				t.Errorf("%s %d: %s %+v, want %s", template.Name, i, got.Decision(), got, c.want)
			}
		}
	}
	slow, counting := plan.Templates()[9], &outside{}
	for i := range 21 {
		if got := decide(t, slow.Trigger, slow.Graph, object{}, counting); (got.Decision() == flow.Deny) != (i == 20) {
			t.Errorf("call %d: %s", i, got.Decision())
		}
	}
}

func TestEveryKindHasAnExampleThatFits(t *testing.T) {
	t.Parallel()
	for _, k := range plan.Kinds() {
		if err := k.Config.Check(); err != nil {
			t.Error(k.Type, err)
		}
		g := line(flow.Node{ID: "x", Type: k.Type, Config: k.Example})
		if k.Type == "start" {
			g = line()
		}
		compile(t, flow.Login, g)
	}
}

func TestCompileReportsAllErrors(t *testing.T) {
	t.Parallel()
	g := flow.Graph{
		Nodes: []flow.Node{
			{ID: "start", Type: "start"},
			{ID: "start2", Type: "start"},
			{ID: "a", Type: "condition", Config: flow.Config{"expression": "user.nothing"}},
			{ID: "a", Type: "allow"},
			{ID: "b", Type: "teleport"},
			{ID: "c", Type: "deny", Config: flow.Config{"reason": 1}},
			{ID: "d", Type: "condition", Config: flow.Config{"expression": "user.id"}},
			{ID: "e", Type: "set_claim", Config: flow.Config{"name": "sub", "expression": "'x'"}},
			{ID: "f", Type: "ip_allowlist", Config: flow.Config{"cidrs": []any{"300.1.1.1"}}},
			{ID: "g", Type: "rate_limit", Config: flow.Config{"key": "expression", "limit": 1, "window_seconds": 1}},
			{ID: "h", Type: "log", Config: flow.Config{"message": "x", "more": 1}},
		},
		Edges: []flow.Edge{
			{From: "start", To: "nobody"}, {From: "start", To: "a"}, {From: "c", To: "d"}, {From: "d", To: "h", When: "maybe"}, {From: "h", To: "d"}, {From: "d", To: "start"},
		},
	}
	_, found := judge(t, flow.Login, g)
	var paths []string
	for _, f := range found {
		paths = append(paths, f.Path)
	}
	for _, want := range []string{
		"/nodes/1/type", "/nodes/2/config/expression", "/nodes/3/id", "/nodes/4/type", "/nodes/5/config/reason", "/nodes/6/config/expression",
		"/nodes/7/config/name", "/nodes/8/config/cidrs/0", "/nodes/9/config/expression", "/nodes/10/config/more",
		"/edges/0/to", "/edges/1/when", "/edges/2/from", "/edges/3/when", "/edges/5/to", "/edges",
	} {
		if !slices.Contains(paths, want) {
			t.Errorf("nothing is said of %s; %v", want, found)
		}
	}
	if !slices.ContainsFunc(found, func(f fault.Field) bool { return strings.Contains(f.Message, "form a cycle") }) {
		t.Errorf("the circle is not told: %v", found)
	}
}

func TestGraphsAreBounded(t *testing.T) {
	t.Parallel()
	many := make([]flow.Node, 64)
	for i := range many {
		many[i] = flow.Node{ID: fmt.Sprint("n", i), Type: "log", Config: flow.Config{"message": "x"}}
	}
	if _, found := judge(t, flow.Login, line(many...)); len(found) != 1 || found[0].Path != "/nodes" {
		t.Errorf("65 nodes: %v", found)
	}
	compile(t, flow.Login, line(many[1:]...))
	for name, g := range map[string]flow.Graph{
		"unreachable": {Nodes: []flow.Node{{ID: "start", Type: "start"}, {ID: "x", Type: "allow"}}},
		"no start":    {Nodes: []flow.Node{{ID: "x", Type: "allow"}}},
		"nothing":     {},
	} {
		if _, found := judge(t, flow.Login, g); len(found) != 1 {
			t.Errorf("%s: %v", name, found)
		}
	}
}

func TestExpressionsAreBounded(t *testing.T) {
	t.Parallel()
	if _, found := judge(t, flow.Login, line(flow.Node{ID: "x", Type: "condition", Config: flow.Config{"expression": "'a'.matches(user.id)"}})); found == nil {
		t.Error("a regular expression that is made while it runs is let through")
	}
	costly := "user.groups.all(a, user.groups.all(b, user.groups.all(c, a + b + c != 'x')))"
	groups := make([]any, 50)
	for i := range groups {
		groups[i] = fmt.Sprint(i)
	}
	got := decide(t, flow.Login, line(flow.Node{ID: "x", Type: "condition", Config: flow.Config{"expression": costly}}), object{"user": object{"groups": groups}}, nil)
	if got.Decision() != flow.Deny || got.Reason != flow.Failed || got.Node != "x" {
		t.Errorf("an expression that costs too much: %+v, want it to fail closed", got)
	}
	got = decide(t, flow.Login, line(flow.Node{ID: "x", Type: "condition", Config: flow.Config{"expression": "user.metadata.plan == 'pro'"}}), object{}, nil)
	if got.Reason != flow.Failed {
		t.Errorf("an expression that reads what is not there: %+v", got)
	}
	if _, found := judge(t, flow.M2MToken, line(flow.Node{ID: "x", Type: "risk_score", Config: flow.Config{"at_least": 1}})); found == nil {
		t.Error("a node reads what its trigger does not have")
	}
}

func TestARunStopsBeforeWhatNeedsAnAccount(t *testing.T) {
	t.Parallel()
	g := line(
		flow.Node{ID: "count", Type: "rate_limit", Config: flow.Config{"key": "ip", "limit": 1, "window_seconds": 60}},
		flow.Node{ID: "who", Type: "condition", Config: flow.Config{"expression": "user.mfa_enrolled"}},
	)
	g.Edges[1].When = "false"
	made, counting := compile(t, flow.Login, g), &outside{}
	facts, _ := plan.Read(flow.Login, object{}, still{}.Now())
	early, err := made.Begin().Go(t.Context(), plan.Early, facts, counting, still{})
	if err != nil || early.Done || fmt.Sprint(early.Outcome.Path()) != "[start count]" {
		t.Fatalf("early: %+v, %v", early.Outcome, err)
	}
	for range 2 { // a unit of work may run twice
		whole, err := early.Go(t.Context(), plan.Whole, facts, counting, still{})
		if err != nil || !whole.Done || fmt.Sprint(whole.Outcome.Path()) != "[start count who]" {
			t.Errorf("whole: %+v, %v", whole.Outcome, err)
		}
	}
	if counting.counts["count ip:203.0.113.7"] != 1 {
		t.Errorf("counted %v, want once", counting.counts)
	}
	if !made.Needs("user") || !made.Needs("user.mfa_enrolled") || made.Needs("history") || made.Needs("risk") {
		t.Error("the plan does not know what it reads")
	}
}

func TestWebhookCheck(t *testing.T) {
	t.Parallel()
	hook := func(onError string, edges ...flow.Edge) flow.Graph {
		g := line(flow.Node{ID: "hook", Type: "webhook_check", Config: flow.Config{"url": "https://hooks.example.com/x", "on_error": onError}})
		for _, e := range edges {
			g.Nodes = append(g.Nodes, flow.Node{ID: e.To, Type: "deny", Config: flow.Config{"reason": e.To}})
			g.Edges = append(g.Edges, e)
		}
		return g
	}
	broken := errors.New("no answer")
	tests := map[string]struct {
		graph  flow.Graph
		answer plan.Answer
		err    error
		denied bool
		reason string
	}{
		"allowed":             {hook("deny"), plan.Answer{Decision: "allow"}, nil, false, ""},
		"denied":              {hook("allow"), plan.Answer{Decision: "deny", Reason: "no"}, nil, true, "no"},
		"denied, by an edge":  {hook("allow", flow.Edge{From: "hook", To: "own", When: "deny"}), plan.Answer{Decision: "deny"}, nil, true, "own"},
		"broken, closed":      {hook("deny"), plan.Answer{}, broken, true, flow.Failed},
		"broken, open":        {hook("allow"), plan.Answer{}, broken, false, ""},
		"broken, by an edge":  {hook("allow", flow.Edge{From: "hook", To: "down", When: "error"}), plan.Answer{}, broken, true, "down"},
		"nonsense":            {hook("deny"), plan.Answer{Decision: "perhaps"}, nil, true, flow.Failed},
		"a claim of tokens":   {hook("deny"), plan.Answer{Decision: "allow", Claims: map[string]json.RawMessage{"sub": json.RawMessage(`"x"`)}}, nil, true, flow.Failed},
		"reason without end":  {hook("deny"), plan.Answer{Decision: "deny", Reason: strings.Repeat("x", 201)}, nil, true, flow.Failed},
		"a claim of its own":  {hook("deny"), plan.Answer{Decision: "allow", Claims: map[string]json.RawMessage{"tier": json.RawMessage(`"x"`)}}, nil, false, ""},
		"more than 4 KiB set": {hook("deny"), plan.Answer{Decision: "allow", Claims: map[string]json.RawMessage{"tier": json.RawMessage(`"` + strings.Repeat("x", 5000) + `"`)}}, nil, true, flow.Failed},
	}
	for name, tt := range tests {
		got := decide(t, flow.Login, tt.graph, object{}, &outside{answer: tt.answer, err: tt.err})
		if got.Denied != tt.denied || got.Reason != tt.reason {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

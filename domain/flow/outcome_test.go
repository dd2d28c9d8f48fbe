package flow_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/flow"
)

// Every pair of decisions: of two demands together the stricter one decides, in whatever order they come,
// and a denial over all.
func TestDecisions(t *testing.T) {
	t.Parallel()
	demands := map[flow.Decision]flow.Demand{
		flow.Allow: {}, flow.RequireAction: {Actions: []string{"verify_email"}}, flow.RequireMFA: {MFA: true},
	}
	strictness := []flow.Decision{flow.Allow, flow.RequireAction, flow.RequireMFA, flow.Deny}
	for one, first := range demands {
		for other, second := range demands {
			want := strictness[max(slices.Index(strictness, one), slices.Index(strictness, other))]
			if got := first.And(second).Decision(); got != want {
				t.Errorf("%s and %s: got %s, want %s", one, other, got, want)
			}
			if got := (flow.Outcome{Denied: true, Demand: first.And(second)}).Decision(); got != flow.Deny {
				t.Errorf("%s and %s, denied: got %s, want %s", one, other, got, flow.Deny)
			}
		}
		if got := (flow.Outcome{Demand: first}).Decision(); got != one {
			t.Errorf("the outcome of %s: got %s", one, got)
		}
	}
}

// Two demands together never demand less than one of them does.
func TestAndNeverLoosens(t *testing.T) {
	t.Parallel()
	gold, silver := json.RawMessage(`"gold"`), json.RawMessage(`"silver"`)
	for name, c := range map[string]struct{ one, other, want flow.Demand }{
		"nothing": {flow.Demand{}, flow.Demand{}, flow.Demand{Claims: map[string]json.RawMessage{}}},
		"methods of both": {
			flow.Demand{MFA: true, Methods: []string{"totp", "passkey"}, FreshSeconds: 60},
			flow.Demand{MFA: true, Methods: []string{"passkey", "email"}, FreshSeconds: 30},
			flow.Demand{MFA: true, Methods: []string{"passkey"}, FreshSeconds: 30, Claims: map[string]json.RawMessage{}},
		},
		"methods of one, any of the other": {
			flow.Demand{MFA: true},
			flow.Demand{MFA: true, Methods: []string{"passkey"}, FreshSeconds: 30},
			flow.Demand{MFA: true, Methods: []string{"passkey"}, FreshSeconds: 30, Claims: map[string]json.RawMessage{}},
		},
		"actions of both, each once": {
			flow.Demand{Actions: []string{"a", "b"}},
			flow.Demand{Actions: []string{"b", "c"}},
			flow.Demand{Actions: []string{"a", "b", "c"}, Claims: map[string]json.RawMessage{}},
		},
		"the shorter limits, the first claims": {
			flow.Demand{IdleMinutes: 5, Claims: map[string]json.RawMessage{"tier": gold}},
			flow.Demand{IdleMinutes: 9, AbsoluteMinutes: 60, Claims: map[string]json.RawMessage{"tier": silver, "team": silver}},
			flow.Demand{IdleMinutes: 5, AbsoluteMinutes: 60, Claims: map[string]json.RawMessage{"tier": gold, "team": silver}},
		},
	} {
		if got := c.one.And(c.other); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: And() = %+v, want %+v", name, got, c.want)
		}
	}
}

// And leaves both demands as they were.
func TestAndLeavesBothDemandsUnchanged(t *testing.T) {
	t.Parallel()
	one := flow.Demand{Actions: append(make([]string, 0, 9), "a"), Methods: []string{"totp", "passkey"}}
	other := flow.Demand{Actions: []string{"b"}, Methods: []string{"passkey"}, Claims: map[string]json.RawMessage{"x": nil}}
	both := one.And(other)
	both.Claims["y"] = nil
	both.Actions[0] = "changed"
	if one.Actions[0] != "a" || !slices.Equal(one.Methods, []string{"totp", "passkey"}) || len(other.Claims) != 1 {
		t.Errorf("And() changed what it joined: got %+v and %+v", one, other)
	}
}

// Two demands that accept no method in common are met by nothing, rather than by anything.
func TestImpossible(t *testing.T) {
	t.Parallel()
	totp, passkey := flow.Demand{MFA: true, Methods: []string{"totp"}}, flow.Demand{MFA: true, Methods: []string{"passkey"}}
	for name, c := range map[string]struct {
		demand     flow.Demand
		impossible bool
		takes      bool
	}{
		"any method":           {flow.Demand{MFA: true}, false, true},
		"its method":           {totp, false, true},
		"another method":       {passkey, false, false},
		"none in common":       {totp.And(passkey), true, false},
		"none, but not asked":  {flow.Demand{Methods: []string{}}, false, false},
		"nothing asked at all": {flow.Demand{}, false, true},
	} {
		text, err := json.Marshal(c.demand)
		if err != nil {
			t.Fatal(err)
		}
		var stored flow.Demand
		if err := json.Unmarshal(text, &stored); err != nil {
			t.Fatal(err)
		}
		for how, demand := range map[string]flow.Demand{"as made": c.demand, "as stored": stored} {
			if got := demand.Impossible(); got != c.impossible {
				t.Errorf("%s, %s: Impossible() = %v, want %v", name, how, got, c.impossible)
			}
			if got := demand.Takes("totp"); got != c.takes {
				t.Errorf("%s, %s: Takes(totp) = %v, want %v", name, how, got, c.takes)
			}
		}
	}
}

func TestShorter(t *testing.T) {
	t.Parallel()
	for pair, want := range map[[2]int]int{{0, 0}: 0, {0, 5}: 5, {5, 0}: 5, {5, 9}: 5, {9, 5}: 5, {5, 5}: 5} {
		if got := flow.Shorter(pair[0], pair[1]); got != want {
			t.Errorf("Shorter(%d, %d) = %d, want %d", pair[0], pair[1], got, want)
		}
	}
}

func TestPlain(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		outcome flow.Outcome
		want    bool
	}{
		"nothing":      {flow.Outcome{Demand: flow.Demand{Claims: map[string]json.RawMessage{}}}, true},
		"denied":       {flow.Outcome{Denied: true}, false},
		"an action":    {flow.Outcome{Demand: flow.Demand{Actions: []string{"a"}}}, false},
		"a factor":     {flow.Outcome{Demand: flow.Demand{MFA: true}}, false},
		"a claim":      {flow.Outcome{Demand: flow.Demand{Claims: map[string]json.RawMessage{"a": nil}}}, false},
		"an idle time": {flow.Outcome{Demand: flow.Demand{IdleMinutes: 1}}, false},
		"an end":       {flow.Outcome{Demand: flow.Demand{AbsoluteMinutes: 1}}, false},
	} {
		if got := c.outcome.Plain(); got != c.want {
			t.Errorf("%s: Plain() = %v, want %v", name, got, c.want)
		}
	}
}

func TestBlocked(t *testing.T) {
	t.Parallel()
	outcome := flow.Outcome{Denied: true, Reason: "risk", Node: "stop", Trace: []flow.Step{{Node: "start"}, {Node: "stop"}}}
	refusal := outcome.Blocked("risky")
	want := fault.Flow{Name: "risky", Node: "stop", Reason: "risk"}
	if refusal.Code != fault.FlowBlocked || refusal.Flow == nil || *refusal.Flow != want {
		t.Errorf("Blocked() = %s %+v, want %s %+v", refusal.Code, refusal.Flow, fault.FlowBlocked, want)
	}
	if got, want := outcome.Path(), []string{"start", "stop"}; !slices.Equal(got, want) {
		t.Errorf("Path() = %v, want %v", got, want)
	}
}

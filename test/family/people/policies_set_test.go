package people_test

import (
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/test/harness"
)

func TestSetIsPartial(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root := h.Superadmin()
	set := func(values harness.P) *harness.Reply {
		return root.Do("POLICY.SET", harness.P{"kind": "lockout", "values": values})
	}
	wantPolicy(t, set(harness.P{"max_failures": 3}), harness.P{"max_failures": 3.0, "window_minutes": 15.0, "duration_minutes": 15.0})
	wantPolicy(t, set(harness.P{"window_minutes": 20}), harness.P{"max_failures": 3.0, "window_minutes": 20.0, "duration_minutes": 15.0})
	wantPolicy(t, set(harness.P{"max_failures": nil}), harness.P{"max_failures": 10.0, "window_minutes": 20.0, "duration_minutes": 15.0})
	wantPolicy(t, set(harness.P{"window_minutes": 20, "duration_minutes": nil}), harness.P{"max_failures": 10.0, "window_minutes": 20.0, "duration_minutes": 15.0})
	events := h.Events(policy.EventUpdated)
	if len(events) != 3 {
		t.Fatalf("%d events, want 3: the last call changed nothing", len(events))
	}
	if got, want := string(events[0].Data), `{"policy":"lockout","changed":["max_failures"]}`; got != want {
		t.Errorf("event %s, want %s", got, want)
	}
	set(harness.P{"window_minutes": nil}).OK()
	wantSource(t, root.Do("POLICY.GET", harness.P{"kind": "lockout"}), "default")
}

func TestSetTakesEffectAtOnce(t *testing.T) {
	t.Parallel()
	database := harness.SQLite(t)
	one, two := harness.On(t, database), harness.On(t, database)
	root := one.Superadmin()
	weak := harness.P{"password": "plum tree 42"}
	two.Anonymous().Do("AUTH.CHECK_PASSWORD", weak).OK()
	root.Do("POLICY.SET", harness.P{"kind": "password", "values": harness.P{"min_length": 20}}).OK()
	for _, replica := range []*harness.Service{one, two} {
		if replica.Anonymous().Do("AUTH.CHECK_PASSWORD", weak).Bool("acceptable") {
			t.Error("a password of 12 characters is acceptable although 20 are asked for")
		}
	}
}

func TestSetHoldsForSessionsToCome(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	alice.Do("POLICY.SET", harness.P{"kind": "session", "org_id": alice.OrgID, "values": harness.P{"idle_minutes": 60}}).OK()
	later := h.Login("alice@example.com", harness.Password)
	items := later.Do("SESSION.LIST", nil).List("items")
	if want := h.Clock.Now().Add(time.Hour).Format(time.RFC3339Nano); items[0]["expires_at"] != want {
		t.Errorf("the new session ends %v, want %s", items[0]["expires_at"], want)
	}
	if want := h.Clock.Now().Add(30 * 24 * time.Hour).Format(time.RFC3339Nano); items[1]["expires_at"] != want {
		t.Errorf("the earlier session ends %v, want %s", items[1]["expires_at"], want)
	}
}

func TestSetOfAWorkspaceIsStricterOnly(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice, root := h.SignUp("alice@example.com"), h.Superadmin()
	root.Do("POLICY.SET", harness.P{"kind": "password", "values": harness.P{"min_length": 12}}).OK()
	root.Do("POLICY.SET", harness.P{"kind": "session", "values": harness.P{"idle_minutes": 600}}).OK()
	tests := []struct {
		kind          string
		values        harness.P
		looser, equal string
	}{
		{"password", harness.P{"min_length": 11, "min_score": 2}, "min_length", "min_score"},
		{"session", harness.P{"idle_minutes": 601, "absolute_minutes": 100}, "idle_minutes", "absolute_minutes"},
		{"lockout", harness.P{"max_failures": 11, "window_minutes": 15}, "max_failures", "window_minutes"},
		{"lockout", harness.P{"window_minutes": 14, "max_failures": 5}, "window_minutes", "max_failures"},
		{"lockout", harness.P{"duration_minutes": 14, "max_failures": 10}, "duration_minutes", "max_failures"},
	}
	for _, test := range tests {
		for _, actor := range []*harness.Actor{alice, root} {
			r := actor.Do("POLICY.SET", harness.P{"kind": test.kind, "org_id": alice.OrgID, "values": test.values}).Fails(fault.Validation)
			r.Field("/values/" + test.looser)
			if len(r.Failure.Fields) != 1 || !strings.Contains(r.Failure.Message, policy.ErrLooser.Message) {
				t.Errorf("%s: %v with %v, want a complaint about %s alone", test.kind, r.Failure, r.Failure.Fields, test.looser)
			}
		}
	}
	wantSource(t, alice.Do("POLICY.GET", harness.P{"kind": "lockout", "org_id": alice.OrgID}), "default")
	// A value that was stricter once does not keep others from being set.
	alice.Do("POLICY.SET", harness.P{"kind": "password", "org_id": alice.OrgID, "values": harness.P{"min_length": 13}}).OK()
	root.Do("POLICY.SET", harness.P{"kind": "password", "values": harness.P{"min_length": 14}}).OK()
	r := alice.Do("POLICY.SET", harness.P{"kind": "password", "org_id": alice.OrgID, "values": harness.P{"min_score": 3}})
	wantPolicy(t, r, harness.P{"min_length": 14.0, "min_score": 3.0})
	events := h.Events(policy.EventUpdated)
	if events[0].OrgID != alice.OrgID {
		t.Errorf("the event is filed under %q, want the workspace", events[0].OrgID)
	}
}

func TestSetNamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root := h.Superadmin()
	for _, test := range []struct {
		kind, field string
		value       any
	}{
		{"password", "min_length", 7},
		{"password", "min_length", 129},
		{"password", "min_length", "12"},
		{"password", "min_length", 12.5},
		{"password", "max_failures", 5}, // of another kind
		{"password", "history", 5},
		{"session", "idle_minutes", 4},
		{"session", "min_length", nil},
		{"lockout", "max_failures", 2},
		{"lockout", "max_failures", []int{5}},
	} {
		root.Do("POLICY.SET", harness.P{"kind": test.kind, "values": harness.P{test.field: test.value}}).
			Fails(fault.Validation).Field("/values/" + test.field)
	}
	for name, want := range map[string]string{
		"nothing":      "/values/nothing is not a known name: use one of min_length, min_score",
		"min_lengths":  "/values/min_lengths is not a known name: use one of min_length, min_score; did you mean min_length?",
		"max_failures": "/values/max_failures is not a known name: use one of min_length, min_score", // of another kind
	} {
		for _, command := range []string{"POLICY.SET", "POLICY.IMPACT_GET"} {
			refused := root.Do(command, harness.P{"kind": "password", "values": harness.P{name: 9}}).Fails(fault.Validation)
			if !strings.Contains(refused.Failure.Message, want) {
				t.Errorf("%s with %s: %s", command, name, refused.Failure.Message)
			}
		}
	}
	if got := len(h.Events(policy.EventUpdated)); got != 0 {
		t.Errorf("%d events, want none", got)
	}
}

func TestSetAuthorization(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice, bob, root := h.SignUp("alice@example.com"), h.SignUp("bob@example.com"), h.Superadmin()
	values := harness.P{"min_length": 10}
	alice.Do("POLICY.SET", harness.P{"kind": "password", "values": values}).Fails(fault.Denied)
	bob.Do("POLICY.SET", harness.P{"kind": "password", "values": values, "org_id": alice.OrgID}).Fails(fault.NotFound)
	bob.Do("POLICY.SET", harness.P{"kind": "password", "values": values, "org_id": stranger}).Fails(fault.NotFound)
	root.Do("POLICY.SET", harness.P{"kind": "password", "values": values, "org_id": stranger}).Fails(fault.NotFound)
	wantPolicy(t, alice.Do("POLICY.GET", harness.P{"kind": "password", "org_id": alice.OrgID}), harness.P{"min_length": 8.0, "min_score": 0.0})
	root.Do("POLICY.SET", harness.P{"kind": "password", "values": values, "org_id": alice.OrgID}).OK()
	wantPolicy(t, alice.Do("POLICY.GET", harness.P{"kind": "password", "org_id": alice.OrgID}), harness.P{"min_length": 10.0, "min_score": 0.0})
}

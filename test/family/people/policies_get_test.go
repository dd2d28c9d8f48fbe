package people_test

import (
	"maps"
	"testing"

	"gatehouse.internal/test/harness"
)

const stranger = "org_01jd7x9k2mf3q8v5t0abcdefgh"

// wantPolicy fails the test unless the answer's policy is exactly this.
func wantPolicy(t *testing.T, r *harness.Reply, want harness.P) {
	t.Helper()
	got, _ := r.OK().Data["policy"].(harness.P)
	if !maps.Equal(got, want) {
		t.Errorf("policy = %v, want %v", got, want)
	}
}

func wantSource(t *testing.T, r *harness.Reply, want string) {
	t.Helper()
	if got := r.String("source"); got != want {
		t.Errorf("source = %s, want %s", got, want)
	}
}

func TestGetDefaults(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	for kind, want := range map[string]harness.P{
		"password": {"min_length": 8.0, "min_score": 0.0},
		"session":  {"idle_minutes": 43200.0, "absolute_minutes": 129600.0, "impersonation_minutes": 60.0, "impersonation_consent": false},
		"lockout":  {"max_failures": 10.0, "window_minutes": 15.0, "duration_minutes": 15.0},
	} {
		for _, params := range []harness.P{{"kind": kind}, {"kind": kind, "org_id": alice.OrgID}} {
			r := alice.Do("POLICY.GET", params)
			wantPolicy(t, r, want)
			wantSource(t, r, "default")
		}
	}
}

func TestGetAnswersTheStricter(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice, root := h.SignUp("alice@example.com"), h.Superadmin()
	own := harness.P{"kind": "password", "org_id": alice.OrgID}
	alice.Do("POLICY.SET", harness.P{"kind": "password", "org_id": alice.OrgID, "values": harness.P{"min_length": 10}}).OK()
	r := alice.Do("POLICY.GET", own)
	wantPolicy(t, r, harness.P{"min_length": 10.0, "min_score": 0.0})
	wantSource(t, r, "workspace")
	root.Do("POLICY.SET", harness.P{"kind": "password", "values": harness.P{"min_length": 12, "min_score": 1}}).OK()
	wantPolicy(t, alice.Do("POLICY.GET", own), harness.P{"min_length": 12.0, "min_score": 1.0})
	r = alice.Do("POLICY.GET", harness.P{"kind": "password"})
	wantPolicy(t, r, harness.P{"min_length": 12.0, "min_score": 1.0})
	wantSource(t, r, "instance")
	r = alice.Do("POLICY.GET", harness.P{"kind": "lockout", "org_id": alice.OrgID})
	wantSource(t, r, "default")
}

func TestSuperadminGetsThoseOfAnyWorkspace(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice, root := h.SignUp("alice@example.com"), h.Superadmin()
	root.Do("POLICY.GET", harness.P{"kind": "password", "org_id": alice.OrgID}).OK()
}

package people_test

import (
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// Each value comes from whoever made it the strictest; of others only what their workspace
// says is shown.
func TestEffective(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		root, alice, bob := h.Superadmin(), h.SignUp("alice@example.com"), h.SignUp("bob@example.com")
		shared := alice.Do("TEAM.CREATE", harness.P{"name": "Shared"}).String("organization.id")
		root.Do("TEAM.MEMBER_ADD", harness.P{"user_id": bob.UserID, "org_id": shared, "role": "member"}).OK()
		set := func(who *harness.Actor, org any, kind string, values harness.P) {
			params := harness.P{"kind": kind, "values": values}
			if org != nil {
				params["org_id"] = org
			}
			who.Do("POLICY.SET", params).OK()
		}
		set(root, nil, "password", harness.P{"min_length": 10})
		set(root, shared, "password", harness.P{"min_length": 12})
		set(root, shared, "mfa", harness.P{"required": false})
		set(bob, bob.OrgID, "password", harness.P{"min_length": 14, "min_score": 2})
		set(bob, bob.OrgID, "risk", harness.P{"new_range": 90})
		wants := func(what string, r *harness.Reply, length int, of, risk string) {
			t.Helper()
			if r.OK(); r.Int("password.min_length") != length || r.String("sources.password.min_length") != of ||
				r.String("sources.risk.new_range") != risk || r.String("sources.mfa.required") != "default" || r.Int("lockout.max_failures") != 10 || r.Int("session.idle_minutes") == 0 {
				t.Errorf("%s: %v", what, r.Data)
			}
		}
		of := harness.P{"user_id": bob.UserID}
		wants("one's own", bob.Do("POLICY.EFFECTIVE_GET", nil), 14, bob.OrgID, bob.OrgID)
		wants("anybody's for a superadmin", root.Do("POLICY.EFFECTIVE_GET", of), 14, bob.OrgID, bob.OrgID)
		wants("a member's", alice.Do("POLICY.EFFECTIVE_GET", harness.P{"user_id": bob.UserID, "org_id": shared}), 12, shared, "default")
		wants("another's own", alice.Do("POLICY.EFFECTIVE_GET", nil), 12, shared, "default")
		absent := alice.Do("POLICY.EFFECTIVE_GET", harness.P{"user_id": "usr_01jd7x9k2mf3q8v5t0abcdefgh"}).Fails(fault.NotFound)
		if foreign := alice.Do("POLICY.EFFECTIVE_GET", of).Fails(fault.NotFound); foreign.Failure.Message != absent.Failure.Message {
			t.Errorf("foreign: %v, absent: %v", foreign.Failure, absent.Failure)
		}
		bob.Do("POLICY.EFFECTIVE_GET", harness.P{"user_id": alice.UserID, "org_id": shared}).Fails(fault.NotFound)
	})
}

// Whom a change would touch is who the change touches, and nothing is changed.
func TestImpact(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		root, alice := h.Superadmin(), h.SignUp("alice@example.com")
		bob := h.SignUp("bob@example.com")
		bob.EnrollApp()
		h.SignUp("carol@example.com").Passkey()
		dave := h.SignUp("dave@example.com")
		dave.EnrollApp()
		root.Do("MFA.RESET", harness.P{"user_id": dave.UserID, "reason": "lost"}).OK()
		touches := func(kind string, values harness.P, want int) *harness.Reply {
			t.Helper()
			r := root.Do("POLICY.IMPACT_GET", harness.P{"kind": kind, "values": values})
			if got := r.Int("affected"); got != want || len(r.Strings("examples")) != want {
				t.Errorf("%s %v touches %d: %v, want %d", kind, values, got, r.Data["examples"], want)
			}
			return r
		}
		touches("mfa", harness.P{"required": true}, 3) // not bob, nor carol
		touches("mfa", harness.P{"required": false}, 0)
		touches("password", harness.P{"min_length": 12}, 5)
		touches("password", harness.P{"min_length": 8}, 0)
		touches("signup", harness.P{"allowed_domains": []string{"example.com"}}, 4)
		touches("lockout", harness.P{"max_failures": 3}, 0)
		for range 4 {
			h.Anonymous().Do("AUTH.LOGIN", harness.P{"email": "alice@example.com", "password": "wrong"}).Fails(fault.Auth)
		}
		if r := touches("lockout", harness.P{"max_failures": 4}, 1); r.Strings("examples")[0] != alice.UserID {
			t.Errorf("named %v", r.Data)
		}
		touches("lockout", harness.P{"max_failures": 5}, 0)
		h.Anonymous().From(9<<16).By("curl/8.0").Do("AUTH.LOGIN", harness.P{"email": "alice@example.com", "password": harness.Password}).OK()
		touches("risk", harness.P{"new_range": 60}, 1)
		touches("risk", harness.P{"new_range": 16}, 0)
		touches("session", harness.P{"idle_minutes": 60}, 0)
		h.Clock.Advance(61 * time.Minute)
		root = h.Superadmin()
		touches("session", harness.P{"absolute_minutes": 60}, 4) // the reset ended that of dave
		wantPolicy(t, root.Do("POLICY.GET", harness.P{"kind": "session"}), harness.P{
			"idle_minutes": 43200.0, "absolute_minutes": 129600.0, "impersonation_minutes": 60.0, "impersonation_consent": false,
		})

		alice = h.Login("alice@example.com", harness.Password)
		own := harness.P{"kind": "password", "values": harness.P{"min_length": 12}, "org_id": alice.OrgID}
		if n := alice.Do("POLICY.IMPACT_GET", own).Int("affected"); n != 1 {
			t.Errorf("in a workspace of one: %d", n)
		}
		alice.Do("POLICY.IMPACT_GET", harness.P{"kind": "password", "values": harness.P{"min_length": 12}}).Fails(fault.Denied)
		alice.Do("POLICY.IMPACT_GET", harness.P{"kind": "password", "values": harness.P{"min_length": 12}, "org_id": stranger}).Fails(fault.NotFound)
		alice.Do("POLICY.IMPACT_GET", harness.P{"kind": "lockout", "values": harness.P{"max_failures": 50}, "org_id": alice.OrgID}).Fails(fault.Validation).Field("/values/max_failures")
		root.Do("POLICY.IMPACT_GET", harness.P{"kind": "password", "values": harness.P{"length": 1}}).Fails(fault.Validation).Field("/values/length")
	})
}

// A risk policy is checked as a whole, and a workspace's is only stricter.
func TestRisk(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		root, alice := h.Superadmin(), h.SignUp("alice@example.com")
		set := func(who *harness.Actor, org string, values harness.P) *harness.Reply {
			params := harness.P{"kind": "risk", "values": values}
			if org != "" {
				params["org_id"] = org
			}
			return who.Do("POLICY.SET", params)
		}
		set(root, "", harness.P{"high": 20}).Fails(fault.Validation).Field("/values/medium")
		set(root, "", harness.P{"new_device": 101}).Fails(fault.Validation).Field("/values/new_device")
		set(root, "", harness.P{"lists": []string{"tor"}, "medium": 25}).OK()
		set(alice, alice.OrgID, harness.P{"medium": 26}).Fails(fault.Validation).Field("/values/medium")
		set(alice, alice.OrgID, harness.P{"lists": []string{"vpn"}}).Fails(fault.Validation).Field("/values/lists")
		set(alice, alice.OrgID, harness.P{"second_factor": false}).Fails(fault.Validation).Field("/values/second_factor")
		set(alice, alice.OrgID, harness.P{"new_device": 19}).Fails(fault.Validation).Field("/values/new_device")
		r := set(alice, alice.OrgID, harness.P{"lists": []string{"vpn", "tor"}, "medium": 20, "new_device": 50})
		if r.Int("policy.medium") != 20 || r.Int("policy.new_device") != 50 || len(r.Strings("policy.lists")) != 2 {
			t.Errorf("in force %v", r.Data)
		}
	})
}

package people_test

import (
	"encoding/json"
	"strings"
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/test/harness"
)

// wantJSON fails the test unless the answer's policy is exactly this.
func wantJSON(t *testing.T, r *harness.Reply, want string) {
	t.Helper()
	if got, err := json.Marshal(r.OK().Data["policy"]); err != nil || string(got) != want {
		t.Errorf("policy = %s, %v, want %s", got, err, want)
	}
}

func TestSignupDomains(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root := h.Superadmin()
	set := func(values harness.P) *harness.Reply {
		return root.Do("POLICY.SET", harness.P{"kind": "signup", "values": values})
	}
	signUp := func(address string) *harness.Reply {
		return h.Anonymous().Do("AUTH.SIGNUP", harness.P{"email": address, "password": harness.Password, "display_name": "Somebody"})
	}
	wantJSON(t, root.Do("POLICY.GET", harness.P{"kind": "signup"}), `{"allowed_domains":[],"blocked_domains":[]}`)
	wantJSON(t, set(harness.P{"allowed_domains": []string{" Example.COM", "Bücher.example"}}),
		`{"allowed_domains":["example.com","xn--bcher-kva.example"],"blocked_domains":[]}`)
	signUp("ada@EXAMPLE.com").OK()
	signUp("ada@bücher.example").OK()
	refused := signUp("ada@elsewhere.example").Fails(fault.Validation).Field("/email")
	if refused.Failure.Message != "sign-up is not allowed for this email domain" {
		t.Errorf("refused with %q", refused.Failure.Message)
	}
	signUp("ada@sub.example.com").Fails(fault.Validation).Field("/email")
	wantJSON(t, set(harness.P{"allowed_domains": nil, "blocked_domains": []string{"example.com"}}),
		`{"allowed_domains":[],"blocked_domains":["example.com"]}`)
	signUp("bob@example.com").Fails(fault.Validation).Field("/email")
	signUp("ada@elsewhere.example").OK()
	// Whoever has an account logs in, and an administrator may make one.
	h.Login("ada@example.com", harness.Password)
	root.Do("USER.CREATE", harness.P{"email": "carol@example.com", "display_name": "Carol"}).OK()
	set(harness.P{"blocked_domains": nil}).OK()
	wantSource(t, root.Do("POLICY.GET", harness.P{"kind": "signup"}), "default")
	signUp("bob@example.com").OK()
}

func TestSignupRefuses(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice, root := h.SignUp("alice@example.com"), h.Superadmin()
	for _, bad := range []string{"", "localhost", "*.example.com", "ada@example.com", "example.com."} {
		r := root.Do("POLICY.SET", harness.P{"kind": "signup", "values": harness.P{"blocked_domains": []string{"example.org", bad}}}).Fails(fault.Validation)
		if len(r.Failure.Fields) == 0 || !strings.HasPrefix(r.Failure.Fields[0].Path, "/values/blocked_domains/1") {
			t.Errorf("%q: %v with %v", bad, r.Failure, r.Failure.Fields)
		}
	}
	root.Do("POLICY.SET", harness.P{"kind": "signup", "values": harness.P{"min_length": 9}}).Fails(fault.Validation).Field("/values/min_length")
	own := harness.P{"kind": "signup", "org_id": alice.OrgID, "values": harness.P{"blocked_domains": []string{"example.org"}}}
	for _, actor := range []*harness.Actor{alice, root} {
		refused := actor.Do("POLICY.SET", own).Fails(fault.Validation).Field("/org_id")
		if !strings.Contains(refused.Failure.Message, policy.ErrInstanceOnly.Message) {
			t.Errorf("refused with %v", refused.Failure)
		}
	}
	h.SignUp("bob@example.com").Do("POLICY.SET", own).Fails(fault.NotFound)
	alice.Do("POLICY.SET", harness.P{"kind": "signup", "values": harness.P{"blocked_domains": []string{}}}).Fails(fault.Denied)
	// Of a workspace the instance's is told.
	root.Do("POLICY.SET", harness.P{"kind": "signup", "values": harness.P{"blocked_domains": []string{"example.org"}}}).OK()
	r := alice.Do("POLICY.GET", harness.P{"kind": "signup", "org_id": alice.OrgID})
	wantJSON(t, r, `{"allowed_domains":[],"blocked_domains":["example.org"]}`)
	wantSource(t, r, "instance")
}

func TestMFA(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice, root := h.SignUp("alice@example.com"), h.Superadmin()
	set := func(actor *harness.Actor, org string, values harness.P) *harness.Reply {
		params := harness.P{"kind": "mfa", "values": values}
		if org != "" {
			params["org_id"] = org
		}
		return actor.Do("POLICY.SET", params)
	}
	wantJSON(t, root.Do("POLICY.GET", harness.P{"kind": "mfa"}), `{"remember_days":30,"required":false}`)
	wantJSON(t, set(root, "", harness.P{"remember_days": 14}), `{"remember_days":14,"required":false}`)
	// A workspace may ask for more, and remember for less.
	wantJSON(t, set(alice, alice.OrgID, harness.P{"required": true, "remember_days": 0}), `{"remember_days":0,"required":true}`)
	set(alice, alice.OrgID, harness.P{"remember_days": 15}).Fails(fault.Validation).Field("/values/remember_days")
	wantJSON(t, set(root, "", harness.P{"required": true, "remember_days": nil}), `{"remember_days":30,"required":true}`)
	set(alice, alice.OrgID, harness.P{"required": false}).Fails(fault.Validation).Field("/values/required")
	wantJSON(t, set(alice, alice.OrgID, harness.P{"required": nil, "remember_days": nil}), `{"remember_days":30,"required":true}`)
	wantJSON(t, set(root, "", harness.P{"required": nil}), `{"remember_days":30,"required":false}`)
	for _, bad := range []harness.P{{"remember_days": -1}, {"remember_days": 366}, {"remember_days": "7"}, {"required": 1}, {"methods": []string{"totp"}}} {
		for name := range bad {
			set(root, "", bad).Fails(fault.Validation).Field("/values/" + name)
		}
	}
}

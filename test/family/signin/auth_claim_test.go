package signin_test

import (
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// Whoever took an address in advance keeps nothing in the personal workspace of its
// owner either: no app that acts for it, no policy that locks them out, no template
// that writes to them.
func TestAClaimedWorkspaceIsItsOwners(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, h, there *harness.Service) {
		thief := h.SignUp(authAddress)
		app := P{"client_id": "robot", "client_secret": thief.Do("APP.REGISTER", P{
			"name": "Robot", "slug": "robot", "description": "",
		}).OK().String("api_key")}
		robot := h.With(h.Anonymous().Do("M2M.TOKEN", app).OK().String("access_token"))
		robot.Do("AUTH.WHOAMI", nil).OK()
		thief.Do("POLICY.SET", P{"org_id": thief.OrgID, "kind": "lockout", "values": P{"max_failures": 3}}).OK()
		template := P{"template": "mfa_code", "subject": "Theirs", "html": "<p>{{.code}}</p>", "text": "{{.code}}"}
		thief.Do("EMAIL.TEMPLATE_SET", template).OK()
		owner := h.With(byCode(h).OK().String("access_token"))
		for _, one := range []*harness.Service{h, there} {
			one.With(robot.AccessToken).Do("AUTH.WHOAMI", nil).Fails(fault.Auth)
			one.Anonymous().Do("M2M.TOKEN", app).Fails(fault.Auth)
		}
		if r := owner.Do("EMAIL.TEMPLATE_GET", P{"template": "mfa_code"}).OK(); r.String("source") != "builtin" {
			t.Errorf("codes are mailed as %q", r.String("subject"))
		}
		if r := owner.Do("POLICY.GET", P{"org_id": thief.OrgID, "kind": "lockout"}).OK(); r.String("source") != "default" {
			t.Errorf("the policy is %v", r.Data)
		}
	})
}

// A second factor that was enrolled before anybody proved the address goes with the
// rest: it would keep the owner out for ever, whoever it is.
func TestAClaimEndsFactors(t *testing.T) {
	t.Parallel()
	ways := map[string]func(h *harness.Service) *harness.Reply{
		"code": byCode,
		"link": func(h *harness.Service) *harness.Reply {
			authStart(h, P{"email": authAddress, "method": "link"}).OK()
			return enter(h, P{"token": mailedToken(h, authAddress)})
		},
		"reset": func(h *harness.Service) *harness.Reply {
			reset(h, resetToken(h, authAddress), fresh).OK()
			return login(h, authAddress, fresh)
		},
	}
	for name, come := range ways {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			harness.OnReplicas(t, func(t *testing.T, h, _ *harness.Service) {
				h.SignUp(authAddress).EnrollApp()
				owner := h.With(come(h).OK().String("access_token"))
				if left := owner.Do("MFA.LIST", nil).OK().List("items"); len(left) != 0 {
					t.Errorf("the owner has the factors %v", left)
				}
			})
		})
	}
}

// Whoever took an address in advance lets no support into the account of its owner.
func TestAClaimEndsTheConsentToSupport(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		root := h.Superadmin()
		root.Do("POLICY.SET", P{"kind": "session", "values": P{"impersonation_consent": true}}).OK()
		thief := h.SignUp(authAddress)
		thief.Do("IMPERSONATION.SET_CONSENT", P{"allowed_until": h.Clock.Now().AddDate(0, 0, 30)}).OK()
		support := P{"user_id": thief.UserID, "reason": "r"}
		as := h.With(root.Do("IMPERSONATION.START", support).OK().String("access_token"))
		owner := h.With(byCode(h).OK().String("access_token"))
		as.Do("USER.ME", nil).Fails(fault.Auth)
		root.Do("IMPERSONATION.START", support).Fails(fault.Denied)
		if listed := owner.Do("IMPERSONATION.LIST", nil).OK(); listed.Data["allowed_until"] != nil {
			t.Errorf("support is let in until %v", listed.Data["allowed_until"])
		}
	})
}

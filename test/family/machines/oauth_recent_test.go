package machines_test

import (
	"testing"
	"time"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// A session without a recent login grants neither access that outlasts it nor permissions of this
// service; it signs its person in elsewhere, and refuses, as before.
func TestLastingGrantsNeedARecentLogin(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada := h.SignUp("ada@example.com")
		notes, device := wiki(ada), tv(ada)
		create(ada, api, P{"scopes": scopes("read")}).OK()
		oauthRegister(ada, "files", P{"type": "web", "redirect_urls": []string{callback}, "scopes": []string{"read"}})
		app := ada.EnrollApp()
		h.Clock.Advance(access.RecentFor)
		stale := h.With(ada.Do("AUTH.REFRESH", P{"refresh_token": ada.RefreshToken}).OK().String("access_token"))
		decide := func(by *harness.Actor, more P) *harness.Reply {
			id := by.Do("OAUTH.AUTHORIZE", request(more)).OK().String("request_id")
			return by.Do("OAUTH.CONSENT_DECIDE", P{"request_id": id, "approve": true})
		}
		for name, asks := range map[string]P{
			"lasting access":           {"scope": "openid offline_access"},
			"a permission":             {"scope": "openid users:read"},
			"lasting access to an API": {"client_id": "files", "resource": api, "scope": "read offline_access"},
		} {
			if r := decide(stale, asks); codeOfFailure(r) != fault.Auth || r.Failure.Message != access.ErrNotRecent.Message {
				t.Errorf("%s: %v, %v", name, r.Data, r.Failure)
			}
		}
		for name, asks := range map[string]P{
			"a sign-in":          {"scope": "openid profile email"},
			"an API of somebody": {"client_id": "files", "resource": api, "scope": "read"},
		} {
			if r := decide(stale, asks); r.Failure != nil {
				t.Errorf("%s: %v", name, r.Failure)
			}
		}
		lasting, plain := device.begin(h, P{"scope": "openid offline_access"}).OK(), device.begin(h, P{"scope": "openid email"}).OK()
		answer(stale, lasting, true).Fails(fault.Auth)
		answer(stale, plain, true).OK()
		stale.Do("IMPERSONATION.SET_CONSENT", P{"allowed_until": h.Clock.Now().Add(time.Hour)}).Fails(fault.Auth)

		strong := h.LoginBy("ada@example.com", app)
		answer(strong, lasting, true).OK()
		decide(strong, P{"scope": "openid offline_access"}).OK()
		strong.Do("IMPERSONATION.SET_CONSENT", P{"allowed_until": h.Clock.Now().Add(time.Hour)}).OK()
		h.Clock.Advance(access.RecentFor + time.Second)
		again := h.With(strong.Do("AUTH.REFRESH", P{"refresh_token": strong.RefreshToken}).OK().String("access_token"))
		// What was agreed to is not asked again, but what the old session gives ends with it.
		given := notes.redeem(h, codeOf(t, again, P{"scope": "openid offline_access"})).OK()
		silent := notes.redeem(h, codeOf(t, again, P{"scope": "openid offline_access", "prompt": "none"})).OK()
		refusal := again.Do("OAUTH.AUTHORIZE", request(P{"scope": "openid users:read"})).OK().String("request_id")
		again.Do("OAUTH.CONSENT_DECIDE", P{"request_id": refusal, "approve": false}).OK()
		again.Do("AUTH.LOGOUT", nil).OK()
		for name, tokens := range map[string]*harness.Reply{"a consent": given, "a silent request": silent} {
			if tokens.String("scope") != "openid" {
				t.Errorf("%s gave %q to an old session", name, tokens.String("scope"))
			}
			refused(t, name, notes.refresh(h, tokens.String("refresh_token")), "invalid_grant")
		}
	})
}

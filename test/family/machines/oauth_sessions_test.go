package machines_test

import (
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// Sessions are found and ended by the app that a person let in.
func TestSessionsOfAnApp(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		root, ada, bob, eve := h.Superadmin(), h.SignUp("ada@example.com"), h.SignUp("bob@example.com"), h.SignUp("eve@example.com")
		app := wiki(ada)
		other := oauthRegister(ada, "other", P{"type": "web", "redirect_urls": []string{callback}})
		for _, who := range []*harness.Actor{bob, eve} {
			app.redeem(h, codeOf(t, who, nil)).OK()
		}
		shut := h.Login("eve@example.com", harness.Password)
		app.redeem(h, codeOf(t, shut, nil)).OK()

		found := func(id string) []string {
			var sessions []string
			for _, one := range root.Do("SESSION.SEARCH", P{"app_id": id}).OK().List("items") {
				sessions = append(sessions, one["id"].(string))
			}
			return sessions
		}
		if got := found(app.id); len(got) != 3 || got[2] != bob.SessionID {
			t.Errorf("sessions of the app: %v", got)
		}
		if got := found(other.id); len(got) != 0 {
			t.Errorf("sessions of an app that nobody let in: %v", got)
		}
		first := root.Do("SESSION.SEARCH", P{"app_id": app.id, "limit": 1}).OK()
		root.Do("SESSION.SEARCH", P{"app_id": other.id, "limit": 1, "cursor": first.String("next_cursor")}).Fails(fault.Validation).Field("/cursor")

		if got := root.Do("SESSION.BULK_REVOKE", P{"app_id": app.id, "user_id": eve.UserID, "issued_before": h.Clock.Now().Add(time.Second)}).OK().Int("revoked_count"); got != 2 {
			t.Errorf("%d sessions of eve ended, want 2", got)
		}
		if got := found(app.id); len(got) != 1 || got[0] != bob.SessionID {
			t.Errorf("sessions of the app afterwards: %v", got)
		}
		bob.Do("OAUTH.CONSENT_REVOKE", P{"app_id": app.id}).OK()
		if got := root.Do("SESSION.BULK_REVOKE", P{"app_id": app.id}).OK().Int("revoked_count"); got != 0 {
			t.Errorf("%d sessions ended of an app that was shut out", got)
		}
		bob.Do("AUTH.WHOAMI", nil).OK()
		root.Do("SESSION.BULK_REVOKE", nil).Fails(fault.Validation).Field("/app_id")
	})
}

package operations_test

import (
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// held fails unless the maintenance refused a call, with a message and for a time.
func held(t *testing.T, reply *harness.Reply, message string, wait time.Duration) {
	t.Helper()
	failure := reply.Fails(fault.RateLimited).Failure
	if !failure.Service || failure.Message != message || failure.RetryAfter != wait {
		t.Errorf("refused by %q for %v (503: %v), want %q for %v", failure.Message, failure.RetryAfter, failure.Service, message, wait)
	}
}

func TestReadOnlyMode(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		root, alice := here.Superadmin(), here.SignUp("alice@example.com")
		app := alice.Do("APP.REGISTER", P{"name": "Shop", "slug": "shop"}).OK()
		set := root.Do("SYSTEM.SET_MAINTENANCE", P{"mode": "read_only", "message": "moving house"}).OK()
		if set.String("maintenance.mode") != "read_only" || set.String("maintenance.message") != "moving house" {
			t.Errorf("%v", set.Data)
		}
		const why = "the instance is read-only during maintenance: moving house"
		for _, h := range []*harness.Service{here, there} {
			alice := h.With(alice.AccessToken)
			alice.Do("USER.ME", nil).OK()
			held(t, alice.Do("USER.UPDATE", P{"display_name": "Al"}), why, time.Minute)
			held(t, h.Anonymous().Do("AUTH.SIGNUP", P{"email": "bob@example.com", "password": harness.Password, "display_name": "Bob"}), why, time.Minute)
			pair := h.Anonymous().Do("AUTH.LOGIN", P{"email": "alice@example.com", "password": harness.Password}).OK()
			h.Anonymous().Do("AUTH.REFRESH", P{"refresh_token": pair.String("refresh_token")}).OK()
			token := h.Anonymous().Do("M2M.TOKEN", P{"client_id": "shop", "client_secret": app.String("api_key")}).OK()
			if !h.Anonymous().Do("M2M.INTROSPECT", P{"token": token.String("access_token")}).OK().Bool("active") {
				t.Error("a token is not active")
			}
			if mode := h.Anonymous().Do("SYSTEM.INFO_GET", nil).OK().String("maintenance"); mode != "read_only" {
				t.Errorf("the mode is %s", mode)
			}
			h.With(root.AccessToken).Do("USER.UPDATE", P{"display_name": "Root"}).OK()
		}
		root.Do("SYSTEM.SET_MAINTENANCE", P{"mode": "off"}).OK()
		there.With(alice.AccessToken).Do("USER.UPDATE", P{"display_name": "Al"}).OK()
	})
}

// What only takes access away works in read-only mode: nobody waits to shut somebody out.
func TestReadOnlyModeTakesAccessAway(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		root, alice, bob := h.Superadmin(), h.SignUpVerified("alice@example.com"), h.SignUp("bob@example.com")
		key := alice.Do("API_KEY.CREATE", P{"name": "key", "scopes": []string{"*"}}).OK()
		app := alice.Do("APP.REGISTER", P{"name": "Shop", "slug": "shop", "scopes": []string{"users:read"}}).OK()
		invited := alice.Do("TEAM.INVITE", P{"email": "eve@example.com", "role": "member"}).OK()
		root.Do("TEAM.MEMBER_ADD", P{"user_id": bob.UserID, "role": "member", "org_id": alice.OrgID}).OK()
		consent := P{"allowed_until": h.Clock.Now().Add(time.Hour)}
		alice.Do("IMPERSONATION.SET_CONSENT", consent).OK()
		acting := root.Do("IMPERSONATION.START", P{"user_id": bob.UserID, "reason": "Ticket 4711"}).OK()
		root.Do("SYSTEM.SET_MAINTENANCE", P{"mode": "read_only"}).OK()

		const why = "the instance is read-only during maintenance"
		held(t, alice.Do("API_KEY.CREATE", P{"name": "other", "scopes": []string{"*"}}), why, time.Minute)
		held(t, alice.Do("IMPERSONATION.SET_CONSENT", consent), why, time.Minute)
		alice.Do("IMPERSONATION.SET_CONSENT", nil).OK()
		bob.Do("IMPERSONATION.STOP", P{"impersonation_id": acting.String("impersonation.id")}).OK()
		alice.Do("API_KEY.REVOKE", P{"key_id": key.String("api_key.id")}).OK()
		h.With(key.String("key")).Do("USER.ME", nil).Fails(fault.Auth)
		alice.Do("APP.SCOPE_REVOKE", P{"app_id": app.String("app.id"), "scopes": []string{"users:read"}}).OK()
		alice.Do("TEAM.INVITATION_REVOKE", P{"invitation_id": invited.String("invitation.id")}).OK()
		alice.Do("TEAM.MEMBER_REMOVE", P{"user_id": bob.UserID}).OK()
		alice.Do("SESSION.REVOKE_ALL", nil).OK()
		alice.Do("SESSION.REVOKE", P{"session_id": alice.SessionID}).OK()
		alice.Do("USER.ME", nil).Fails(fault.Auth)
	})
}

func TestClosedMode(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		root, alice := h.Superadmin(), h.SignUp("alice@example.com")
		root.Do("USER.SET_SUPERADMIN", P{"user_id": h.SignUp("carol@example.com").UserID, "is_superadmin": true}).OK()
		until := h.Clock.Now().Add(10 * time.Minute)
		root.Do("SYSTEM.SET_MAINTENANCE", P{"mode": "closed", "until": until}).OK()
		const why = "the instance is closed for maintenance"
		held(t, alice.Do("USER.ME", nil), why, 10*time.Minute)
		held(t, h.Anonymous().Do("AUTH.LOGIN", P{"email": "alice@example.com", "password": harness.Password}), why, 10*time.Minute)
		h.Anonymous().Do("AUTH.LOGIN", P{"email": "alice@example.com", "password": "wrong wrong"}).Fails(fault.Auth)
		held(t, h.Anonymous().Do("AUTH.REFRESH", P{"refresh_token": alice.RefreshToken}), why, 10*time.Minute)
		pair := h.Anonymous().Do("AUTH.LOGIN", P{"email": "carol@example.com", "password": harness.Password}).OK()
		again := h.Anonymous().Do("AUTH.REFRESH", P{"refresh_token": pair.String("refresh_token")}).OK()
		h.With(again.String("access_token")).Do("USER.LIST", nil).OK()

		h.Clock.Advance(10 * time.Minute)
		if mode := h.Anonymous().Do("SYSTEM.INFO_GET", nil).OK().String("maintenance"); mode != "off" {
			t.Errorf("after its time the mode is %s", mode)
		}
		alice.Do("USER.UPDATE", P{"display_name": "Al"}).OK()
	})
}

func TestMaintenanceIsAChange(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root := h.Superadmin()
	root.Do("SYSTEM.SET_MAINTENANCE", P{"mode": "closed", "until": h.Clock.Now()}).Fails(fault.Validation)
	root.Do("SYSTEM.SET_MAINTENANCE", P{"mode": "off", "message": "why"}).Fails(fault.Validation)
	root.Do("SYSTEM.SET_MAINTENANCE", P{"mode": "closed", "message": "disk"}).OK()
	all := changes(root, P{"resource_type": "system"})
	if len(all) != 1 || all[0]["before"].(P)["mode"] != "off" || all[0]["after"].(P)["message"] != "disk" {
		t.Errorf("the changes are %v", all)
	}
	// It is none of the settings.
	root.Do("SETTINGS.SET", P{"values": P{"access_token_seconds": 600}}).OK()
	root.Do("SETTINGS.GET", P{"keys": []string{"maintenance"}}).Fails(fault.Validation)
	if mode := root.Do("SYSTEM.INFO_GET", nil).OK().String("maintenance"); mode != "closed" {
		t.Errorf("the mode is %s", mode)
	}
}

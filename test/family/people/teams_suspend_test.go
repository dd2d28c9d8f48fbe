package people_test

import (
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// suspended fails the test unless an answer is that of a suspended workspace.
func suspended(t *testing.T, what string, got *harness.Reply) {
	t.Helper()
	if got.Failure == nil || got.Failure.Code != fault.Denied || got.Failure.Message != "the workspace is suspended" {
		t.Errorf("%s: %v, %v", what, got.Data, got.Failure)
	}
}

// onTwoReplicas runs a test on both databases, with two replicas of one service.
func onTwoReplicas(t *testing.T, test func(t *testing.T, one, other *harness.Service)) {
	t.Parallel()
	harness.OnReplicas(t, test)
}

// In a suspended workspace nobody but superadmins acts, by whatever; people get away, and
// all is as it was once it is lifted.
func TestSuspension(t *testing.T) {
	onTwoReplicas(t, func(t *testing.T, one, other *harness.Service) {
		root, ada := one.Superadmin(), founded(one, "ada@example.com", "Engines")
		key := other.With(ada.Do("API_KEY.CREATE", P{"name": "key", "scopes": []string{"apps:read"}}).OK().String("key"))
		app := ada.Do("APP.REGISTER", P{"name": "App", "slug": "engine-app"}).OK()
		ada.Do("APP.SCOPE_GRANT", P{"app_id": app.String("app.id"), "scopes": []string{"apps:read", "api_keys:verify"}}).OK()
		client := P{"client_id": "engine-app", "client_secret": app.String("api_key")}
		token := other.Anonymous().Do("M2M.TOKEN", client).OK().String("access_token")
		machine := other.With(token)
		active := func() bool {
			found, _ := other.Anonymous().Do("M2M.INTROSPECT", P{"token": token}).OK().Data["active"].(bool)
			return found
		}
		key.Do("APP.LIST", nil).OK()
		machine.Do("APP.LIST", nil).OK()
		if !active() {
			t.Fatal("the token is not active")
		}

		ada.Do("TEAM.DISABLE", P{"org_id": ada.OrgID}).Fails(fault.Denied)
		shown := root.Do("TEAM.DISABLE", P{"org_id": ada.OrgID, "reason": "unpaid"}).OK()
		root.Do("TEAM.DISABLE", P{"org_id": ada.OrgID}).OK()
		if disabled, _ := shown.Data["organization"].(P)["disabled"].(bool); !disabled || len(one.Events("team.disabled")) != 1 {
			t.Errorf("shown %v, %d events", shown.Data, len(one.Events("team.disabled")))
		}
		suspended(t, "a session", ada.Do("APP.LIST", nil))
		suspended(t, "a key", key.Do("APP.LIST", nil))
		suspended(t, "a key, about itself", key.Do("AUTH.WHOAMI", nil))
		suspended(t, "a machine", machine.Do("APP.LIST", nil))
		suspended(t, "a machine, about itself", machine.Do("AUTH.WHOAMI", nil))
		suspended(t, "a client", other.Anonymous().Do("M2M.TOKEN", client))
		suspended(t, "a login there", one.Anonymous().Do("AUTH.LOGIN", P{"email": "ada@example.com", "password": harness.Password, "org_id": ada.OrgID}))
		one.Anonymous().Do("M2M.TOKEN", P{"client_id": "engine-app", "client_secret": "sk_live_wrong"}).Fails(fault.Auth)
		if active() {
			t.Error("a token of a suspended workspace is active")
		}
		root.Do("APP.LIST", P{"org_id": ada.OrgID}).OK()

		// The way out.
		ada.Do("USER.ME", nil).OK()
		ada.Do("TEAM.LIST", nil).OK()
		refreshed := other.Anonymous().Do("AUTH.REFRESH", P{"refresh_token": ada.RefreshToken}).OK()
		home := one.Login("ada@example.com", harness.Password)
		if home.OrgID == ada.OrgID {
			t.Error("a login enters the suspended workspace")
		}
		suspended(t, "from elsewhere", home.Do("APP.LIST", P{"org_id": ada.OrgID}))
		suspended(t, "a switch there", home.Do("TEAM.SWITCH", P{"org_id": ada.OrgID}))
		away := other.With(refreshed.String("access_token")).Do("TEAM.SWITCH", P{"org_id": home.OrgID}).OK()
		other.With(away.String("access_token")).Do("APP.LIST", nil).OK()

		root.Do("TEAM.ENABLE", P{"org_id": ada.OrgID}).OK()
		root.Do("TEAM.ENABLE", P{"org_id": ada.OrgID}).OK()
		home.Do("APP.LIST", P{"org_id": ada.OrgID}).OK()
		key.Do("APP.LIST", nil).OK()
		machine.Do("APP.LIST", nil).OK()
		other.Anonymous().Do("M2M.TOKEN", client).OK()
		if !active() || len(one.Events("team.enabled")) != 1 {
			t.Error("the token is not active again, or the event was told more than once")
		}
	})
}

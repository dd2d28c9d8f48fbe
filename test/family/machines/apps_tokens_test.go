package machines_test

import (
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// login returns an actor who calls with a token of an app.
func login(h *harness.Service, slug, secret string, scopes ...string) *harness.Actor {
	params := P{"client_id": slug, "client_secret": secret}
	if scopes != nil {
		params["scopes"] = scopes
	}
	return h.With(h.Anonymous().Do("M2M.TOKEN", params).OK().String("access_token"))
}

func TestAnAppRunsAppsWithinItsScopes(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	owner := h.SignUp("owner@example.com")
	id, secret := appRegister(owner, "deployer", P{"scopes": []string{"apps:*", "webhooks:read"}})
	machine := login(h, "deployer", secret)
	made, _ := appRegister(machine, "made", P{"scopes": []string{"webhooks:read"}})
	if got := machine.Do("APP.GET", P{"app_id": made}).String("app.org_id"); got != owner.OrgID {
		t.Errorf("the app is in %s, want the workspace of its maker", got)
	}
	machine.Do("APP.REGISTER", P{"name": "x", "slug": "more", "scopes": []string{"users:read"}}).Fails(fault.Denied)
	machine.Do("APP.SCOPE_GRANT", P{"app_id": id, "scopes": []string{"*"}}).Fails(fault.Denied)
	owner.Do("APP.SCOPE_GRANT", P{"app_id": made, "scopes": []string{"users:read"}}).OK()
	machine.Do("APP.ROTATE_KEY", P{"app_id": made}).Fails(fault.Denied)
	// A token that carries less can do less, also to its own app.
	narrow := login(h, "deployer", secret, "apps:write")
	narrow.Do("APP.GET", P{"app_id": made}).Fails(fault.Denied)
	narrow.Do("APP.ROTATE_KEY", P{"app_id": id}).Fails(fault.Denied)
	machine.Do("APP.ROTATE_KEY", P{"app_id": id}).OK()
}

func TestChangesHoldForLiveTokensAtOnce(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		owner := h.SignUp("owner@example.com")
		id, secret := appRegister(owner, "reader", P{"scopes": []string{"apps:read"}})
		machine := login(h, "reader", secret)
		list := func() *harness.Reply { return machine.Do("APP.LIST", nil) }
		list().OK()
		if used := owner.Do("APP.GET", P{"app_id": id}).List("secrets")[0]["last_used_at"]; used == nil {
			t.Error("the use of the secret is not told")
		}
		owner.Do("APP.SCOPE_REVOKE", P{"app_id": id, "scopes": []string{"apps:read"}}).OK()
		list().Fails(fault.Denied)
		owner.Do("APP.SCOPE_GRANT", P{"app_id": id, "scopes": []string{"apps:read"}}).OK()
		list().OK()
		owner.Do("APP.UPDATE", P{"app_id": id, "enabled": false}).OK()
		list().Fails(fault.Auth)
		owner.Do("APP.UPDATE", P{"app_id": id, "enabled": true}).OK()
		list().Fails(fault.Auth) // what has ended stays so
		machine = login(h, "reader", secret)
		list().OK()
		if ended := owner.Do("APP.DELETE", P{"app_id": id}).Int("tokens_revoked"); ended != 1 {
			t.Errorf("tokens_revoked = %d, want 1", ended)
		}
		list().Fails(fault.Auth)
		// The slug may be taken again, and brings no token back.
		appRegister(owner, "reader", P{"scopes": []string{"apps:read"}})
		list().Fails(fault.Auth)
	})
}

func TestSecretsAreGoodForTokensAsLongAsTheyLive(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	owner := h.SignUp("owner@example.com")
	id, first := appRegister(owner, "worker", nil)
	refused := func(secret string) {
		h.Anonymous().Do("M2M.TOKEN", P{"client_id": "worker", "client_secret": secret}).Fails(fault.Auth)
	}
	second := owner.Do("APP.ROTATE_KEY", P{"app_id": id, "overlap_hours": 1}).String("api_key")
	login(h, "worker", first)
	login(h, "worker", second)
	third := owner.Do("APP.ROTATE_KEY", P{"app_id": id}).String("api_key")
	refused(first)
	refused(second)
	login(h, "worker", third)
	last := owner.Do("APP.GET", P{"app_id": id}).List("secrets")[0]["secret_id"]
	owner.Do("APP.SECRET_REVOKE", P{"app_id": id, "secret_id": last}).OK()
	refused(third)
}

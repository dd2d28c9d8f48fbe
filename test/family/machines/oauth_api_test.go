package machines_test

import (
	"testing"

	"gatehouse.internal/test/harness"
)

// free registers the application with whatever scopes APIs have.
func free(by *harness.Actor) oauthMachine {
	return oauthRegister(by, "wiki", P{"type": "web", "redirect_urls": []string{callback}})
}

// living fails the test unless tokens live for some seconds, as they say.
func living(t *testing.T, what string, tokens *harness.Reply, seconds int) {
	t.Helper()
	claims := oauthClaims(t, tokens.OK())
	if tokens.Int("expires_in") != seconds || claims["exp"].(float64)-claims["iat"].(float64) != float64(seconds) || claims["aud"] != api {
		t.Errorf("%s: %d s, %v", what, tokens.Int("expires_in"), claims)
	}
}

// Tokens that act for people at an API live no longer than it says, by whichever grant.
func TestLifeOfTokensForAnAPI(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		ada := here.SignUp("ada@example.com")
		id := create(ada, api, P{"scopes": scopes("read", "write"), "access_ttl_seconds": 120}).OK().String("resource.id")
		app := free(ada)
		television := oauthRegister(ada, "tv", P{"type": "native", "grant_types": []string{"device_code", "refresh_token"}})
		search := oauthRegister(ada, "search", nil)
		ada.Do("APP.UPDATE", P{"app_id": search.id, "token_exchange": true, "token_exchange_clients": []string{"wiki"}}).OK()
		first := app.redeem(here, codeOf(t, ada, P{"resource": api, "scope": "openid read write offline_access"}))
		living(t, "by a code", first, 120)
		begun := television.begin(there, P{"resource": api, "scope": "openid read"}).OK()
		answer(ada, begun, true).OK()
		living(t, "by a device", television.poll(here, begun), 120)
		ada.Do("OAUTH.RESOURCE_UPDATE", P{"resource_id": id, "access_ttl_seconds": 60}).OK()
		living(t, "by an exchange", search.exchange(there, first.String("access_token"), P{"scope": "read"}), 60)
		living(t, "by a refresh", app.refresh(there, first.String("refresh_token")), 60)
	})
}

// What is taken from a client, or from the API, is in no token that is given out later, and an API
// that is deleted or is somebody else's by then is refused without a loss.
func TestAPIsChangeUnderTheirGrants(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		ada, bob, root := here.SignUp("ada@example.com"), here.SignUp("bob@example.com"), here.Superadmin()
		id := create(ada, api, P{"scopes": scopes("read", "write")}).OK().String("resource.id")
		app, rs, foreign := free(ada), server(ada, "rs"), server(bob, "foreign")
		asks := P{"resource": api, "scope": "openid users:read read write offline_access"}
		ada.Do("APP.SCOPE_GRANT", P{"app_id": app.id, "scopes": []string{"users:read"}}).OK()
		first := app.redeem(here, codeOf(t, ada, asks)).OK()
		if first.String("scope") != "openid users:read read write offline_access" {
			t.Fatalf("the scope at first: %v", first.Data)
		}
		ada.Do("APP.SCOPE_REVOKE", P{"app_id": app.id, "scopes": []string{"users:read"}}).OK()
		ada.Do("OAUTH.RESOURCE_UPDATE", P{"resource_id": id, "scopes": scopes("read")}).OK()
		second := app.refresh(there, first.String("refresh_token")).OK()
		if second.String("scope") != "openid read offline_access" || oauthClaims(t, second)["scope"] != second.String("scope") {
			t.Errorf("the scope after some were taken away: %v", second.Data)
		}
		code := codeOf(t, ada, asks)
		ada.Do("OAUTH.RESOURCE_DELETE", P{"resource_id": id}).OK()
		for _, h := range []*harness.Service{here, there} {
			refused(t, "the refresh for a deleted API", app.refresh(h, second.String("refresh_token")), "invalid_target")
			refused(t, "the code for a deleted API", app.redeem(h, code), "invalid_target")
		}
		id = create(ada, api, P{"scopes": scopes("read")}).OK().String("resource.id")
		third := app.refresh(here, second.String("refresh_token")).OK()
		fresh := app.redeem(there, code).OK()
		access := third.String("access_token")
		if seen := rs.by(there).Do("OAUTH.INTROSPECT", P{"token": access}).OK(); !seen.Bool("active") {
			t.Errorf("before the API moves: %v", seen.Data)
		}
		root.Do("OAUTH.RESOURCE_UPDATE", P{"resource_id": id, "new_org_id": bob.OrgID}).OK()
		for _, by := range []oauthMachine{rs, foreign} {
			by.dead(t, there, "an access token for an API that moved", access)
			by.dead(t, here, "a refresh token for an API that moved", third.String("refresh_token"))
		}
		refused(t, "the refresh for an API that moved", app.refresh(there, third.String("refresh_token")), "invalid_target")
		// A code that comes again ends its grant all the same.
		refused(t, "a code that comes again", app.redeem(here, code), "invalid_grant")
		root.Do("OAUTH.RESOURCE_UPDATE", P{"resource_id": id, "new_org_id": ada.OrgID}).OK()
		refused(t, "the grant of that code", app.refresh(here, fresh.String("refresh_token")), "invalid_grant")
	})
}

// An API of which a superadmin says so asks nobody before an app acts there for them, unless that
// also wants to know who they are, or nobody vouches for it.
func TestAPIsThatAskNobody(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada, root := h.SignUp("ada@example.com"), h.Superadmin()
		id := create(ada, api, P{"scopes": scopes("read")}).OK().String("resource.id")
		app := free(ada)
		ada.Do("APP.SCOPE_GRANT", P{"app_id": app.id, "scopes": []string{"users:read"}}).OK()
		asks := func(more P) bool {
			return ada.Do("OAUTH.AUTHORIZE", request(more)).OK().Has("consent_required")
		}
		if !asks(P{"resource": api, "scope": "read"}) {
			t.Error("nobody was asked by an API that asks")
		}
		root.Do("OAUTH.RESOURCE_UPDATE", P{"resource_id": id, "skip_consent": true}).OK()
		for range 2 {
			code := answered(t, ada.Do("OAUTH.AUTHORIZE", request(P{"resource": api, "scope": "read"}))).Get("code")
			if got := app.redeem(h, code).OK(); got.String("scope") != "read" {
				t.Errorf("unasked: %v", got.Data)
			}
		}
		if items := ada.Do("OAUTH.CONSENT_LIST", nil).OK().List("items"); len(items) != 0 {
			t.Errorf("consents of who was not asked: %v", items)
		}
		if !asks(P{"resource": api, "scope": "read openid"}) || !asks(P{"scope": "users:read"}) || !asks(P{"resource": api, "scope": "read", "prompt": "consent"}) {
			t.Error("nobody was asked for more than the API")
		}
		codeOf(t, ada, P{"resource": api, "scope": "openid"})
		if asks(P{"resource": api, "scope": "read openid"}) {
			t.Error("somebody was asked who agreed")
		}
		registration(h, "open")
		stranger := h.Anonymous().Do("OAUTH.CLIENT_REGISTER", P{
			"client_name": "Stranger", "redirect_uris": []string{callback}, "token_endpoint_auth_method": "none",
		}).OK().String("client_id")
		root.Do("OAUTH.RESOURCE_UPDATE", P{"resource_id": id, "new_org_id": root.OrgID}).OK()
		if !asks(P{"client_id": stranger, "resource": api, "scope": "read"}) {
			t.Error("nobody was asked for a client that nobody vouches for")
		}
	})
}

package machines_test

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/test/harness"
)

// tv registers a program on devices, which has no secret.
func tv(by *harness.Actor) oauthMachine {
	return oauthRegister(by, "tv", P{"type": "native", "grant_types": []string{"device_code", "refresh_token"}, "scopes": []string{"users:read"}})
}

// begin has a device wait.
func (m oauthMachine) begin(h *harness.Service, more P) *harness.Reply {
	params := m.proves(P{"scope": "openid email users:read", "nonce": "n-0S6"})
	for name, value := range more {
		params[name] = value
	}
	return h.Anonymous().Do("OAUTH.DEVICE_START", params)
}

// poll asks for the tokens of a device.
func (m oauthMachine) poll(h *harness.Service, begun *harness.Reply) *harness.Reply {
	return h.Anonymous().Do("OAUTH.TOKEN", m.proves(P{"grant_type": oauth.DeviceGrant, "device_code": begun.String("device_code")}))
}

// answer decides about a device.
func answer(by *harness.Actor, begun *harness.Reply, approve bool) *harness.Reply {
	return by.Do("OAUTH.DEVICE_DECIDE", P{"user_code": begun.String("user_code"), "approve": approve})
}

// A device waits, is let in by somebody on another replica, and acts for them.
func TestDeviceGrant(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		ada := here.SignUp("ada@example.com")
		app := tv(ada)
		begun := app.begin(here, nil).OK()
		code := begun.String("user_code")
		page := harness.Issuer + "/device"
		if begun.String("verification_uri") != page || begun.String("verification_uri_complete") != page+"?user_code="+code || begun.Int("expires_in") != 600 || begun.Int("interval") != 5 {
			t.Errorf("the device is told %v", begun.Data)
		}
		refused(t, "before an answer", app.poll(here, begun), "authorization_pending")
		refused(t, "too soon", app.poll(there, begun), "slow_down")

		typed := strings.ToLower(strings.ReplaceAll(code, "-", " "))
		asked := there.With(ada.AccessToken).Do("OAUTH.DEVICE_GET", P{"user_code": typed}).OK()
		if asked.String("client.name") != "tv" || asked.String("user_agent") == "" || asked.String("ip") == "" || len(asked.Data["scopes"].([]any)) != 3 {
			t.Errorf("who asks: %v", asked.Data)
		}
		here.Clock.Advance(20 * time.Second) // the clock of there may be ahead by seconds
		refused(t, "after a look", app.poll(here, begun), "authorization_pending")
		if got := answer(there.With(ada.AccessToken), begun, true).OK(); !got.Bool("approved") {
			t.Errorf("the answer: %v", got.Data)
		}
		answer(ada, begun, false).Fails(fault.NotFound)
		ada.Do("OAUTH.DEVICE_GET", P{"user_code": code}).Fails(fault.NotFound)

		tokens := app.poll(there, begun).OK() // at once: what was answered need not wait
		info := here.With(tokens.String("access_token")).Do("OAUTH.USERINFO", nil).OK()
		if info.String("sub") != ada.UserID || info.String("claims.email") != "ada@example.com" || tokens.String("scope") != "openid email users:read" {
			t.Errorf("userinfo %v, tokens %v", info.Data, tokens.Data)
		}
		here.With(tokens.String("access_token")).Do("USER.GET", P{"user_id": ada.UserID}).OK()
		next := app.refresh(here, tokens.String("refresh_token")).OK()
		if listed := ada.Do("OAUTH.CONSENT_LIST", nil).OK(); len(listed.List("items")) != 1 {
			t.Errorf("the consents: %v", listed.Data)
		}
		for kind, want := range map[event.Kind]int{oauth.KindDeviceApproved: 1, oauth.KindCodeIssued: 0, oauth.KindTokenIssued: 2} {
			if got := len(here.Events(kind)); got != want {
				t.Errorf("%d events of %s, want %d", got, kind, want)
			}
		}

		refused(t, "a second time", app.poll(here, begun), "invalid_grant")
		here.With(next.String("access_token")).Do("OAUTH.USERINFO", nil).Fails(fault.Auth)
		app.refresh(there, next.String("refresh_token")).Fails(fault.Validation)
	})
}

// Of devices that ask with one code at once, on two replicas, one is given tokens at most.
func TestDeviceRace(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		ada := here.SignUp("ada@example.com")
		app := tv(ada)
		begun := app.begin(here, nil).OK()
		var let, given atomic.Int32
		both := func(do func(at *harness.Service)) {
			var all sync.WaitGroup
			for i := range 8 {
				all.Go(func() { do([]*harness.Service{here, there}[i%2]) })
			}
			all.Wait()
		}
		both(func(at *harness.Service) {
			if answer(at.With(ada.AccessToken), begun, true).Failure == nil {
				let.Add(1)
			}
		})
		both(func(at *harness.Service) {
			if app.poll(at, begun).Failure == nil {
				given.Add(1)
			}
		})
		if let.Load() != 1 || given.Load() != 1 {
			t.Errorf("the device was let in %d times and given tokens %d times", let.Load(), given.Load())
		}
	})
}

// What came to nothing stays nothing.
func TestDevicesEnd(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, _ *harness.Service) {
		ada := here.SignUp("ada@example.com")
		app := tv(ada)
		denied := app.begin(here, nil).OK()
		if got := answer(ada, denied, false).OK(); got.Bool("approved") {
			t.Errorf("a refusal: %v", got.Data)
		}
		refused(t, "refused", app.poll(here, denied), "access_denied")
		refused(t, "refused, again", app.poll(here, denied), "access_denied")

		unanswered, late := app.begin(here, nil).OK(), app.begin(here, nil).OK()
		answer(ada, late, true).OK()
		shut := app.begin(here, nil).OK()
		answer(ada, shut, true).OK()
		ada.Do("OAUTH.CONSENT_REVOKE", P{"app_id": app.id}).OK() // ends what was not fetched yet, too
		refused(t, "shut out", app.poll(here, shut), "invalid_grant")
		again := app.begin(here, nil).OK()
		answer(ada, again, true).OK()
		here.Clock.Advance(oauth.DeviceLife)
		refused(t, "not answered in time", app.poll(here, unanswered), "expired_token")
		answer(ada, unanswered, true).Fails(fault.NotFound)
		ada.Do("OAUTH.DEVICE_GET", P{"user_code": unanswered.String("user_code")}).Fails(fault.NotFound)
		refused(t, "not fetched in time", app.poll(here, again), "expired_token")
		if got := len(here.Events(oauth.KindTokenIssued)); got != 0 {
			t.Errorf("%d tokens were issued", got)
		}

		guest := here.Login("ada@example.com", harness.Password)
		bound, offline := app.begin(here, nil).OK(), app.begin(here, P{"scope": "openid offline_access"}).OK()
		answer(guest, bound, true).OK()
		answer(guest, offline, true).OK()
		guest.Do("AUTH.LOGOUT", nil).OK()
		refused(t, "of a session that ended", app.poll(here, bound), "invalid_grant")
		app.poll(here, offline).OK()
	})
}

// A device code is worth nothing to others, and a code of another kind is none.
func TestForeignDevices(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada := h.SignUp("ada@example.com")
		app := tv(ada)
		web := wiki(ada)
		other := oauthRegister(ada, "other", P{"type": "web", "grant_types": []string{"device_code"}})
		begun := app.begin(h, nil).OK()
		refused(t, "an app without the grant type starts", web.begin(h, nil), "unauthorized_client")
		refused(t, "an app without the grant type asks", web.poll(h, begun), "unauthorized_client")
		refused(t, "another app asks", other.poll(h, begun), "invalid_grant")
		refused(t, "scopes that the app may not have", app.begin(h, P{"scope": "apps:write"}), "invalid_scope")
		refused(t, "no code", h.Anonymous().Do("OAUTH.TOKEN", P{"grant_type": oauth.DeviceGrant, "client_id": app.slug}), "invalid_request")
		h.Anonymous().Do("OAUTH.DEVICE_START", P{"client_id": "other"}).Fails(fault.Auth)
		h.Anonymous().Do("OAUTH.DEVICE_START", P{"client_id": "nobody"}).Fails(fault.Auth)
		h.Superadmin().Do("SETTINGS.SET", P{"values": P{"audiences": "registered"}}).OK()
		refused(t, "a resource of nobody", app.begin(h, P{"resource": "https://unknown.example.org"}), "invalid_target")
		answer(ada, begun, true).OK()
		code := begun.String("device_code")
		for name, params := range map[string]P{
			"made up": {"device_code": code[:len(code)-8] + "AAAAAAAA"}, "a user code": {"device_code": begun.String("user_code")},
		} {
			whole := P{"grant_type": oauth.DeviceGrant, "client_id": app.slug}
			for key, value := range params {
				whole[key] = value
			}
			refused(t, name, h.Anonymous().Do("OAUTH.TOKEN", whole), "invalid_grant")
		}
		refused(t, "as an authorization code", h.Anonymous().Do("OAUTH.TOKEN", P{
			"grant_type": "authorization_code", "client_id": web.slug, "client_secret": web.secret, "code": code, "redirect_uri": callback, "code_verifier": verifier,
		}), "invalid_grant")
		ada.Do("APP.UPDATE", P{"app_id": app.id, "enabled": false}).OK()
		app.poll(h, begun).Fails(fault.Auth)
		waiting := other.begin(h, nil).OK()
		ada.Do("APP.UPDATE", P{"app_id": other.id, "enabled": false}).OK()
		ada.Do("OAUTH.DEVICE_GET", P{"user_code": waiting.String("user_code")}).Fails(fault.NotFound)
		answer(ada, waiting, true).Fails(fault.NotFound)
	})
}

// User codes are tried a few times by a session, and by an address, and then no more: also
// not the right one.
func TestGuessedUserCodes(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		ada := here.SignUp("ada@example.com")
		begun := tv(ada).begin(here, nil).OK()
		for _, command := range []string{"OAUTH.DEVICE_GET", "OAUTH.DEVICE_DECIDE"} {
			params := P{"user_code": "BBBB-BBBB"}
			if command == "OAUTH.DEVICE_DECIDE" {
				params["approve"] = true
			}
			sessions := []*harness.Actor{here.Login("ada@example.com", harness.Password), here.Login("ada@example.com", harness.Password), here.Login("ada@example.com", harness.Password)}
			for _, one := range sessions {
				for i := range 20 {
					[]*harness.Actor{one, there.With(one.AccessToken)}[i%2].From(7).Do(command, params).Fails(fault.NotFound)
				}
			}
			params["user_code"] = begun.String("user_code")
			sessions[0].From(8).Do(command, params).Fails(fault.RateLimited) // the session has had its share
			here.With(ada.AccessToken).From(7).Do(command, params).Fails(fault.RateLimited)
			there.With(ada.AccessToken).From(9).Do(command, params).OK()
		}
	})
}

// However many there are who guess, they guess so often together.
func TestGuessesOfAll(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada, eve := h.SignUp("ada@example.com"), h.SignUp("eve@example.com")
		begun := tv(ada).begin(h, nil).OK()
		h.Superadmin().Do("RATE_LIMIT.SET", P{"command": "OAUTH.DEVICE_GET", "key": "all", "limit": 3, "window_seconds": 3600}).OK()
		for i := range 3 {
			eve.From(i+1).Do("OAUTH.DEVICE_GET", P{"user_code": "BBBB-BBBB"}).Fails(fault.NotFound)
		}
		ada.Do("OAUTH.DEVICE_GET", P{"user_code": begun.String("user_code")}).Fails(fault.RateLimited)
		h.Superadmin().Do("RATE_LIMIT.RESET", P{"command": "OAUTH.DEVICE_GET", "subject": "all"}).OK()
		ada.Do("OAUTH.DEVICE_GET", P{"user_code": begun.String("user_code")}).OK()
	})
}

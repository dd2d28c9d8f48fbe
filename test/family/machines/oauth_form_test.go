package machines_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/test/harness"
)

// malformedRequests are the parameters that no client may send, by the error that it gets.
func malformedRequests() map[string][]P {
	long := func(n int) string { return strings.Repeat("a", n+1) }
	return map[string][]P{
		oauth.InvalidRequest: {
			{"max_age": -1},
			{"state": long(2048)},
			{"nonce": long(1024)},
			{"login_hint": long(320)},
			{"id_token_hint": long(8192)},
			{"acr_values": long(512)},
			{"claims": `{"userinfo":{"` + long(8192) + `":null}}`},
			{"dpop_jkt": "short"},
			{"dpop_jkt": long(43)},
			{"prompt": "create"},
			{"prompt": "login " + long(64)},
			{"response_mode": long(32)},
			{"code_challenge": long(128)},
			{"code_challenge_method": long(16)},
		},
		oauth.UnsupportedResponseType: {{"response_type": long(64)}},
		oauth.InvalidScope:            {{"scope": long(4096)}},
		oauth.InvalidTarget: {
			{"resource": "made-up"}, {"resource": "/path"}, {"resource": "https://api.example.com#fragment"}, {"resource": "https://api.example.com#"}, {"resource": "https://" + long(512)},
		},
	}
}

// What is wrong with the parameters of an authorization request goes back to the client, also
// if it is pushed or in an object. Languages of pages are ignored, however long.
func TestMalformedRequests(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada := h.SignUp("ada@example.com")
		app := wiki(ada)
		for want, all := range malformedRequests() {
			for _, params := range all {
				back := answered(t, ada.Do("OAUTH.AUTHORIZE", request(params)))
				state, sent := params["state"].(string)
				if !sent {
					state = "xyz"
				}
				if back.Get("error") != want || back.Get("state") != state || back.Get("iss") != harness.Issuer {
					t.Errorf("%.60v: the answer %.200v, want %s", params, back, want)
				}
				pushed := request(params)
				pushed["client_secret"] = app.secret
				refused(t, "pushed", h.Anonymous().Do("OAUTH.REQUEST_PUSH", pushed).Fails(fault.Validation), want)
			}
		}
		for malformed, want := range map[string]string{"repeated": oauth.InvalidRequest, "repeated_resource": oauth.InvalidTarget, "no_number": oauth.InvalidRequest, "no_text": oauth.InvalidRequest} {
			if back := answered(t, ada.Do("OAUTH.AUTHORIZE", request(P{"malformed": malformed}))); back.Get("error") != want {
				t.Errorf("%s: the answer %v, want %s", malformed, back, want)
			}
		}
		for address, want := range map[string]string{
			"https://elsewhere.example.com/request": oauth.RequestURINotSupported, "urn:ietf:params:oauth:request_uri:x": oauth.InvalidRequestURI, "x": oauth.RequestURINotSupported,
		} {
			if back := answered(t, ada.Do("OAUTH.AUTHORIZE", request(P{"request_uri": address}))); back.Get("error") != want || back.Get("state") != "xyz" {
				t.Errorf("%s: the answer %v, want %s", address, back, want)
			}
		}
		codeOf(t, ada, P{"ui_locales": strings.Repeat("en ", 500), "claims_locales": strings.Repeat("en ", 500), "max_age": 99_999_999_999})
		refused(t, "a device", h.Anonymous().Do("OAUTH.DEVICE_START", P{"client_id": app.slug, "client_secret": app.secret, "resource": "made-up"}), "unauthorized_client")
	})
}

// A resource is a URI, or the slug of a known API.
func TestResourcesByName(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada := h.SignUp("ada@example.com")
		app := wiki(ada)
		oauthRegister(ada, "reports", P{"type": "service"})
		for _, known := range []string{"reports", "https://api.example.com", "urn:example:api"} {
			if code := codeOf(t, ada, P{"resource": known, "scope": "openid"}); code == "" {
				t.Errorf("no code for %s", known)
			}
		}
		television := oauthRegister(ada, "tv", P{"type": "native", "redirect_urls": []string{"http://127.0.0.1/"}, "grant_types": []string{"authorization_code", "device_code"}})
		for _, wrong := range []string{"made-up", "https://api.example.com#x"} {
			refused(t, wrong, television.begin(h, P{"resource": wrong}), oauth.InvalidTarget)
		}
		_ = app
	})
}

// A page that was left open still leads to the client: with the request for a day, and with an
// error afterwards, or if the request was pushed.
func TestRequestsOutlastTheirPage(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		ada := here.SignUp("ada@example.com")
		app := wiki(ada)
		hold := func(params P) P {
			held := here.Anonymous().Do("OAUTH.AUTHORIZE", params).OK()
			return P{"client_id": app.slug, "request_uri": held.String("request_id")}
		}
		pass := func(some time.Duration) {
			here.Clock.Advance(some)
			there.Clock.Advance(some)
		}
		signedIn := func(after time.Duration) *harness.Actor {
			pass(after)
			return there.Login("ada@example.com", harness.Password)
		}
		// A consent page that was left open asks again.
		consent := func(asked P) {
			t.Helper()
			opened := signedIn(time.Minute).Do("OAUTH.AUTHORIZE", asked).OK()
			person := signedIn(oauth.AnswerLife + time.Second)
			if again := person.Do("OAUTH.AUTHORIZE", P{"client_id": app.slug, "request_uri": opened.String("request_id")}).OK(); !again.Bool("consent_required") {
				t.Errorf("a consent page that was left open: %v", again.Data)
			}
		}
		late := func(got url.Values) {
			t.Helper()
			if got.Get("error") != oauth.TemporarilyUnavailable || got.Get("state") != "xyz" || got.Get("iss") != harness.Issuer {
				t.Errorf("a request that is too old: %v", got)
			}
		}
		consent(hold(request(nil)))
		held := hold(request(P{"prompt": "login"}))
		person := signedIn(12 * time.Hour)
		opened := person.Do("OAUTH.AUTHORIZE", held).OK()
		if code := answered(t, person.Do("OAUTH.CONSENT_DECIDE", P{"request_id": opened.String("request_id"), "approve": true})).Get("code"); code == "" {
			t.Error("no code after twelve hours")
		}
		pass(oauth.AnswerLife + time.Second)
		renewed := there.Anonymous().Do("AUTH.REFRESH", P{"refresh_token": person.RefreshToken}).OK().String("access_token")
		if got := there.With(renewed).Do("OAUTH.AUTHORIZE", held).OK(); !got.Bool("login_required") {
			t.Errorf("opened again, the old login is new: %v", got.Data)
		}
		held = hold(request(nil))
		late(answered(t, signedIn(oauth.PageLife+time.Second).Do("OAUTH.AUTHORIZE", held)))

		pushed := here.Anonymous().Do("OAUTH.REQUEST_PUSH", request(P{"client_secret": app.secret})).OK().String("request_uri")
		held = hold(P{"client_id": app.slug, "request_uri": pushed})
		late(answered(t, signedIn(oauth.AnswerLife+time.Second).Do("OAUTH.AUTHORIZE", held)))
		held = hold(request(P{"nonce": strings.Repeat("n", 1000)}))
		late(answered(t, signedIn(oauth.AnswerLife+time.Second).Do("OAUTH.AUTHORIZE", held)))

		held = hold(request(nil))
		person = signedIn(oauth.AnswerLife + time.Second)
		ada = here.Login("ada@example.com", harness.Password)
		person.Do("OAUTH.AUTHORIZE", P{"client_id": oauthRegister(ada, "other", P{"type": "web", "redirect_urls": []string{callback}}).slug, "request_uri": held["request_uri"]}).Fails(fault.NotFound)
		text, _ := held["request_uri"].(string)
		person.Do("OAUTH.AUTHORIZE", P{"client_id": app.slug, "request_uri": text[:len(text)-4] + "AAAA"}).Fails(fault.NotFound)
		ada.Do("APP.UPDATE", P{"app_id": ada.Do("APP.GET", P{"slug": app.slug}).OK().String("app.id"), "redirect_urls": []string{"https://wiki.example.com/moved"}}).OK()
		person.Do("OAUTH.AUTHORIZE", held).Fails(fault.Validation)
	})
}

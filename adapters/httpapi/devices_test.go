package httpapi_test

import (
	"context"
	"net/http"
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/ports/inbound"
)

// A device authorization starts by a form and returns the response of RFC 8628 section
// 3.2.
func TestDeviceForms(t *testing.T) {
	t.Parallel()
	const begun = `{"device_code":"odc_1","user_code":"WDJB-MJHT","verification_uri":"https://id.test/device","expires_in":600,"interval":5}`
	for name, c := range map[string]struct{ body, authorization, want string }{
		"public": {"client_id=tv&scope=openid+email&unknown=1", "", `{"client_id":"tv","scope":"openid email"}`},
		"secret": {"scope=openid&resource=urn:x&nonce=n", basic("tv", "s"), `{"client_id":"tv","client_secret":"s","scope":"openid","resource":"urn:x","nonce":"n"}`},
	} {
		app := issues(begun)
		r := formTo("/oauth/device_authorization", c.body)
		if c.authorization != "" {
			r.Header.Set("Authorization", c.authorization)
		}
		w := do(start(t, bench(app)), r)
		if w.Code != http.StatusOK || w.Body.String() != begun || w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s: answer = %d %v %s", name, w.Code, w.Header(), w.Body)
		}
		if got := app.last(t); got.Command != "OAUTH.DEVICE_START" || string(got.Params) != c.want || got.Authorization != "" {
			t.Errorf("%s: request = %+v, params %s", name, got, got.Params)
		}
	}
	oauthRefused(t, do(start(t, bench(issues(begun))), formTo("/oauth/device_authorization", "scope=openid")), http.StatusUnauthorized, "invalid_client", "nobody")
}

// A polling device gets the errors of RFC 8628 section 3.5.
func TestDevicePolls(t *testing.T) {
	t.Parallel()
	const asked = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code&client_id=tv&device_code=odc_1"
	for _, word := range []string{"authorization_pending", "slow_down", "expired_token", "access_denied"} {
		app := &scripted{reply: func(context.Context, inbound.Request) inbound.Reply {
			return inbound.Reply{Failure: fault.New(fault.Validation, word+": because")}
		}}
		if why := oauthRefused(t, do(start(t, bench(app)), formTo("/oauth/token", asked)), http.StatusBadRequest, word, word); why != "because" {
			t.Errorf("%s: described as %q", word, why)
		}
		got := app.last(t)
		if want := `{"client_id":"tv","grant_type":"urn:ietf:params:oauth:grant-type:device_code","device_code":"odc_1"}`; got.Command != "OAUTH.TOKEN" || string(got.Params) != want {
			t.Errorf("request = %+v, params %s", got, got.Params)
		}
	}
}

package machines_test

import (
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/test/harness"
)

const goodbye = "https://wiki.example.com/goodbye?from=wiki"

// leave is a logout that the wiki begins with a hint.
func leave(hint string, more P) P {
	params := P{"post_logout_redirect_uri": goodbye, "state": "a b&c"}
	if hint != "" {
		params["id_token_hint"] = hint
	}
	for name, value := range more {
		params[name] = value
	}
	return params
}

// A client that holds an ID token of the person ends their session, on every replica, also when
// that token has expired, and has them sent to its address.
func TestEndSession(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		ada := here.SignUp("ada@example.com")
		app := wiki(ada)
		ada.Do("APP.UPDATE", P{"app_id": app.id, "logout_urls": []string{goodbye}}).OK()
		tokens := app.redeem(here, codeOf(t, ada, nil)).OK()
		here.Clock.Advance(11 * time.Minute)
		next := there.With(ada.AccessToken)
		next.Do("AUTH.WHOAMI", nil).OK()
		before := len(here.Events(session.KindRevoked))

		dry := next.DryRun().Do("OAUTH.END_SESSION", leave(tokens.String("id_token"), nil)).OK()
		if dry.Has("confirmation_required") {
			t.Errorf("a dry run: %v", dry.Data)
		}
		next.Do("AUTH.WHOAMI", nil).OK()
		left := next.Do("OAUTH.END_SESSION", leave(tokens.String("id_token"), P{"client_id": "wiki"})).OK()
		if left.String("redirect_to") != goodbye+"&state=a+b%26c" || left.Has("confirmation_required") || left.String("client.origin") != "https://wiki.example.com" {
			t.Errorf("the logout: %v", left.Data)
		}
		here.With(ada.AccessToken).Do("AUTH.WHOAMI", nil).Fails(fault.Auth)
		here.With(tokens.String("access_token")).Do("OAUTH.USERINFO", nil).Fails(fault.Auth)
		app.refresh(here, tokens.String("refresh_token")).Fails(fault.Validation)
		if got := len(here.Events(session.KindRevoked)) - before; got != 1 {
			t.Errorf("%d sessions ended", got)
		}
		// Who is signed out already goes on to the address.
		if again := there.Anonymous().Do("OAUTH.END_SESSION", leave(tokens.String("id_token"), nil)).OK(); again.String("redirect_to") == "" || again.Has("confirmation_required") {
			t.Errorf("again: %v", again.Data)
		}
	})
}

// Without a token of the person themselves nothing ends: any page could send their browser here.
func TestEndSessionAsks(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada, eve := h.SignUp("ada@example.com"), h.SignUp("eve@example.com")
		app := wiki(ada)
		ada.Do("APP.UPDATE", P{"app_id": app.id, "logout_urls": []string{goodbye}}).OK()
		hers := app.redeem(h, codeOf(t, eve, nil)).OK().String("id_token")
		for what, params := range map[string]P{
			"nothing": {}, "a client that names itself": leave("", P{"client_id": "wiki"}), "a token of somebody else": leave(hers, nil),
		} {
			asked := ada.Do("OAUTH.END_SESSION", params).OK()
			if !asked.Bool("confirmation_required") || asked.Has("client") != (len(params) > 0) {
				t.Errorf("%s: %v", what, asked.Data)
			}
		}
		ada.Do("AUTH.WHOAMI", nil).OK()
		eve.Do("AUTH.WHOAMI", nil).OK()
	})
}

// A browser in which nobody is signed in any more, such as one that lost its cookies, ends the
// session that the hint names (RP-Initiated Logout section 2), and no other one.
func TestEndSessionOfTheHint(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		ada, eve := here.SignUp("ada@example.com"), here.SignUp("eve@example.com")
		app := wiki(ada)
		ada.Do("APP.UPDATE", P{"app_id": app.id, "logout_urls": []string{goodbye}}).OK()
		other := here.Login("ada@example.com", harness.Password)
		tokens := app.redeem(here, codeOf(t, ada, nil)).OK()
		hint := tokens.String("id_token")
		here.Clock.Advance(11 * time.Minute)

		eve.Do("OAUTH.END_SESSION", leave(hint, nil)).OK()
		for what, params := range map[string]P{"a forged hint": leave(hint[:len(hint)-4]+"AAAA", nil), "another client": leave(hint, P{"client_id": "other"})} {
			if got := codeOfFailure(there.Anonymous().Do("OAUTH.END_SESSION", params)); got != fault.Validation {
				t.Errorf("%s: %s", what, got)
			}
		}
		there.Anonymous().Do("OAUTH.END_SESSION", P{"client_id": "wiki"}).OK()
		there.With(ada.AccessToken).Do("AUTH.WHOAMI", nil).OK()

		before := len(here.Events(session.KindRevoked))
		for range 2 {
			left := there.Anonymous().Do("OAUTH.END_SESSION", leave(hint, nil)).OK()
			if left.String("redirect_to") != goodbye+"&state=a+b%26c" || left.Has("confirmation_required") {
				t.Errorf("the logout: %v", left.Data)
			}
		}
		here.With(ada.AccessToken).Do("AUTH.WHOAMI", nil).Fails(fault.Auth)
		here.With(tokens.String("access_token")).Do("OAUTH.USERINFO", nil).Fails(fault.Auth)
		app.refresh(here, tokens.String("refresh_token")).Fails(fault.Validation)
		if got := len(here.Events(session.KindRevoked)) - before; got != 1 {
			t.Errorf("%d sessions ended", got)
		}
		here.With(other.AccessToken).Do("AUTH.WHOAMI", nil).OK()
		here.With(eve.AccessToken).Do("AUTH.WHOAMI", nil).OK()
	})
}

// Without a hint or a client, a person who is signed in is asked, and nobody is sent elsewhere.
func TestEndSessionWithoutAHint(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada := h.SignUp("ada@example.com")
		if got := ada.Do("OAUTH.END_SESSION", leave("", nil)).OK(); !got.Bool("confirmation_required") || got.Has("redirect_to") || got.Has("client") {
			t.Errorf("a person gets %v", got.Data)
		}
		ada.Do("USER.ME", nil).OK()
		if got := h.Anonymous().Do("OAUTH.END_SESSION", leave("", nil)).OK(); got.Has("confirmation_required") || got.Has("redirect_to") {
			t.Errorf("nobody gets %v", got.Data)
		}
	})
}

// Nobody is sent to a place that the client did not name before, and a hint that this service
// did not sign as an ID token is none.
func TestEndSessionStaysHere(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada := h.SignUp("ada@example.com")
		app := wiki(ada)
		oauthRegister(ada, "other", P{"type": "web", "redirect_urls": []string{callback}, "logout_urls": []string{goodbye}})
		ada.Do("APP.UPDATE", P{"app_id": app.id, "logout_urls": []string{goodbye}}).OK()
		tokens := app.redeem(h, codeOf(t, ada, nil)).OK()
		hint := tokens.String("id_token")
		for what, test := range map[string]struct {
			params P
			want   fault.Code
		}{
			"another address":    {leave(hint, P{"post_logout_redirect_uri": "https://evil.example/"}), fault.Validation},
			"a longer address":   {leave(hint, P{"post_logout_redirect_uri": goodbye + "&x=1"}), fault.Validation},
			"a redirect address": {leave(hint, P{"post_logout_redirect_uri": callback}), fault.Validation},
			"another client":     {leave(hint, P{"client_id": "other"}), fault.Validation},
			"nobody":             {leave("", P{"client_id": "nobody-here"}), fault.NotFound},
			"an access token":    {leave(tokens.String("access_token"), nil), fault.Validation},
			"a token of a login": {leave(ada.AccessToken, nil), fault.Validation},
			"a forged hint":      {leave(hint[:len(hint)-4]+"AAAA", nil), fault.Validation},
			"an unsigned hint":   {leave(hint[:strings.LastIndex(hint, ".")+1], nil), fault.Validation},
		} {
			for who, by := range map[string]*harness.Actor{"ada": ada, "nobody": h.Anonymous()} {
				if got := codeOfFailure(by.Do("OAUTH.END_SESSION", test.params)); got != test.want {
					t.Errorf("%s, %s signed in: %s, want %s", what, who, got, test.want)
				}
			}
		}
		h.With(tokens.String("access_token")).Do("OAUTH.END_SESSION", leave(hint, nil)).Fails(fault.Denied)
		ada.Do("AUTH.WHOAMI", nil).OK()
		ada.Do("APP.UPDATE", P{"app_id": app.id, "enabled": false}).OK()
		ada.Do("OAUTH.END_SESSION", leave(hint, nil)).Fails(fault.NotFound)
	})
}

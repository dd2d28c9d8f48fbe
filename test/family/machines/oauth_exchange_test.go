package machines_test

import (
	"maps"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/dpop"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/test/harness"
)

// exchanger registers a service that may exchange the tokens of other clients.
func exchanger(by *harness.Actor, slug string, of ...string) oauthMachine {
	made := oauthRegister(by, slug, P{"scopes": []string{"users:read"}})
	by.Do("APP.UPDATE", P{"app_id": made.id, "token_exchange": true, "token_exchange_clients": append([]string{}, of...)}).OK()
	return made
}

// exchange asks for a token in place of another one.
func (m oauthMachine) exchange(h *harness.Service, subject string, more P) *harness.Reply {
	params := m.proves(P{
		"grant_type": oauth.ExchangeGrant, "subject_token": subject, "subject_token_type": oauth.AccessTokenType,
	})
	for name, value := range more {
		params[name] = value
		if value == nil {
			delete(params, name)
		}
	}
	return h.Anonymous().Do("OAUTH.TOKEN", params)
}

// refusedFor fails the test unless a call was refused by an error of OAuth.
func refusedFor(t *testing.T, what string, r *harness.Reply, word string) {
	t.Helper()
	if r.Failure == nil || !strings.HasPrefix(r.Failure.Message, word+":") {
		t.Errorf("%s: %v %v, want %s", what, r.Failure, r.Data, word)
	}
}

// A service acts for a person by the token that a client called it with: for fewer scopes, named
// in the token, and no longer than that one holds; another one acts behind it.
func TestTokenExchange(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		ada := here.SignUp("ada@example.com")
		app := wiki(ada)
		search, index := exchanger(ada, "search", "wiki"), exchanger(ada, "index", "search")
		first := app.redeem(here, codeOf(t, ada, P{"scope": "openid email users:read offline_access"})).OK().String("access_token")

		given := search.exchange(there, first, P{"scope": "users:read openid"}).OK()
		second := given.String("access_token")
		claims, before := part(t, second, 1), part(t, first, 1)
		act, _ := claims["act"].(map[string]any)
		if given.String("issued_token_type") != oauth.AccessTokenType || given.String("token_type") != "Bearer" || given.Has("refresh_token") || given.Has("id_token") ||
			given.String("scope") != "users:read openid" || claims["sub"] != ada.UserID || claims["client_id"] != "search" || claims["aud"] != before["aud"] ||
			act["sub"] != "search" || len(act) != 1 || claims["exp"].(float64) > before["exp"].(float64) {
			t.Errorf("exchanged: %v with %v", given.Data, claims)
		}
		here.With(second).Do("USER.GET", P{"user_id": ada.UserID}).OK()
		if info := here.With(second).Do("OAUTH.USERINFO", nil).OK(); info.Has("claims.email") {
			t.Errorf("the scope email was left out: %v", info.Data)
		}

		third := index.exchange(here, second, P{"scope": "openid"}).OK().String("access_token")
		if act, _ := part(t, third, 1)["act"].(map[string]any); act["sub"] != "index" || act["act"].(map[string]any)["sub"] != "search" {
			t.Errorf("who acts: %v", act)
		}
		there.With(third).Do("OAUTH.USERINFO", nil).OK()
		there.With(third).Do("USER.GET", P{"user_id": ada.UserID}).Fails(fault.Denied)
		refusedFor(t, "wider than what was exchanged", index.exchange(here, second, P{"scope": "openid email"}), "invalid_scope")

		issued := here.Events(oauth.KindTokenIssued)
		if last := issued[0].Data; !strings.Contains(string(last), `"by":"token_exchange"`) || !strings.Contains(string(last), `"source_grant_id":"grt_`) {
			t.Errorf("the event: %s", last)
		}

		// A client ends what it was given, and all that came of it, at once on all replicas.
		here.Anonymous().Do("OAUTH.REVOKE", search.proves(P{"token": second})).OK()
		there.With(third).Do("OAUTH.USERINFO", nil).Fails(fault.Auth)
		here.With(second).Do("OAUTH.USERINFO", nil).Fails(fault.Auth)
		here.With(first).Do("OAUTH.USERINFO", nil).OK()
		refusedFor(t, "a token that ended", index.exchange(there, second, nil), "invalid_request")
	})
}

// What was exchanged ends at once with what it came from, and with whoever acts.
func TestExchangedTokensEnd(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		ada := here.SignUp("ada@example.com")
		app := wiki(ada)
		search, index := exchanger(ada, "search", "wiki"), exchanger(ada, "index", "search")
		chain := func(scope string) (first, third string) {
			first = app.redeem(here, codeOf(t, ada, P{"scope": scope})).OK().String("access_token")
			return first, index.exchange(there, search.exchange(here, first, nil).OK().String("access_token"), nil).OK().String("access_token")
		}
		for name, ends := range map[string]func(first string){
			"revoked by the client": func(first string) { here.Anonymous().Do("OAUTH.REVOKE", app.proves(P{"token": first})).OK() },
			"consent":               func(string) { ada.Do("OAUTH.CONSENT_REVOKE", P{"app_id": app.id}).OK() },
			"the app in between": func(string) {
				ada.Do("APP.UPDATE", P{"app_id": search.id, "enabled": false}).OK()
			},
			"the first app": func(string) { ada.Do("APP.UPDATE", P{"app_id": app.id, "enabled": false}).OK() },
		} {
			first, third := chain("openid users:read offline_access")
			there.With(third).Do("OAUTH.USERINFO", nil).OK()
			ends(first)
			if got := there.With(third).Do("OAUTH.USERINFO", nil); codeOfFailure(got) != fault.Auth {
				t.Errorf("%s: %v", name, got.Data)
			}
			for _, id := range []string{app.id, search.id} {
				ada.Do("APP.UPDATE", P{"app_id": id, "enabled": true}).OK()
			}
		}
		_, third := chain("openid users:read")
		ada.Do("AUTH.LOGOUT", nil).OK()
		there.With(third).Do("OAUTH.USERINFO", nil).Fails(fault.Auth)
		again := here.Login("ada@example.com", harness.Password)
		first := app.redeem(here, codeOf(t, again, nil)).OK().String("access_token")
		second := search.exchange(here, first, nil).OK().String("access_token")
		again.Do("APP.DELETE", P{"app_id": app.id}).OK()
		there.With(second).Do("OAUTH.USERINFO", nil).Fails(fault.Auth)
	})
}

// Who may exchange what is said by the app; an exchange narrows.
func TestRefusedExchanges(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada, eve := h.SignUp("ada@example.com"), h.SignUp("eve@example.com")
		app := wiki(ada)
		search, other := exchanger(ada, "search", "wiki"), exchanger(eve, "other")
		idle := oauthRegister(ada, "idle", nil)
		tokens := app.redeem(h, codeOf(t, ada, nil)).OK()
		first := tokens.String("access_token")
		machine := h.Anonymous().Do("M2M.TOKEN", search.proves(P{})).OK().String("access_token")
		foreign := h.Anonymous().Do("M2M.TOKEN", other.proves(P{})).OK().String("access_token")
		refusedFor(t, "an app that may not", idle.exchange(h, first, nil), "unauthorized_client")
		refusedFor(t, "a client that is not listed", other.exchange(h, first, nil), "invalid_request")
		h.Anonymous().Do("OAUTH.TOKEN", P{
			"grant_type": oauth.ExchangeGrant, "client_id": "search", "subject_token": first, "subject_token_type": oauth.AccessTokenType,
		}).Fails(fault.Auth)
		for word, cases := range map[string]map[string]P{
			"invalid_request": {
				"no token": {"subject_token": nil}, "no type": {"subject_token_type": nil}, "an ID token": {"subject_token": tokens.String("id_token")},
				"an ID token said to be one":  {"subject_token": tokens.String("id_token"), "subject_token_type": "urn:ietf:params:oauth:token-type:id_token"},
				"a refresh token":             {"subject_token": tokens.String("refresh_token")},
				"a login":                     {"subject_token": ada.AccessToken},
				"a machine's":                 {"subject_token": machine},
				"altered":                     {"subject_token": first[:len(first)-4] + "AAAA"},
				"another type wanted":         {"requested_token_type": "urn:ietf:params:oauth:token-type:refresh_token"},
				"an actor without its type":   {"actor_token": machine},
				"a type without an actor":     {"actor_token_type": oauth.AccessTokenType},
				"the token of another client": {"actor_token": foreign, "actor_token_type": oauth.AccessTokenType},
				"a login as actor":            {"actor_token": ada.AccessToken, "actor_token_type": oauth.AccessTokenType},
			},
			"invalid_scope":  {"a scope it has not": {"scope": "openid apps:read"}, "a scope of the app alone": {"scope": "org"}},
			"invalid_target": {"another audience": {"audience": "https://api.example.com"}, "another resource": {"resource": "https://api.example.com"}},
		} {
			for name, more := range cases {
				refusedFor(t, name, search.exchange(h, first, more), word)
			}
		}
		named := search.exchange(h, first, P{"actor_token": machine, "actor_token_type": oauth.AccessTokenType, "audience": harness.Issuer, "resource": harness.Issuer}).OK()
		if act, _ := part(t, named.String("access_token"), 1)["act"].(map[string]any); act["sub"] != "search" {
			t.Errorf("who acts: %v", act)
		}
		refusedFor(t, "one of its own that it may not", app.exchange(h, first, nil), "unauthorized_client")
		ada.Do("APP.UPDATE", P{"app_id": app.id, "token_exchange": true}).OK()
		own := first
		for range oauth.MaxActors {
			own = app.exchange(h, own, nil).OK().String("access_token")
		}
		refusedFor(t, "one too many", app.exchange(h, own, nil), "invalid_request")
		spa := ada.Do("APP.REGISTER", P{"name": "spa", "slug": "spa", "type": "spa", "redirect_urls": []string{callback}}).OK()
		ada.Do("APP.UPDATE", P{"app_id": spa.String("app.id"), "token_exchange": true}).Fails(fault.Validation)
		h.Clock.Advance(14 * time.Minute)
		late := app.exchange(h, first, nil).OK()
		if late.Int("expires_in") > 60 {
			t.Errorf("it outlives what it was exchanged for: %v", late.Data)
		}
		h.Clock.Advance(time.Minute)
		h.With(late.String("access_token")).Do("OAUTH.USERINFO", nil).Fails(fault.TokenExpired)
		refusedFor(t, "expired", app.exchange(h, first, nil), "invalid_request")
	})
}

// A token that is bound to a key is exchanged for none that is bound to none; the client that it
// was given to proves to hold that key, another one a key of its own.
func TestBoundExchanges(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada := h.SignUp("ada@example.com")
		app := wiki(ada)
		search := exchanger(ada, "search", "wiki")
		ada.Do("APP.UPDATE", P{"app_id": app.id, "token_exchange": true}).OK()
		holder, another := h.Holder(), h.Holder()
		ask := func(m oauthMachine, by *harness.Holder, params P) (P, *fault.Error) {
			proof := ""
			if by != nil {
				proof = by.Proof("POST", endpoint, "")
			}
			reply := direct(t, h, "OAUTH.TOKEN", m.proves(params), proof, "")
			return decoded(t, reply), reply.Failure
		}
		made, failure := ask(app, holder, P{"grant_type": "authorization_code", "code": codeOf(t, ada, nil), "redirect_uri": callback, "code_verifier": verifier})
		if failure != nil {
			t.Fatal(failure)
		}
		subject := P{"grant_type": oauth.ExchangeGrant, "subject_token": made["access_token"], "subject_token_type": oauth.AccessTokenType}
		for name, c := range map[string]struct {
			by   oauthMachine
			key  *harness.Holder
			want *fault.Error
		}{
			"no proof of another client": {search, nil, dpop.ErrAbsent},
			"no proof of its own":        {app, nil, dpop.ErrAbsent},
			"another key of its own":     {app, another, dpop.ErrOtherKey},
		} {
			if got, failure := ask(c.by, c.key, maps.Clone(subject)); failure != c.want {
				t.Errorf("%s: %v, %v", name, got, failure)
			}
		}
		got, failure := ask(search, another, maps.Clone(subject))
		if failure != nil || got["token_type"] != "DPoP" || part(t, got["access_token"].(string), 1)["cnf"].(P)["jkt"] != another.Thumbprint() {
			t.Errorf("bound to the key of who acts: %v, %v", got, failure)
		}
		h.With(got["access_token"].(string)).Do("OAUTH.USERINFO", nil).Fails(fault.TokenInvalid)
		if got, failure := ask(app, holder, maps.Clone(subject)); failure != nil || got["token_type"] != "DPoP" {
			t.Errorf("bound to its own key: %v, %v", got, failure)
		}
	})
}

// No app of another workspace exchanges the tokens of a client, though it lists that: it would free
// a stolen token from the key that it is bound to, and give it another client's name.
func TestForeignExchanges(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada, eve := h.SignUp("ada@example.com"), h.SignUp("eve@example.com")
		app := wiki(ada)
		evil, search := exchanger(eve, "evil", "wiki"), exchanger(ada, "search", "wiki")
		stolen := app.redeem(h, codeOf(t, ada, nil)).OK().String("access_token")
		refusedFor(t, "a foreign client that is listed", evil.exchange(h, stolen, P{"scope": "openid"}), "invalid_request")
		bound := decoded(t, direct(t, h, "OAUTH.TOKEN", app.proves(P{
			"grant_type": "authorization_code", "code": codeOf(t, ada, nil), "redirect_uri": callback, "code_verifier": verifier,
		}), h.Holder().Proof("POST", endpoint, ""), ""))
		reply := direct(t, h, "OAUTH.TOKEN", evil.proves(P{
			"grant_type": oauth.ExchangeGrant, "subject_token": bound["access_token"], "subject_token_type": oauth.AccessTokenType,
		}), h.Holder().Proof("POST", endpoint, ""), "")
		if reply.Failure == nil || !strings.HasPrefix(reply.Failure.Message, "invalid_request:") {
			t.Errorf("a foreign client, by a key of its own: %v", reply.Failure)
		}
		search.exchange(h, stolen, nil).OK()
	})
}

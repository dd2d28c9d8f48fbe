package machines_test

import (
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/ports/inbound"
	"gatehouse.internal/test/harness"
)

// server is a resource server of somebody's workspace, that may introspect tokens.
func server(by *harness.Actor, slug string) oauthMachine {
	return oauthRegister(by, slug, P{"scopes": []string{"tokens:introspect"}})
}

// by calls as a client that authenticates by its secret.
func (m oauthMachine) by(h *harness.Service) *harness.Actor {
	return h.Client(inbound.ClientCredentials{ID: m.slug, Secret: secret.New(m.secret)})
}

// A resource server is told of every kind of token that concerns its workspace, on every
// replica, until it ends; one of another workspace is told of none.
func TestOAuthIntrospect(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		ada, eve := here.SignUp("ada@example.com"), here.SignUp("eve@example.com")
		app, rs, foreign := wiki(ada), server(ada, "rs"), server(eve, "foreign")
		worker := oauthRegister(ada, "worker", P{"scopes": []string{"apps:read"}})
		tokens := app.redeem(here, codeOf(t, ada, nil)).OK()
		login := here.Login("ada@example.com", harness.Password)
		kinds := map[string]struct{ text, sub, client, kind string }{
			"a client's access token":  {tokens.String("access_token"), ada.UserID, "wiki", "Bearer"},
			"a client's refresh token": {tokens.String("refresh_token"), ada.UserID, "wiki", ""},
			"a session's access token": {login.AccessToken, ada.UserID, "gatehouse", "Bearer"},
			"a session's refresh":      {login.RefreshToken, ada.UserID, "gatehouse", ""},
			"an M2M token":             {worker.ask(here, "", nil).OK().String("access_token"), "worker", "worker", "Bearer"},
		}
		for what, token := range kinds {
			seen := rs.by(there).Do("OAUTH.INTROSPECT", P{"token": token.text, "token_type_hint": "access_token"}).OK()
			if !seen.Bool("active") || seen.String("sub") != token.sub || seen.String("client_id") != token.client || seen.String("iss") != harness.Issuer ||
				seen.String("aud") != harness.Issuer || seen.String("org_id") != ada.OrgID || seen.Has("token_type") != (token.kind != "") {
				t.Errorf("%s: %v", what, seen.Data)
			}
			if person := token.sub == ada.UserID; seen.Has("username") != person || person && seen.String("username") != "ada@example.com" {
				t.Errorf("%s: %v", what, seen.Data)
			}
			if seen := foreign.by(there).Do("OAUTH.INTROSPECT", P{"token": token.text}).OK(); len(seen.Data) != 1 || seen.Bool("active") {
				t.Errorf("%s, for another workspace: %v", what, seen.Data)
			}
		}
		if seen := rs.by(here).Do("OAUTH.INTROSPECT", P{"token": tokens.String("access_token")}).OK(); seen.String("scope") != "openid profile email users:read" {
			t.Errorf("scope: %v", seen.Data)
		}
		next := app.refresh(there, tokens.String("refresh_token")).OK()
		rs.dead(t, here, "a replaced refresh token", tokens.String("refresh_token"))
		app.revoke(here, next.String("refresh_token")).OK()
		login.Do("AUTH.LOGOUT", nil).OK()
		ada.Do("APP.UPDATE", P{"app_id": worker.id, "enabled": false}).OK()
		for what, token := range kinds {
			rs.dead(t, there, what, token.text)
		}
		rs.dead(t, there, "nonsense", "x")
		here.Clock.Advance(2 * time.Hour)
		rs.dead(t, here, "an expired token", next.String("access_token"))
	})
}

// dead fails the test unless a token is told to be not active, and nothing else.
func (m oauthMachine) dead(t *testing.T, h *harness.Service, what, text string) {
	t.Helper()
	if seen := m.by(h).Do("OAUTH.INTROSPECT", P{"token": text}).OK(); seen.Bool("active") || len(seen.Data) != 1 {
		t.Errorf("%s: %v", what, seen.Data)
	}
}

// A token for an API is for the workspace that has the API to know, and for its own client.
func TestIntrospectByAudience(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada, eve := h.SignUp("ada@example.com"), h.SignUp("eve@example.com")
		rs, foreign, mate := server(ada, "rs"), server(eve, "foreign"), server(ada, "mate")
		token := rs.ask(h, api, nil).OK().String("access_token") // the API is ada's by first use
		for _, of := range []oauthMachine{rs, mate} {
			if seen := of.by(h).Do("OAUTH.INTROSPECT", P{"token": token}).OK(); !seen.Bool("active") || seen.String("aud") != api {
				t.Errorf("%s: %v", of.slug, seen.Data)
			}
		}
		foreign.dead(t, h, "a token for somebody's API", token)
	})
}

// Who introspects authenticates, and holds the scope; guesses are counted at their address and
// keep the client from nothing.
func TestIntrospectAuthenticates(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		const most = 4
		here.Superadmin().Do("RATE_LIMIT.SET", P{"command": "OAUTH.INTROSPECT", "key": "token", "limit": most, "window_seconds": 60}).OK()
		ada := here.SignUp("ada@example.com")
		rs, plain := server(ada, "rs"), oauthRegister(ada, "plain", nil)
		ask := P{"token": "a.b.c"}
		here.Anonymous().Do("OAUTH.INTROSPECT", ask).Fails(fault.Auth)
		here.With(ada.AccessToken).Do("OAUTH.INTROSPECT", ask).Fails(fault.Denied)
		plain.by(here).Do("OAUTH.INTROSPECT", ask).Fails(fault.Denied)
		here.With(server(ada, "mate").ask(here, "", nil).OK().String("access_token")).Do("OAUTH.INTROSPECT", ask).OK()
		for what, credentials := range map[string]inbound.ClientCredentials{
			"nothing": {}, "no secret": {ID: rs.slug}, "another's secret": {ID: rs.slug, Secret: secret.New(plain.secret)},
			"nobody":                {ID: "nobody-here", Secret: secret.New(rs.secret)},
			"an unsigned assertion": {ID: rs.slug, Assertion: secret.New("a.b.c"), AssertionType: assertionType},
		} {
			refused(t, what, here.Client(credentials).Do("OAUTH.INTROSPECT", ask).Fails(fault.Auth), "invalid_client")
		}
		wrong := oauthMachine{slug: rs.slug, secret: plain.secret}
		for i := range most {
			wrong.by([]*harness.Service{here, there}[i%2]).From(1).Do("OAUTH.INTROSPECT", ask).Fails(fault.Auth)
		}
		wrong.by(there).From(1).Do("OAUTH.INTROSPECT", ask).Fails(fault.RateLimited)
		for i := range most {
			rs.by([]*harness.Service{here, there}[i%2]).From(1).Do("OAUTH.INTROSPECT", ask).OK()
		}
		rs.by(here).From(2).Do("OAUTH.INTROSPECT", ask).Fails(fault.RateLimited)

		holder := here.Holder()
		ada.Do("APP.SET_JWKS", P{"app_id": plain.id, "jwks": P{"keys": []P{holder.JWK()}}}).OK()
		signed := inbound.ClientCredentials{ID: plain.slug, AssertionType: assertionType, Assertion: secret.New(holder.Sign(P{"alg": "ES256"}, assertion(here, plain.slug)))}
		here.Client(signed).Do("OAUTH.INTROSPECT", ask).Fails(fault.Denied) // who it is is proved; the scope is missing
		refused(t, "the assertion again", there.Client(signed).Do("OAUTH.INTROSPECT", ask).Fails(fault.Auth), "invalid_client")
	})
}

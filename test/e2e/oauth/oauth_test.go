package oauth_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"gatehouse.internal/test/e2e/instance"
)

// openHere starts one replica on a store whose public address is where it listens,
// so that clients which believe discovery find it.
func openHere(t testing.TB, on instance.Store, settings ...string) *instance.Site {
	t.Helper()
	port := strconv.Itoa(instance.FreePort(t))
	s := instance.Plan(t, on.Database(t), append(settings, "PORT="+port, "SERVICE_HOST=http://127.0.0.1:"+port)...)
	s.Start(1)
	return s
}

// credentials is the configuration of an OAuth client.
func credentials(m instance.Machine, r *instance.Replica, style oauth2.AuthStyle, scopes ...string) *clientcredentials.Config {
	return &clientcredentials.Config{
		ClientID: m.Slug, ClientSecret: m.Secret, TokenURL: r.URL + "/api/m2m/token", AuthStyle: style, Scopes: scopes,
	}
}

// TestOAuthClient lets the client of golang.org/x/oauth2 fetch tokens and call with
// them, unchanged.
func TestOAuthClient(t *testing.T) {
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		s := openHere(t, on)
		here := s.First()
		app := here.Register(here.Admin(), "reports", "apps:read", "urn:x/read")
		for name, style := range map[string]oauth2.AuthStyle{
			"header": oauth2.AuthStyleInHeader, "parameters": oauth2.AuthStyleInParams, "found out": oauth2.AuthStyleAutoDetect,
		} {
			ctx := context.WithValue(t.Context(), oauth2.HTTPClient, here.Client)
			source := credentials(app, here, style, "apps:read", "urn:x/read")
			token, err := source.Token(ctx)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			here.Secrets.Add("an M2M token", token.AccessToken)
			if token.Type() != "Bearer" || token.Extra("expires_in") != 3600.0 || token.Extra("scope") != "apps:read urn:x/read" {
				t.Errorf("%s: token of type %s for %v s, scope %v", name, token.Type(), token.Extra("expires_in"), token.Extra("scope"))
			}
			claims, header := instance.ClaimsOf(t, token.AccessToken), instance.HeaderOf(t, token.AccessToken)
			if claims["iss"] != here.URL || claims["aud"] != here.URL || claims["sub"] != "reports" || claims["client_id"] != "reports" || header["typ"] != "at+jwt" {
				t.Errorf("%s: claims %v", name, claims)
			}
			if !instance.Verified(t, instance.KeySet(t, here.Get("/.well-known/jwks.json")), token.AccessToken) {
				t.Errorf("%s: the published keys do not verify the token", name)
			}
			answer, err := source.Client(ctx).Post(here.URL+"/api/v1/execute", "application/json", strings.NewReader(`{"command":"APP.LIST"}`))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			body, _ := io.ReadAll(answer.Body)
			answer.Body.Close()
			if answer.StatusCode != http.StatusOK || !strings.Contains(string(body), `"slug":"reports"`) {
				t.Errorf("%s: APP.LIST = %d %s", name, answer.StatusCode, body)
			}
		}
		wrong := app
		wrong.Secret = app.Secret[:len(app.Secret)-8] + "AAAAAAAA"
		for _, style := range []oauth2.AuthStyle{oauth2.AuthStyleInHeader, oauth2.AuthStyleInParams} {
			_, err := credentials(wrong, here, style).Token(t.Context())
			refused, is := err.(*oauth2.RetrieveError) //nolint:errorlint // it is returned as it is
			if !is || refused.ErrorCode != "invalid_client" || refused.Response.StatusCode != 401 || !strings.HasPrefix(refused.Response.Header.Get("WWW-Authenticate"), "Basic ") {
				t.Errorf("a wrong secret: %v", err)
			}
			_, err = credentials(app, here, style, "users:manage").Token(t.Context())
			if refused, is = err.(*oauth2.RetrieveError); !is || refused.ErrorCode != "invalid_scope" || refused.Response.StatusCode != 400 { //nolint:errorlint // as above
				t.Errorf("a scope that was not granted: %v", err)
			}
		}
	})
}

func TestDirectRoutes(t *testing.T) {
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		s := instance.Open(t, on)
		here, there := s.First(), s.Last()
		admin := here.Admin()
		app := here.Register(admin, "direct", "apps:read")
		direct := func(r *instance.Replica, path string, params P, headers ...string) *instance.Reply {
			t.Helper()
			header := http.Header{"Content-Type": {"application/json"}, "X-Forwarded-For": {instance.Address()}}
			for _, one := range headers {
				name, value, _ := strings.Cut(one, "=")
				header.Set(name, value)
			}
			return r.To(http.MethodPost, path, strings.NewReader(string(instance.JSONOf(t, params))), header)
		}
		issued := direct(here, "/api/m2m/token", P{"client_id": app.Slug, "client_secret": app.Secret, "ttl_seconds": 90})
		token, jti := issued.Text("access_token"), issued.Text("jti")
		if issued.Envelope.Command != "M2M.TOKEN" || issued.Number("expires_in") != 90 || issued.Text("scope") != "apps:read" {
			t.Errorf("M2M.TOKEN by its path = %s", issued.Body)
		}
		there.Do(instance.Call{Command: "APP.LIST", Token: token}).OK()
		direct(there, "/api/m2m/token", P{"client_id": app.Slug, "client_secret": "sk_live_no"}).Fails("AUTH_ERROR")
		direct(there, "/api/m2m/token", P{"client_id": app.Slug, "made_up": 1}).Fails("VALIDATION_ERROR")

		if found := direct(there, "/api/m2m/introspect", P{"token": token}); found.Value("active") != true || found.Text("jti") != jti || found.Text("azp") != app.Slug {
			t.Errorf("M2M.INTROSPECT by its path = %s", found.Body)
		}
		direct(here, "/api/m2m/revoke", P{"jti": jti}).Fails("AUTH_ERROR")
		direct(here, "/api/m2m/revoke", P{"jti": jti}, "Authorization=Bearer "+token).Fails("PERMISSION_DENIED")
		if ended := direct(here, "/api/m2m/revoke", P{"jti": jti}, "Authorization=Bearer "+admin.Access); ended.Value("revoked") != true || ended.Text("jti") != jti {
			t.Errorf("M2M.REVOKE by its path = %s", ended.Body)
		}
		there.Do(instance.Call{Command: "APP.LIST", Token: token}).Fails("AUTH_ERROR")
		if found := direct(there, "/api/m2m/introspect", P{"token": token}); found.Value("active") != false || found.Text("error") != "token_revoked" {
			t.Errorf("M2M.INTROSPECT of a revoked token = %s", found.Body)
		}
	})
}

func TestOAuthForms(t *testing.T) {
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		s := instance.Open(t, on)
		here, there := s.First(), s.Last()
		admin := here.Admin()
		app := here.Register(admin, "forms", "apps:read")
		ask := func(headers ...string) P {
			t.Helper()
			answer, body := here.Form("/api/m2m/token", url.Values{
				"grant_type": {"client_credentials"}, "client_id": {app.Slug}, "client_secret": {app.Secret}, "resource": {"urn:reports"},
			}, headers...)
			var token P
			if err := json.Unmarshal([]byte(body), &token); err != nil || answer.Status != 200 || answer.Header.Get("Cache-Control") != "no-store" || answer.Header.Get("Pragma") != "no-cache" {
				t.Fatalf("a token by form = %d %v %s", answer.Status, answer.Header, body)
			}
			here.Secrets.Note(token)
			return token
		}
		token := ask()["access_token"].(string)
		claims := instance.ClaimsOf(t, token)
		// It is for somebody else: nothing at this service, and still active.
		there.Do(instance.Call{Command: "APP.LIST", Token: token}).Fails("TOKEN_INVALID")
		var seen P
		answer, body := there.Form("/api/m2m/introspect", url.Values{"token": {token}, "token_type_hint": {"refresh_token"}}, "Authorization=Basic bm90Om5lZWRlZA==")
		if err := json.Unmarshal([]byte(body), &seen); err != nil || answer.Status != 200 {
			t.Fatalf("introspection by form = %d %s", answer.Status, body)
		}
		for name, want := range map[string]any{
			"active": true, "client_id": app.Slug, "sub": app.Slug, "aud": "urn:reports", "iss": instance.Issuer, "scope": "apps:read",
			"jti": claims["jti"], "exp": claims["exp"], "iat": claims["iat"], "token_type": "Bearer",
		} {
			if seen[name] != want {
				t.Errorf("introspection tells %s = %v, want %v", name, seen[name], want)
			}
		}
		if _, present := seen["client_name"]; present {
			t.Errorf("introspection by form = %s", body)
		}

		jti := url.Values{"jti": {claims["jti"].(string)}}
		for _, c := range []struct {
			values url.Values
			bearer string
			status int
			word   string
		}{
			{jti, "", 401, "invalid_token"},
			{jti, token[:len(token)-4] + "AAAA", 401, "invalid_token"},
			{jti, here.SignUp().Access, 403, "insufficient_scope"},
			{url.Values{"token": {token}}, admin.Access, 400, "unsupported_token_type"},
			{jti, admin.Access, 200, ""},
			{jti, admin.Access, 200, ""},
			{url.Values{"jti": {"01890000-0000-7000-8000-000000000000"}}, admin.Access, 200, ""},
		} {
			header := "X-Nothing=1"
			if c.bearer != "" {
				header = "Authorization=Bearer " + c.bearer
			}
			answer, body := here.Form("/api/m2m/revoke", c.values, header)
			if answer.Status != c.status || (body == "") != (c.word == "") || !strings.Contains(body, c.word) {
				t.Errorf("revocation by form of %v = %d %s, want %d %s", c.values, answer.Status, body, c.status, c.word)
			}
			if challenge := answer.Header.Get("WWW-Authenticate"); strings.HasPrefix(challenge, "Bearer ") != (c.status == 401 || c.status == 403) {
				t.Errorf("status %d with the challenge %q", c.status, challenge)
			}
		}
		if _, body := there.Form("/api/m2m/introspect", url.Values{"token": {token}}); body != `{"active":false}` {
			t.Errorf("introspection of a revoked token = %s", body)
		}
	})
}

// What is refused at the token endpoint is refused in the words of OAuth.
func TestOAuthRefusals(t *testing.T) {
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		s := instance.Open(t, on)
		here := s.Last()
		app := here.Register(here.Admin(), "refused", "apps:read")
		const grant = "client_credentials"
		basic := func(id, secret string) string {
			return "Authorization=Basic " + base64.StdEncoding.EncodeToString([]byte(url.QueryEscape(id)+":"+url.QueryEscape(secret)))
		}
		for name, c := range map[string]struct {
			values url.Values
			header string
			status int
			word   string
		}{
			"no grant":            {url.Values{}, basic(app.Slug, app.Secret), 400, "invalid_request"},
			"another grant":       {url.Values{"grant_type": {"password"}}, basic(app.Slug, app.Secret), 400, "unsupported_grant_type"},
			"nobody":              {url.Values{"grant_type": {grant}}, "X-Nothing=1", 401, "invalid_client"},
			"no secret":           {url.Values{"grant_type": {grant}, "client_id": {app.Slug}}, "X-Nothing=1", 401, "invalid_client"},
			"unknown client":      {url.Values{"grant_type": {grant}}, basic("nobody-here", app.Secret), 401, "invalid_client"},
			"a client of no form": {url.Values{"grant_type": {grant}}, basic("Nobody Here", app.Secret), 401, "invalid_client"},
			"wrong secret":        {url.Values{"grant_type": {grant}}, basic(app.Slug, "sk_live_nothing"), 401, "invalid_client"},
			"two ways":            {url.Values{"grant_type": {grant}, "client_secret": {app.Secret}}, basic(app.Slug, app.Secret), 400, "invalid_request"},
			"scope twice":         {url.Values{"grant_type": {grant}, "scope": {"apps:read", "apps:read"}}, basic(app.Slug, app.Secret), 400, "invalid_request"},
			"foreign scope":       {url.Values{"grant_type": {grant}, "scope": {"apps:write"}}, basic(app.Slug, app.Secret), 400, "invalid_scope"},
			"no scope":            {url.Values{"grant_type": {grant}, "scope": {`a"b`}}, basic(app.Slug, app.Secret), 400, "invalid_scope"},
			"no audience":         {url.Values{"grant_type": {grant}, "audience": {"a b"}}, basic(app.Slug, app.Secret), 400, "invalid_target"},
			"no proof":            {url.Values{"grant_type": {grant}, "client_id": {app.Slug}, "client_secret": {app.Secret}}, "DPoP=nonsense", 400, "invalid_dpop_proof"},
			"a stored answer":     {url.Values{"grant_type": {grant}, "client_id": {app.Slug}, "client_secret": {app.Secret}}, "Idempotency-Key=k", 400, "invalid_request"},
		} {
			answer, body := here.Form("/api/m2m/token", c.values, c.header)
			var refused struct{ Error, Description string }
			if err := json.Unmarshal([]byte(body), &refused); err != nil || answer.Status != c.status || refused.Error != c.word {
				t.Errorf("%s: %d %s, want %d %s", name, answer.Status, body, c.status, c.word)
			}
			if challenge := answer.Header.Get("WWW-Authenticate"); strings.HasPrefix(challenge, "Basic ") != (c.status == 401) {
				t.Errorf("%s: status %d with the challenge %q", name, answer.Status, challenge)
			}
		}
	})
}

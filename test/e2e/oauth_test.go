package e2e_test

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
)

// openHere starts one replica on a store whose public address is where it listens,
// so that clients which believe discovery find it.
func openHere(t testing.TB, on store, settings ...string) *site {
	t.Helper()
	port := strconv.Itoa(freePort(t))
	s := plan(t, on.database(t), append(settings, "PORT="+port, "SERVICE_HOST=http://127.0.0.1:"+port)...)
	s.start(1)
	return s
}

// machine is an app that calls for itself.
type machine struct{ id, slug, secret string }

// register makes an app that may use scopes.
func (r *replica) register(by person, slug string, scopes ...string) machine {
	r.t.Helper()
	made := r.as(by, "APP.REGISTER", P{"name": "Reports", "slug": slug, "scopes": scopes})
	secret := made.text("api_key")
	r.secrets.add("an app secret", secret)
	return machine{id: made.text("app.id"), slug: slug, secret: secret}
}

// credentials is the configuration of an OAuth client.
func (m machine) credentials(r *replica, style oauth2.AuthStyle, scopes ...string) *clientcredentials.Config {
	return &clientcredentials.Config{
		ClientID: m.slug, ClientSecret: m.secret, TokenURL: r.url + "/api/m2m/token", AuthStyle: style, Scopes: scopes,
	}
}

// form sends a form and returns the answer.
func (r *replica) form(path string, values url.Values, headers ...string) (page, string) {
	r.t.Helper()
	request, err := http.NewRequest(http.MethodPost, r.url+path, strings.NewReader(values.Encode()))
	if err != nil {
		r.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("X-Forwarded-For", address())
	for _, header := range headers {
		name, value, _ := strings.Cut(header, "=")
		request.Header.Set(name, value)
	}
	response, err := r.client.Do(request)
	if err != nil {
		r.t.Fatalf("POST %s: %v", path, err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		r.t.Fatalf("POST %s: %v", path, err)
	}
	return page{response.StatusCode, response.Header}, string(body)
}

// TestOAuthClient lets the client of golang.org/x/oauth2 fetch tokens and call with
// them, unchanged.
func TestOAuthClient(t *testing.T) {
	onBoth(t, func(t *testing.T, on store) {
		s := openHere(t, on)
		here := s.first()
		app := here.register(here.admin(), "reports", "apps:read", "urn:x/read")
		for name, style := range map[string]oauth2.AuthStyle{
			"header": oauth2.AuthStyleInHeader, "parameters": oauth2.AuthStyleInParams, "found out": oauth2.AuthStyleAutoDetect,
		} {
			ctx := context.WithValue(t.Context(), oauth2.HTTPClient, here.client)
			source := app.credentials(here, style, "apps:read", "urn:x/read")
			token, err := source.Token(ctx)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			here.secrets.add("an M2M token", token.AccessToken)
			if token.Type() != "Bearer" || token.Extra("expires_in") != 3600.0 || token.Extra("scope") != "apps:read urn:x/read" {
				t.Errorf("%s: token of type %s for %v s, scope %v", name, token.Type(), token.Extra("expires_in"), token.Extra("scope"))
			}
			claims, header := claimsOf(t, token.AccessToken), headerOf(t, token.AccessToken)
			if claims["iss"] != here.url || claims["aud"] != here.url || claims["sub"] != "reports" || claims["client_id"] != "reports" || header["typ"] != "at+jwt" {
				t.Errorf("%s: claims %v", name, claims)
			}
			if !verified(t, keySet(t, here.get("/.well-known/jwks.json")), token.AccessToken) {
				t.Errorf("%s: the published keys do not verify the token", name)
			}
			answer, err := source.Client(ctx).Post(here.url+"/api/v1/execute", "application/json", strings.NewReader(`{"command":"APP.LIST"}`))
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
		wrong.secret = app.secret[:len(app.secret)-8] + "AAAAAAAA"
		for _, style := range []oauth2.AuthStyle{oauth2.AuthStyleInHeader, oauth2.AuthStyleInParams} {
			_, err := wrong.credentials(here, style).Token(t.Context())
			refused, is := err.(*oauth2.RetrieveError) //nolint:errorlint // it is returned as it is
			if !is || refused.ErrorCode != "invalid_client" || refused.Response.StatusCode != 401 || !strings.HasPrefix(refused.Response.Header.Get("WWW-Authenticate"), "Basic ") {
				t.Errorf("a wrong secret: %v", err)
			}
			_, err = app.credentials(here, style, "users:manage").Token(t.Context())
			if refused, is = err.(*oauth2.RetrieveError); !is || refused.ErrorCode != "invalid_scope" || refused.Response.StatusCode != 400 { //nolint:errorlint // as above
				t.Errorf("a scope that was not granted: %v", err)
			}
		}
	})
}

func TestDirectRoutes(t *testing.T) {
	onBoth(t, func(t *testing.T, on store) {
		s := open(t, on)
		here, there := s.first(), s.last()
		admin := here.admin()
		app := here.register(admin, "direct", "apps:read")
		direct := func(r *replica, path string, params P, headers ...string) *reply {
			t.Helper()
			header := http.Header{"Content-Type": {"application/json"}, "X-Forwarded-For": {address()}}
			for _, one := range headers {
				name, value, _ := strings.Cut(one, "=")
				header.Set(name, value)
			}
			return r.to(http.MethodPost, path, strings.NewReader(string(jsonOf(t, params))), header)
		}
		issued := direct(here, "/api/m2m/token", P{"client_id": app.slug, "client_secret": app.secret, "ttl_seconds": 90})
		token, jti := issued.text("access_token"), issued.text("jti")
		if issued.envelope.Command != "M2M.TOKEN" || issued.number("expires_in") != 90 || issued.text("scope") != "apps:read" {
			t.Errorf("M2M.TOKEN by its path = %s", issued.body)
		}
		there.do(call{command: "APP.LIST", token: token}).ok()
		direct(there, "/api/m2m/token", P{"client_id": app.slug, "client_secret": "sk_live_no"}).fails("AUTH_ERROR")
		direct(there, "/api/m2m/token", P{"client_id": app.slug, "made_up": 1}).fails("VALIDATION_ERROR")

		if found := direct(there, "/api/m2m/introspect", P{"token": token}); found.value("active") != true || found.text("jti") != jti || found.text("azp") != app.slug {
			t.Errorf("M2M.INTROSPECT by its path = %s", found.body)
		}
		direct(here, "/api/m2m/revoke", P{"jti": jti}).fails("AUTH_ERROR")
		direct(here, "/api/m2m/revoke", P{"jti": jti}, "Authorization=Bearer "+token).fails("PERMISSION_DENIED")
		if ended := direct(here, "/api/m2m/revoke", P{"jti": jti}, "Authorization=Bearer "+admin.access); ended.value("revoked") != true || ended.text("jti") != jti {
			t.Errorf("M2M.REVOKE by its path = %s", ended.body)
		}
		there.do(call{command: "APP.LIST", token: token}).fails("AUTH_ERROR")
		if found := direct(there, "/api/m2m/introspect", P{"token": token}); found.value("active") != false || found.text("error") != "token_revoked" {
			t.Errorf("M2M.INTROSPECT of a revoked token = %s", found.body)
		}
	})
}

func TestOAuthForms(t *testing.T) {
	onBoth(t, func(t *testing.T, on store) {
		s := open(t, on)
		here, there := s.first(), s.last()
		admin := here.admin()
		app := here.register(admin, "forms", "apps:read")
		ask := func(headers ...string) P {
			t.Helper()
			answer, body := here.form("/api/m2m/token", url.Values{
				"grant_type": {"client_credentials"}, "client_id": {app.slug}, "client_secret": {app.secret}, "resource": {"urn:reports"},
			}, headers...)
			var token P
			if err := json.Unmarshal([]byte(body), &token); err != nil || answer.status != 200 || answer.header.Get("Cache-Control") != "no-store" || answer.header.Get("Pragma") != "no-cache" {
				t.Fatalf("a token by form = %d %v %s", answer.status, answer.header, body)
			}
			here.secrets.note(token)
			return token
		}
		token := ask()["access_token"].(string)
		claims := claimsOf(t, token)
		// It is for somebody else: nothing at this service, and still active.
		there.do(call{command: "APP.LIST", token: token}).fails("TOKEN_INVALID")
		var seen P
		answer, body := there.form("/api/m2m/introspect", url.Values{"token": {token}, "token_type_hint": {"refresh_token"}}, "Authorization=Basic bm90Om5lZWRlZA==")
		if err := json.Unmarshal([]byte(body), &seen); err != nil || answer.status != 200 {
			t.Fatalf("introspection by form = %d %s", answer.status, body)
		}
		for name, want := range map[string]any{
			"active": true, "client_id": app.slug, "sub": app.slug, "aud": "urn:reports", "iss": issuer, "scope": "apps:read",
			"jti": claims["jti"], "exp": claims["exp"], "iat": claims["iat"], "token_type": "Bearer",
		} {
			if seen[name] != want {
				t.Errorf("introspection tells %s = %v, want %v", name, seen[name], want)
			}
		}
		if _, told := seen["client_name"]; told {
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
			{jti, here.signUp().access, 403, "insufficient_scope"},
			{url.Values{"token": {token}}, admin.access, 400, "unsupported_token_type"},
			{jti, admin.access, 200, ""},
			{jti, admin.access, 200, ""},
			{url.Values{"jti": {"01890000-0000-7000-8000-000000000000"}}, admin.access, 200, ""},
		} {
			header := "X-Nothing=1"
			if c.bearer != "" {
				header = "Authorization=Bearer " + c.bearer
			}
			answer, body := here.form("/api/m2m/revoke", c.values, header)
			if answer.status != c.status || (body == "") != (c.word == "") || !strings.Contains(body, c.word) {
				t.Errorf("revocation by form of %v = %d %s, want %d %s", c.values, answer.status, body, c.status, c.word)
			}
			if challenge := answer.header.Get("WWW-Authenticate"); strings.HasPrefix(challenge, "Bearer ") != (c.status == 401 || c.status == 403) {
				t.Errorf("status %d with the challenge %q", c.status, challenge)
			}
		}
		if _, body := there.form("/api/m2m/introspect", url.Values{"token": {token}}); body != `{"active":false}` {
			t.Errorf("introspection of a revoked token = %s", body)
		}
	})
}

// What is refused at the token endpoint is refused in the words of OAuth.
func TestOAuthRefusals(t *testing.T) {
	onBoth(t, func(t *testing.T, on store) {
		s := open(t, on)
		here := s.last()
		app := here.register(here.admin(), "refused", "apps:read")
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
			"no grant":            {url.Values{}, basic(app.slug, app.secret), 400, "invalid_request"},
			"another grant":       {url.Values{"grant_type": {"password"}}, basic(app.slug, app.secret), 400, "unsupported_grant_type"},
			"nobody":              {url.Values{"grant_type": {grant}}, "X-Nothing=1", 401, "invalid_client"},
			"no secret":           {url.Values{"grant_type": {grant}, "client_id": {app.slug}}, "X-Nothing=1", 401, "invalid_client"},
			"unknown client":      {url.Values{"grant_type": {grant}}, basic("nobody-here", app.secret), 401, "invalid_client"},
			"a client of no form": {url.Values{"grant_type": {grant}}, basic("Nobody Here", app.secret), 401, "invalid_client"},
			"wrong secret":        {url.Values{"grant_type": {grant}}, basic(app.slug, "sk_live_nothing"), 401, "invalid_client"},
			"two ways":            {url.Values{"grant_type": {grant}, "client_secret": {app.secret}}, basic(app.slug, app.secret), 400, "invalid_request"},
			"scope twice":         {url.Values{"grant_type": {grant}, "scope": {"apps:read", "apps:read"}}, basic(app.slug, app.secret), 400, "invalid_request"},
			"foreign scope":       {url.Values{"grant_type": {grant}, "scope": {"apps:write"}}, basic(app.slug, app.secret), 400, "invalid_scope"},
			"no scope":            {url.Values{"grant_type": {grant}, "scope": {`a"b`}}, basic(app.slug, app.secret), 400, "invalid_scope"},
			"no audience":         {url.Values{"grant_type": {grant}, "audience": {"a b"}}, basic(app.slug, app.secret), 400, "invalid_target"},
			"no proof":            {url.Values{"grant_type": {grant}, "client_id": {app.slug}, "client_secret": {app.secret}}, "DPoP=nonsense", 400, "invalid_dpop_proof"},
			"a stored answer":     {url.Values{"grant_type": {grant}, "client_id": {app.slug}, "client_secret": {app.secret}}, "Idempotency-Key=k", 400, "invalid_request"},
		} {
			answer, body := here.form("/api/m2m/token", c.values, c.header)
			var refused struct{ Error, Description string }
			if err := json.Unmarshal([]byte(body), &refused); err != nil || answer.status != c.status || refused.Error != c.word {
				t.Errorf("%s: %d %s, want %d %s", name, answer.status, body, c.status, c.word)
			}
			if challenge := answer.header.Get("WWW-Authenticate"); strings.HasPrefix(challenge, "Basic ") != (c.status == 401) {
				t.Errorf("%s: status %d with the challenge %q", name, answer.status, challenge)
			}
		}
	})
}

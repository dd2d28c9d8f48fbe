package httpapi_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/ports/inbound"
)

// oauthRefused checks an error response (RFC 6749 section 5.2) and returns the
// description.
func oauthRefused(t *testing.T, w *httptest.ResponseRecorder, status int, word, what string) string {
	t.Helper()
	var read map[string]string
	if err := json.Unmarshal(w.Body.Bytes(), &read); err != nil || len(read) != 2 {
		t.Fatalf("%s: the answer %d %s is no OAuth error: %v", what, w.Code, w.Body, err)
	}
	if w.Code != status || read["error"] != word || read["error_description"] == "" {
		t.Errorf("%s: answer = %d %s, want %d %s", what, w.Code, w.Body, status, word)
	}
	for name, want := range map[string]string{"Content-Type": "application/json", "Cache-Control": "no-store", "Pragma": "no-cache"} {
		if got := w.Header().Get(name); got != want {
			t.Errorf("%s: %s = %q, want %q", what, name, got, want)
		}
	}
	return read["error_description"]
}

func basic(id, secret string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(url.QueryEscape(id)+":"+url.QueryEscape(secret)))
}

// issues returns an application with a constant result.
func issues(data string) *scripted {
	return &scripted{reply: func(context.Context, inbound.Request) inbound.Reply { return inbound.Reply{Data: []byte(data)} }}
}

const granted = `{"access_token":"a.b.c","jti":"id-1","token_type":"Bearer","expires_in":3600,"scope":"x:read y"}`

func TestGrant(t *testing.T) {
	t.Parallel()
	const grant = "grant_type=client_credentials&"
	assertion := "h." + base64.RawURLEncoding.EncodeToString([]byte(`{"iss":"svc","sub":"svc","aud":["x"],"exp":1}`)) + ".s"
	const kind = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
	cases := map[string]struct {
		body, authorization string
		want                string
	}{
		"secret in the form": {grant + "client_id=svc&client_secret=s%2B1", "", `{"client_id":"svc","client_secret":"s+1"}`},
		"basic":              {grant, basic("svc", "sk_1"), `{"client_id":"svc","client_secret":"sk_1"}`},
		"basic, encoded":     {grant, basic("a:b c", `p%+"ä`), `{"client_id":"a:b c","client_secret":"p%+\"ä"}`},
		"basic, other case":  {grant, "bAsIc" + strings.TrimPrefix(basic("svc", "s"), "Basic"), `{"client_id":"svc","client_secret":"s"}`},
		"basic, two spaces":  {grant, strings.Replace(basic("svc", "s"), " ", "  ", 1), `{"client_id":"svc","client_secret":"s"}`},
		"basic and the id":   {grant + "client_id=svc", basic("svc", "s"), `{"client_id":"svc","client_secret":"s"}`},
		"basic, empty":       {grant + "client_secret=", basic("svc", ""), `{"client_id":"svc"}`},
		"no secret":          {grant + "client_id=svc", "", `{"client_id":"svc"}`},
		"scopes":             {grant + "client_id=svc&scope=a+b%20c++d", "", `{"client_id":"svc","scopes":["a","b","c","d"]}`},
		"odd scopes":         {grant + "client_id=svc&scope=a%09b%0a", "", `{"client_id":"svc","scopes":["a\tb\n"]}`},
		"countless scopes":   {grant + "client_id=svc&scope=" + strings.Repeat("a+", 100_000), "", `{"client_id":"svc","scopes":["a"` + strings.Repeat(`,"a"`, 999) + `]}`},
		"no scope":           {grant + "client_id=svc&scope=+", "", `{"client_id":"svc"}`},
		"audience":           {grant + "client_id=svc&audience=urn:x", "", `{"client_id":"svc","audience":"urn:x"}`},
		"resource":           {grant + "client_id=svc&resource=https://x.test/", "", `{"client_id":"svc","resource":"https://x.test/"}`},
		"both the same":      {grant + "client_id=svc&resource=urn:r&audience=urn:r", "", `{"client_id":"svc","audience":"urn:r","resource":"urn:r"}`},
		"life":               {grant + "client_id=svc&ttl_seconds=90", "", `{"client_id":"svc","ttl_seconds":90}`},
		"a life in words":    {grant + "client_id=svc&ttl_seconds=1e3", "", `{"client_id":"svc","ttl_seconds":"1e3"}`},
		"a registered key":   {grant + "client_id=svc&dpop_binding=dpk_1", "", `{"client_id":"svc","dpop_binding":"dpk_1"}`},
		"unknown names":      {grant + "client_id=svc&command=X&dry_run=true&params=1", "", `{"client_id":"svc"}`},
		"assertion": {
			grant + "client_id=svc&client_assertion=a.b.c&client_assertion_type=" + kind, "",
			`{"client_id":"svc","client_assertion":"a.b.c","client_assertion_type":"` + kind + `"}`,
		},
		"assertion alone": {
			grant + "client_assertion=" + assertion + "&client_assertion_type=" + kind, "",
			`{"client_id":"svc","client_assertion":"` + assertion + `","client_assertion_type":"` + kind + `"}`,
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			app := issues(granted)
			r := formTo("/api/m2m/token", c.body, "DPoP", "p.q.r")
			if c.authorization != "" {
				r.Header.Set("Authorization", c.authorization)
			}
			w := do(start(t, bench(app)), r)
			if want := `{"access_token":"a.b.c","token_type":"Bearer","expires_in":3600,"scope":"x:read y"}`; w.Code != 200 || w.Body.String() != want {
				t.Errorf("answer = %d %s", w.Code, w.Body)
			}
			got := app.last(t)
			if got.Command != "M2M.TOKEN" || string(got.Params) != c.want || got.Authorization != "" || got.DPoP != "p.q.r" || got.DryRun {
				t.Errorf("request = %+v, params %s\nwant %s", got, got.Params, c.want)
			}
			for name, want := range map[string]string{"Content-Type": "application/json", "Cache-Control": "no-store", "Pragma": "no-cache", "X-Request-Id": "made-1"} {
				if got := w.Header().Get(name); got != want {
					t.Errorf("%s = %q, want %q", name, got, want)
				}
			}
		})
	}
}

func TestGrantWithoutScope(t *testing.T) {
	t.Parallel()
	app := issues(`{"access_token":"a.b.c","token_type":"DPoP","expires_in":60,"scope":""}`)
	w := do(start(t, bench(app)), formTo("/api/m2m/token", "grant_type=client_credentials&client_id=a"))
	if got := w.Body.String(); got != `{"access_token":"a.b.c","token_type":"DPoP","expires_in":60}` {
		t.Errorf("answer = %s", got)
	}
}

// Invalid forms are rejected before the command is executed.
func TestGrantRefusals(t *testing.T) {
	t.Parallel()
	const grant = "grant_type=client_credentials&"
	plain := func(text string) string { return "Basic " + base64.StdEncoding.EncodeToString([]byte(text)) }
	cases := map[string]struct {
		body, authorization string
		status              int
		word                string
	}{
		"no grant":               {"client_id=a", "", 400, "invalid_request"},
		"empty grant":            {"grant_type=&client_id=a", "", 400, "invalid_request"},
		"nobody":                 {grant, "", 401, "invalid_client"},
		"a secret alone":         {grant + "client_secret=b", "", 401, "invalid_client"},
		"basic and a secret":     {grant + "client_secret=b", basic("a", "b"), 400, "invalid_request"},
		"basic and an assertion": {grant + "client_assertion=a.b.c", basic("a", "b"), 400, "invalid_request"},
		"secret and assertion":   {grant + "client_id=a&client_secret=b&client_assertion=a.b.c", "", 400, "invalid_request"},
		"two clients":            {grant + "client_id=b", basic("a", "b"), 400, "invalid_request"},
		"two resources":          {grant + "client_id=a&resource=x&resource=y", "", 400, "invalid_target"},
		"a parameter twice":      {grant + "client_id=a&scope=x&scope=y", "", 400, "invalid_request"},
		"bearer":                 {grant + "client_id=a", "Bearer x", 401, "invalid_client"},
		"bearer, secret":         {grant + "client_id=a&client_secret=b", "Bearer x", 400, "invalid_request"},
		"basic without a value":  {grant, "Basic", 401, "invalid_client"},
		"basic, no base64":       {grant, "Basic !!", 401, "invalid_client"},
		"basic, trailing bits":   {grant, "Basic YTpiYh==", 401, "invalid_client"},
		"basic, no colon":        {grant, plain("ab"), 401, "invalid_client"},
		"basic, no id":           {grant, plain(":b"), 401, "invalid_client"},
		"basic, bad escape":      {grant, plain("a%zz:b"), 401, "invalid_client"},
		"basic, bad secret":      {grant, plain("a:%"), 401, "invalid_client"},
		"basic, not UTF-8":       {grant, plain("a%ff:b"), 401, "invalid_client"},
		"basic, secret not text": {grant, plain("a:\xff"), 401, "invalid_client"},
		"assertion, two parts":   {grant + "client_assertion=a.b", "", 401, "invalid_client"},
		"assertion, no base64":   {grant + "client_assertion=a.*.c", "", 401, "invalid_client"},
		"assertion, no object":   {grant + "client_assertion=a.W10.c", "", 401, "invalid_client"},
		"assertion, no subject":  {grant + "client_assertion=a.e30.c", "", 401, "invalid_client"},
	}
	for name, c := range cases {
		app := &scripted{}
		r := formTo("/api/m2m/token?client_id=a&client_secret=b&grant_type=client_credentials", c.body)
		r.URL.Path, r.URL.RawQuery = "/api/m2m/token", "client_id=a&client_secret=b&grant_type=client_credentials"
		if c.authorization != "" {
			r.Header.Set("Authorization", c.authorization)
		}
		w := do(start(t, bench(app)), r)
		oauthRefused(t, w, c.status, c.word, name)
		if got := w.Header().Get("WWW-Authenticate"); (got == `Basic realm="gatehouse", charset="UTF-8"`) != (c.status == 401) {
			t.Errorf("%s: WWW-Authenticate = %q", name, got)
		}
		if app.calls() != 0 {
			t.Errorf("%s: the application was asked", name)
		}
	}
	for name, headers := range map[string][]string{
		"two credentials": {"Authorization", basic("a", "b"), "Authorization", basic("a", "b")}, "bad key": {"Idempotency-Key", ""},
	} {
		oauthRefused(t, do(start(t, bench(&scripted{})), formTo("/api/m2m/token", grant, headers...)), 400, "invalid_request", name)
	}
	two := formTo("/api/m2m/token", grant+"client_id=a", "DPoP", "a.b.c", "DPoP", "d.e.f")
	oauthRefused(t, do(start(t, bench(&scripted{})), two), 400, "invalid_dpop_proof", "two proofs")
}

// Failures of the command are returned as OAuth errors.
func TestGrantFailures(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		failure *fault.Error
		status  int
		word    string
		says    string
	}{
		{fault.New(fault.Auth, "invalid_client: who?"), 401, "invalid_client", "who?"},
		{fault.New(fault.Auth, "who?"), 401, "invalid_client", "who?"},
		{fault.New(fault.Auth, "invalid_dpop_proof: old"), 400, "invalid_dpop_proof", "old"},
		{fault.New(fault.Validation, "invalid_scope: x is not granted"), 400, "invalid_scope", "x is not granted"},
		{fault.New(fault.Validation, "unauthorized_client: no"), 400, "unauthorized_client", "no"},
		{fault.New(fault.Validation, "invalid_target: no"), 400, "invalid_target", "no"},
		{fault.New(fault.Validation, "made_up: no"), 400, "invalid_request", "made_up: no"},
		{fault.New(fault.Validation, `/audience "ä" \ is long`), 400, "invalid_request", "/audience '?' / is long"},
		{fault.Invalid("/scopes/3", "too long"), 400, "invalid_scope", "too long"},
		{fault.Invalid("/client_id", "no slug"), 401, "invalid_client", "no slug"},
		{fault.Invalid("/client_assertion", "too long"), 401, "invalid_client", "too long"},
		{fault.Invalid("/audience", "too long"), 400, "invalid_target", "too long"},
		{fault.Invalid("/scopesx", "unknown"), 400, "invalid_request", "unknown"},
		{fault.New(fault.FlowBlocked, "a flow denied it"), 400, "access_denied", "a flow denied it"},
		{fault.New(fault.Denied, "no"), 400, "access_denied", "no"},
		{fault.New(fault.Unknown, "no"), 400, "invalid_request", "no"},
		{fault.New(fault.Internal, "secret"), 500, "server_error", "internal error, request id made-1"},
	} {
		w := do(start(t, bench(fails(c.failure))), formTo("/api/m2m/token", "grant_type=client_credentials&client_id=a"))
		if got := oauthRefused(t, w, c.status, c.word, c.failure.Message); got != c.says {
			t.Errorf("%v: described as %q, want %q", c.failure, got, c.says)
		}
		if got := w.Header().Get("WWW-Authenticate") != ""; got != (c.status == 401) {
			t.Errorf("%v: WWW-Authenticate = %q", c.failure, w.Header().Get("WWW-Authenticate"))
		}
	}
	limited := fault.New(fault.RateLimited, "slow down")
	limited.RetryAfter = 3500 * time.Millisecond
	for path, body := range map[string]string{
		"/api/m2m/token": "grant_type=client_credentials&client_id=a", "/api/m2m/introspect": "token=a", "/api/m2m/revoke": "jti=a",
		"/oauth/revoke": "token=a&client_id=b",
	} {
		w := do(start(t, bench(fails(limited))), formTo(path, body))
		oauthRefused(t, w, http.StatusTooManyRequests, "temporarily_unavailable", path)
		if got := w.Header().Get("Retry-After"); got != "4" {
			t.Errorf("%s: Retry-After = %q", path, got)
		}
	}
}

func TestIntrospectionForm(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ data, want string }{
		{
			`{"active":true,"sub":"svc","azp":"svc","scope":"a b","exp":20,"iat":10,"jti":"id-1","client_name":"Secret plan"}`,
			`{"active":true,"scope":"a b","client_id":"svc","sub":"svc","exp":20,"iat":10,"jti":"id-1"}`,
		},
		{
			`{"active":true,"sub":"svc","azp":"svc","scope":"","exp":20,"iat":10,"jti":"i","aud":"urn:x","iss":"https://id.test","token_type":"DPoP","cnf":{"jkt":"t"}}`,
			`{"active":true,"client_id":"svc","sub":"svc","aud":"urn:x","iss":"https://id.test","exp":20,"iat":10,"jti":"i","token_type":"DPoP","cnf":{"jkt":"t"}}`,
		},
		{`{"active":false,"error":"token_expired"}`, `{"active":false}`},
		{`{"active":false,"error":"token_revoked","sub":"svc","jti":"i"}`, `{"active":false}`},
	} {
		app := issues(c.data)
		r := formTo("/api/m2m/introspect", "token=a.b.c&token_type_hint=access_token&client_id=rs&client_secret=s", "Authorization", "Basic nonsense")
		w := do(start(t, bench(app)), r)
		if w.Code != http.StatusOK || w.Body.String() != c.want || w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s:\nanswer = %d %s\nwant         %s", c.data, w.Code, w.Body, c.want)
		}
		if got := app.last(t); string(got.Params) != `{"token":"a.b.c"}` || got.Authorization != "" || got.Command != "M2M.INTROSPECT" {
			t.Errorf("request = %+v %s", got, got.Params)
		}
	}
	app := &scripted{}
	for _, body := range []string{"", "token=", "token_type_hint=access_token"} {
		oauthRefused(t, do(start(t, bench(app)), formTo("/api/m2m/introspect", body)), 400, "invalid_request", body)
	}
	oauthRefused(t, do(start(t, bench(app)), formTo("/api/m2m/introspect", "token=a&token=b")), 400, "invalid_request", "two tokens")
	if app.calls() != 0 {
		t.Error("the application was asked")
	}
}

func TestRevocationForm(t *testing.T) {
	t.Parallel()
	app := issues(`{"revoked":true,"jti":"id-1"}`)
	w := do(start(t, bench(app)), formTo("/api/m2m/revoke", "jti=id-1", "Authorization", "Bearer x"))
	if w.Code != http.StatusOK || w.Body.Len() > 0 || w.Header().Get("Content-Type") != "" {
		t.Errorf("answer = %d %s", w.Code, w.Body)
	}
	if got := app.last(t); string(got.Params) != `{"jti":"id-1"}` || got.Authorization != "Bearer x" || got.Command != "M2M.REVOKE" {
		t.Errorf("request = %+v %s", got, got.Params)
	}
	none := &scripted{}
	for body, word := range map[string]string{
		"token=a.b.c": "unsupported_token_type", "token=a&jti=b": "unsupported_token_type", "": "invalid_request", "jti=": "invalid_request",
	} {
		oauthRefused(t, do(start(t, bench(none)), formTo("/api/m2m/revoke", body)), 400, word, body)
	}
	if none.calls() != 0 {
		t.Error("the application was asked")
	}
}

func TestRevocationFailures(t *testing.T) {
	t.Parallel()
	const plain = `Bearer realm="gatehouse"`
	const bare = plain + pointer
	for _, c := range []struct {
		code          fault.Code
		authorization string
		status        int
		word          string
		challenges    []string
	}{
		{fault.Auth, "", 401, "invalid_token", []string{bare}},
		{fault.Auth, "Bearer x", 401, "invalid_token", []string{bare + `, error="invalid_token", error_description="the credential is invalid"`}},
		{fault.TokenExpired, "Bearer x", 401, "invalid_token", []string{bare + `, error="invalid_token", error_description="the access token has expired"`}},
		{fault.TokenInvalid, "DPoP x", 401, "invalid_token", []string{bare, `DPoP error="invalid_token", error_description="the access token is invalid", algs="ES256 Ed25519 EdDSA RS256"`}},
		{fault.Denied, "Bearer x", 403, "insufficient_scope", []string{plain + `, error="insufficient_scope", error_description="the credential lacks the required permission"`}},
		{fault.FlowBlocked, "Bearer x", 403, "access_denied", nil},
		{fault.Validation, "Bearer x", 400, "invalid_request", nil},
		{fault.Unknown, "Bearer x", 404, "invalid_request", nil},
	} {
		r := formTo("/api/m2m/revoke", "jti=a")
		if c.authorization != "" {
			r.Header.Set("Authorization", c.authorization)
		}
		w := do(start(t, bench(fails(fault.New(c.code, "no")))), r)
		oauthRefused(t, w, c.status, c.word, string(c.code))
		if got := w.Header().Values("WWW-Authenticate"); !slices.Equal(got, c.challenges) {
			t.Errorf("%s: WWW-Authenticate = %q", c.code, got)
		}
	}
	// Revoking an unknown token succeeds.
	if w := do(start(t, bench(fails(fault.New(fault.NotFound, "no such token")))), formTo("/api/m2m/revoke", "jti=a")); w.Code != 200 || w.Body.Len() > 0 {
		t.Errorf("an absent token = %d %s", w.Code, w.Body)
	}
}

func TestOwnRevocationForm(t *testing.T) {
	t.Parallel()
	const kind = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
	for _, c := range []struct{ body, authorization, want string }{
		{"token=a.b.c&token_type_hint=access_token", basic("svc", "s"), `{"token":"a.b.c","client_id":"svc","client_secret":"s"}`},
		{"token=a.b.c&client_id=svc&client_secret=s", "", `{"token":"a.b.c","client_id":"svc","client_secret":"s"}`},
		{
			"token=a&client_assertion=h.eyJzdWIiOiJzdmMifQ.s&client_assertion_type=" + kind, "",
			`{"token":"a","client_id":"svc","client_assertion":"h.eyJzdWIiOiJzdmMifQ.s","client_assertion_type":"` + kind + `"}`,
		},
	} {
		// The response does not reveal whether a token was revoked (RFC 7009 section 2.2).
		for _, data := range []string{`{"revoked":true}`, `{"revoked":false}`} {
			app := issues(data)
			r := formTo("/oauth/revoke", c.body)
			if c.authorization != "" {
				r.Header.Set("Authorization", c.authorization)
			}
			w := do(start(t, bench(app)), r)
			if w.Code != http.StatusOK || w.Body.Len() > 0 || w.Header().Get("Content-Type") != "" {
				t.Errorf("%s: answer = %d %s", c.body, w.Code, w.Body)
			}
			if got := app.last(t); string(got.Params) != c.want || got.Authorization != "" || got.Command != "OAUTH.REVOKE" {
				t.Errorf("%s: request = %+v %s, want %s", c.body, got, got.Params, c.want)
			}
		}
	}
	none := &scripted{}
	oauthRefused(t, do(start(t, bench(none)), formTo("/oauth/revoke", "client_id=a&client_secret=b")), 400, "invalid_request", "no token")
	oauthRefused(t, do(start(t, bench(none)), formTo("/oauth/revoke", "token=a")), 401, "invalid_client", "no client")
	if none.calls() != 0 {
		t.Error("the application was asked")
	}
	wrong := do(start(t, bench(fails(fault.New(fault.Auth, "invalid_client: no")))), formTo("/oauth/revoke", "token=a&client_id=b"))
	oauthRefused(t, wrong, 401, "invalid_client", "a wrong client")
	if got := wrong.Header().Get("WWW-Authenticate"); got != `Basic realm="gatehouse", charset="UTF-8"` {
		t.Errorf("WWW-Authenticate = %q", got)
	}
	key := do(start(t, bench(fails(fault.New(fault.Validation, "unsupported_token_type: a key")))), formTo("/oauth/revoke", "token=a&client_id=b"))
	oauthRefused(t, key, 400, "unsupported_token_type", "a key")
}

// FuzzForm checks that any form leads to an OAuth response.
func FuzzForm(f *testing.F) {
	f.Add("grant_type=client_credentials&client_id=a&client_secret=b&scope=c+d", "Basic YTpi")
	f.Add("grant_type=client_credentials&client_assertion=a.e30.c", "")
	f.Add("a=%ff&&=&;", "basic ")
	handler := start(f, bench(issues(granted)))
	f.Fuzz(func(t *testing.T, body, authorization string) {
		r := formTo("/api/m2m/token", body)
		if authorization != "" {
			r.Header["Authorization"] = []string{authorization}
		}
		w := do(handler, r)
		if w.Code != 200 && w.Code != 400 && w.Code != 401 || !json.Valid(w.Body.Bytes()) {
			t.Errorf("%q, %q = %d %s", body, authorization, w.Code, w.Body)
		}
	})
}

package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
)

// challenge is the expected challenge of a request.
type challenge struct {
	code    fault.Code
	message string
	// authorization and proof are the headers of the request; empty for none.
	authorization, proof string
	want                 []string
}

// pointer is the address of the protected resource metadata, followed by the path of an
// endpoint.
const pointer = `, resource_metadata="http://localhost:8400/.well-known/oauth-protected-resource"`

func (c challenge) check(t *testing.T, path, body string) {
	t.Helper()
	r := post(body)
	r.URL.Path = path
	if c.authorization != "" {
		r.Header.Set("Authorization", c.authorization)
	}
	if c.proof != "" {
		r.Header.Set("DPoP", c.proof)
	}
	w := do(start(t, bench(fails(fault.New(c.code, c.message)))), r)
	for i, one := range c.want {
		if path == "/api/v1/execute" {
			c.want[i] = strings.Replace(one, `resource"`, `resource/api/v1/execute"`, 1)
		} else {
			c.want[i] = strings.Replace(one, `resource/api/v1/execute"`, `resource"`, 1)
		}
	}
	if got := w.Header().Values("WWW-Authenticate"); !slices.Equal(got, c.want) {
		t.Errorf("%s %q with %q, %q: %q\nwant %q", c.code, c.message, c.authorization, c.proof, got, c.want)
	}
}

func authorized(r *http.Request) *http.Request {
	r.Header.Set("Authorization", "Bearer x")
	return r
}

func TestChallenges(t *testing.T) {
	t.Parallel()
	const (
		plain    = `Bearer realm="gatehouse"`
		bare     = plain + pointer
		bareHere = plain + `, resource_metadata="http://localhost:8400/.well-known/oauth-protected-resource/api/v1/execute"`
		refused  = `error="invalid_token", error_description="the credential is invalid"`
		expired  = `error="invalid_token", error_description="the access token has expired"`
		invalid  = `error="invalid_token", error_description="the access token is invalid"`
		scope    = `error="insufficient_scope", error_description="the credential lacks the required permission"`
		algs     = `algs="ES256 Ed25519 EdDSA RS256"`
		proof    = "invalid_dpop_proof: its \"iat\" is \\ wröng"
		poor     = `error="invalid_dpop_proof", error_description="its 'iat' is / wr?ng"`
	)
	w := do(start(t, bench(fails(access.ErrNotRecent))), authorized(post(`{"command":"API_KEY.CREATE"}`)))
	if got := w.Header().Get("WWW-Authenticate"); got != bareHere+`, error="insufficient_user_authentication", error_description="a recent sign-in is required", max_age=900` {
		t.Errorf("without a recent login: %q", got)
	}
	for _, c := range []challenge{
		{fault.Auth, "m", "", "", []string{bare}},
		{fault.Auth, "m", "Bearer x", "", []string{bare + ", " + refused}},
		{fault.TokenExpired, "m", "Bearer x", "", []string{bare + ", " + expired}},
		{fault.TokenInvalid, "m", "Bearer x", "", []string{bare + ", " + invalid}},
		{fault.Auth, "m", "DPoP x", "", []string{bare, "DPoP " + refused + ", " + algs}},
		{fault.TokenExpired, "m", "dpop x", "p", []string{bare, "DPoP " + expired + ", " + algs}},
		{fault.TokenInvalid, "m", "Bearer x", "p", []string{bare, "DPoP " + invalid + ", " + algs}},
		{fault.Auth, "m", "", "p", []string{bare, "DPoP " + algs}},
		{fault.Auth, proof, "DPoP x", "p", []string{bare, "DPoP " + poor + ", " + algs}},
		{fault.Auth, proof, "", "p", []string{bare, "DPoP " + poor + ", " + algs}},
		{fault.Auth, "invalid_token: of another key", "DPoP x", "p", []string{bare, `DPoP error="invalid_token", error_description="of another key", ` + algs}},
		{fault.Auth, "invalid_client: m", "", "p", []string{bare, "DPoP " + algs}},
		{fault.Denied, "m", "", "", nil},
		{fault.Denied, "m", "", "p", nil},
		{fault.Denied, "m", "Bearer x", "", []string{plain + ", " + scope}},
		{fault.Denied, "m", "DPoP x", "p", []string{"DPoP " + scope + ", " + algs}},
		{fault.FlowBlocked, "m", "Bearer x", "", nil},
		{fault.Validation, proof, "Bearer x", "p", nil},
		{fault.NotFound, "m", "Bearer x", "", nil},
		{fault.RateLimited, "m", "Bearer x", "", nil},
		{fault.Internal, "m", "Bearer x", "", nil},
	} {
		c.check(t, "/api/v1/execute", `{"command":"A.B"}`)
		c.check(t, "/api/m2m/revoke", `{"jti":"x"}`)
	}
}

func TestProofHeader(t *testing.T) {
	t.Parallel()
	app := &scripted{}
	handler := start(t, bench(app))
	for name, sent := range map[string][]string{"two": {"a.b.c", "d.e.f"}, "the same twice": {"a.b.c", "a.b.c"}, "empty": {""}, "no line": {}} {
		for path, body := range map[string]string{"/api/v1/execute": `{"command":"M2M.TOKEN"}`, "/api/m2m/token": `{}`} {
			r := post(body)
			r.URL.Path, r.Header["Dpop"] = path, sent
			w := do(handler, r)
			read := refusedAs(t, w, http.StatusUnauthorized, fault.Auth)
			if read.Error.Message != "invalid_dpop_proof: send exactly one DPoP header with one proof" || read.Command != "M2M.TOKEN" {
				t.Errorf("%s at %s: %+v", name, path, read)
			}
			want := []string{`Bearer realm="gatehouse"` + strings.Replace(pointer, `resource"`, `resource`+strings.TrimSuffix(path, "/api/m2m/token")+`"`, 1), `DPoP error="invalid_dpop_proof", error_description="send exactly one DPoP header with one proof", algs="ES256 Ed25519 EdDSA RS256"`}
			if got := w.Header()["Www-Authenticate"]; len(sent) > 0 && !slices.Equal(got, want) {
				t.Errorf("%s at %s: challenges %q, want %q", name, path, got, want)
			}
		}
	}
	if app.calls() != 0 {
		t.Error("the application was asked")
	}
}

// The path of htu is that of the request, without host and query.
func TestPathOfProof(t *testing.T) {
	t.Parallel()
	app := &scripted{}
	handler := start(t, bench(app))
	for target, want := range map[string]string{
		"/api/v1/execute": "/api/v1/execute", "/api/v1/execute?a=b#c": "/api/v1/execute",
		"http://other.example/api/m2m/token?x": "/api/m2m/token",
	} {
		r := httptest.NewRequest(http.MethodPost, target, http.NoBody)
		r.Body, r.Header = post(`{"command":"A.B"}`).Body, post("").Header
		if target == "http://other.example/api/m2m/token?x" {
			r.Body = post(`{}`).Body
		}
		if w := do(handler, r); w.Code != http.StatusOK || app.last(t).Path != want || app.last(t).Method != http.MethodPost {
			t.Errorf("%s = %d, path %q, want %q", target, w.Code, app.last(t).Path, want)
		}
	}
}

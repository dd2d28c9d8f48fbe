package httpapi_test

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gatehouse.internal/domain/fault"
)

func TestCatalog(t *testing.T) {
	t.Parallel()
	handler := start(t, bench(&scripted{}))
	plain := do(handler, get("/api/v1/commands"))
	var read struct {
		Version  string `json:"version"`
		Count    int    `json:"count"`
		Commands []struct {
			Name   string          `json:"name"`
			Limits []any           `json:"rate_limit"`
			Params json.RawMessage `json:"params_schema"`
		} `json:"commands"`
	}
	if err := json.Unmarshal(plain.Body.Bytes(), &read); err != nil {
		t.Fatal(err)
	}
	if read.Version != "v0.4.0" || read.Count != 2 || len(read.Commands) != 2 || read.Commands[1].Name != "USER.ME" || string(read.Commands[0].Params) != `{"type":"object"}` {
		t.Errorf("catalog = %+v", read)
	}
	zipped := do(handler, get("/api/v1/commands", "Accept-Encoding", "br, gzip;q=0.5"))
	if zipped.Header().Get("Content-Encoding") != "gzip" || zipped.Body.Len() >= plain.Body.Len() {
		t.Fatalf("zipped = %v", zipped.Header())
	}
	unzip, err := gzip.NewReader(zipped.Body)
	if err != nil {
		t.Fatal(err)
	}
	if body, err := io.ReadAll(unzip); err != nil || string(body) != plain.Body.String() {
		t.Errorf("unzipped = %s, %v", body, err)
	}
	for _, w := range []*httptest.ResponseRecorder{plain, zipped} {
		if got := strings.Join(w.Header().Values("Vary"), ", "); got != "Origin, Accept-Encoding" {
			t.Errorf("Vary = %q", got)
		}
	}
}

func TestPartsOfTheCatalog(t *testing.T) {
	t.Parallel()
	handler := start(t, bench(&scripted{}))
	for path, want := range map[string]struct {
		status int
		text   string
	}{
		"/api/v1/commands?family=USER":  {200, `"count":2`},
		"/api/v1/commands/USER.ME":      {200, `"name":"USER.ME"`},
		"/api/v1/commands?family=USSR":  {404, "did you mean USER?"},
		"/api/v1/commands?family=x":     {404, "unknown command family"},
		"/api/v1/commands/USER.MEE":     {404, "did you mean USER.ME?"},
		"/api/v1/events/user.creatd":    {404, "did you mean user.created?"},
		"/api/v1/commands/USER":         {404, "UNKNOWN_COMMAND"},
		"/api/v1/commands/USER.ME/more": {404, "NOT_FOUND"},
	} {
		for range 2 {
			if w := do(handler, get(path)); w.Code != want.status || !strings.Contains(w.Body.String(), want.text) {
				t.Errorf("GET %s = %d %s, want %d with %s", path, w.Code, w.Body, want.status, want.text)
			}
		}
	}
}

func TestAcceptEncoding(t *testing.T) {
	t.Parallel()
	handler := start(t, bench(&scripted{}))
	for accept, want := range map[string]string{
		"gzip": "gzip", "GZIP": "gzip", "deflate, gzip": "gzip", "gzip;q=1.0": "gzip", "gzip; q=0.001": "gzip",
		"": "", "identity": "", "gzip;q=0": "", "gzip;q=0.0": "", "gzip;q=x": "", "gzipped": "", "br": "", "*": "",
	} {
		if got := do(handler, get("/api/v1/commands", "Accept-Encoding", accept)).Header().Get("Content-Encoding"); got != want {
			t.Errorf("%q: Content-Encoding = %q, want %q", accept, got, want)
		}
	}
}

func TestValidators(t *testing.T) {
	t.Parallel()
	handler := start(t, bench(&scripted{}))
	for _, path := range []string{"/api/v1/commands", "/api/v1/events", "/api/v1/events/user.created", "/.well-known/jwks.json", "/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"} {
		etag := do(handler, get(path)).Header().Get("ETag")
		if !strings.HasPrefix(etag, `W/"`) {
			t.Fatalf("%s: ETag = %q", path, etag)
		}
		for _, match := range []string{etag, strings.TrimPrefix(etag, "W/"), `"other", ` + etag, "*"} {
			w := do(handler, get(path, "If-None-Match", match))
			if w.Code != http.StatusNotModified || w.Body.Len() > 0 || w.Header().Get("ETag") != etag || w.Header().Get("Cache-Control") == "no-store" {
				t.Errorf("%s with %q = %d %v", path, match, w.Code, w.Header())
			}
		}
		for _, other := range []string{`"other"`, "", strings.Trim(etag, `W/"`)} {
			if w := do(handler, get(path, "If-None-Match", other)); w.Code != http.StatusOK {
				t.Errorf("%s with %q = %d", path, other, w.Code)
			}
		}
	}
}

func TestEvents(t *testing.T) {
	t.Parallel()
	handler := start(t, bench(&scripted{}))
	const one = `{"type":"user.created","summary":"A user was created.","version":1,"schema":{"type":"object"},"example":{},"commands":["AUTH.SIGNUP"]}`
	if got := do(handler, get("/api/v1/events/user.created")).Body.String(); got != one {
		t.Errorf("kind = %s", got)
	}
	if got := do(handler, get("/api/v1/events")).Body.String(); got != `{"version":"v0.4.0","count":1,"events":[`+one+`]}` {
		t.Errorf("kinds = %s", got)
	}
	for _, unknown := range []string{"user.deleted", "USER.CREATED", "%00", "user.created%2f"} {
		refusedAs(t, do(handler, get("/api/v1/events/"+unknown)), http.StatusNotFound, fault.NotFound)
	}
}

func TestDiscovery(t *testing.T) {
	t.Parallel()
	server := bench(&scripted{})
	server.Discovery = &published{issuer: "https://id.example.com", keys: `{"keys":[{"kid":"1"}]}`}
	server.PasskeyOrigins = []string{"https://example.org"}
	handler := start(t, server)
	r := get("/.well-known/openid-configuration", "X-Forwarded-Host", "evil.test")
	r.Host = "evil.test"
	const want = `{"issuer":"https://id.example.com","jwks_uri":"https://id.example.com/.well-known/jwks.json",` +
		`"command_endpoint":"https://id.example.com/api/v1/execute","token_endpoint":"https://id.example.com/oauth/token",` +
		`"introspection_endpoint":"https://id.example.com/oauth/introspect","revocation_endpoint":"https://id.example.com/oauth/revoke",` +
		`"grant_types_supported":["authorization_code","refresh_token","urn:ietf:params:oauth:grant-type:device_code",` +
		`"urn:ietf:params:oauth:grant-type:token-exchange","client_credentials"],` +
		`"response_types_supported":["code"],"subject_types_supported":["public","pairwise"],"id_token_signing_alg_values_supported":["ES256","RS256"],` +
		`"token_endpoint_auth_methods_supported":["none","client_secret_basic","client_secret_post","private_key_jwt"],` +
		`"token_endpoint_auth_signing_alg_values_supported":["ES256","Ed25519","EdDSA","RS256"],` +
		`"authorization_endpoint":"https://id.example.com/oauth/authorize","pushed_authorization_request_endpoint":"https://id.example.com/oauth/par",` +
		`"device_authorization_endpoint":"https://id.example.com/oauth/device_authorization",` +
		`"userinfo_endpoint":"https://id.example.com/oauth/userinfo","end_session_endpoint":"https://id.example.com/oauth/end_session","backchannel_logout_supported":true,"backchannel_logout_session_supported":true,"response_modes_supported":["query","form_post"],"code_challenge_methods_supported":["S256"],` +
		`"scopes_supported":["openid","profile","email","org","roles","groups","offline_access"],` +
		`"acr_values_supported":["urn:gatehouse:acr:1","urn:gatehouse:acr:2","urn:gatehouse:acr:phr"],` +
		`"prompt_values_supported":["none","login","consent","select_account"],"authorization_response_iss_parameter_supported":true,` +
		`"claims_parameter_supported":true,"request_parameter_supported":true,"request_object_signing_alg_values_supported":["ES256","Ed25519","EdDSA","RS256"],"request_uri_parameter_supported":false,` +
		`"introspection_endpoint_auth_methods_supported":["client_secret_basic","client_secret_post","private_key_jwt"],` +
		`"introspection_endpoint_auth_signing_alg_values_supported":["ES256","Ed25519","EdDSA","RS256"],` +
		`"revocation_endpoint_auth_methods_supported":["client_secret_basic","client_secret_post","private_key_jwt"],` +
		`"revocation_endpoint_auth_signing_alg_values_supported":["ES256","Ed25519","EdDSA","RS256"],"dpop_signing_alg_values_supported":["ES256","Ed25519","EdDSA","RS256"],` +
		`"claims_supported":["sub","iss","aud","azp","exp","iat","jti","sid","auth_time","acr","amr","nonce","at_hash",` +
		`"name","preferred_username","given_name","family_name","picture","locale","zoneinfo","updated_at","email","email_verified","org_id","roles","groups"]}`
	if got := do(handler, r).Body.String(); got != want {
		t.Errorf("configuration = %s", got)
	}
	r.URL.Path = "/.well-known/oauth-authorization-server"
	if got := do(handler, r).Body.String(); got != want {
		t.Errorf("metadata of RFC 8414 = %s", got)
	}
	if got := do(handler, get("/.well-known/webauthn")); got.Body.String() != `{"origins":["https://example.org"]}` || !strings.HasPrefix(got.Header().Get("Content-Type"), "application/json") {
		t.Errorf("related origins = %s, %v", got.Body, got.Header())
	}
	if got := do(handler, get("/.well-known/jwks.json")).Body.String(); got != `{"keys":[{"kid":"1"}]}` {
		t.Errorf("keys = %s", got)
	}
}

func TestHealth(t *testing.T) {
	t.Parallel()
	const fine = `{"status":"ok"}`
	book, heart := &logbook{}, &pulse{}
	server := bench(&scripted{})
	server.Health, server.Logger = heart, slog.New(slog.NewTextHandler(book, nil))
	handler := start(t, server)
	try := func(path string, status int, body string) {
		t.Helper()
		w := do(handler, get(path))
		if w.Code != status || w.Body.String() != body || w.Header().Get("Content-Type") != "application/json" {
			t.Errorf("%s = %d %s, want %d %s", path, w.Code, w.Body, status, body)
		}
	}
	try("/health", 200, fine)
	try("/health?check=live", 200, fine)
	try("/health?check=ready", 200, fine)
	heart.turn(fmt.Errorf("ping: %w", errors.New("dial postgres://u:p@h")))
	try("/health", 503, `{"status":"unavailable","reason":"not ready"}`)
	try("/health?check=ready", 503, `{"status":"unavailable","reason":"not ready"}`)
	try("/health?check=live", 200, fine)
	heart.turn(errors.New("shutting down"))
	try("/health", 503, `{"status":"unavailable","reason":"shutting down"}`)
	heart.turn(errors.New(strings.Repeat("relation users does not exist ", 3)))
	try("/health", 503, `{"status":"unavailable","reason":"not ready"}`)
	heart.turn(nil)
	try("/health", 200, fine)
	if logged := book.String(); strings.Count(logged, "level=WARN") != 1 || strings.Count(logged, "ready again") != 1 {
		t.Errorf("log = %s", logged)
	}
	for _, bad := range []string{"x", "", "LIVE", "live&check=ready"} {
		refusedAs(t, do(handler, get("/health?check="+bad)), http.StatusBadRequest, fault.Validation)
	}
}

// stuck is an instance whose database driver blocks regardless of the context.
type stuck struct{ over chan struct{} }

func (s stuck) Ready(context.Context) error {
	<-s.over
	return nil
}

func TestHealthOfAStoreThatHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		heart := stuck{make(chan struct{})}
		defer close(heart.over)
		server := bench(&scripted{})
		server.Health = heart
		handler, began := start(t, server), time.Now()
		w := do(handler, get("/health?check=ready"))
		if took := time.Since(began); w.Code != http.StatusServiceUnavailable || took > 2*time.Second {
			t.Errorf("ready = %d %s after %v, want 503 within 2 s", w.Code, w.Body, took)
		}
	})
}

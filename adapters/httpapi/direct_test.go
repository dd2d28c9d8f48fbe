package httpapi_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/ports/inbound"
)

// direct returns the paths of commands that have one, with the commands.
func direct() map[string]string {
	return map[string]string{
		"/api/m2m/token": "M2M.TOKEN", "/api/m2m/introspect": "M2M.INTROSPECT", "/api/m2m/revoke": "M2M.REVOKE",
		"/oauth/revoke": "OAUTH.REVOKE", "/oauth/token": "OAUTH.TOKEN", "/oauth/par": "OAUTH.REQUEST_PUSH", "/oauth/device_authorization": "OAUTH.DEVICE_START", "/oauth/userinfo": "OAUTH.USERINFO",
		"/oauth/introspect": "OAUTH.INTROSPECT",
	}
}

// sendTo returns a JSON request.
func sendTo(path, body string, headers ...string) *http.Request {
	r := post(body, headers...)
	r.URL.Path = path
	return r
}

func TestDirectPassesTheRequestOn(t *testing.T) {
	t.Parallel()
	for path, command := range direct() {
		app := &scripted{}
		w := do(start(t, bench(app)), sendTo(path, `{"a":1,"params":{"b":[2]},"dry_run":true}`,
			"Authorization", "Bearer x.y.z", "Idempotency-Key", "key-1", "User-Agent", "curl/8", "DPoP", "p.q.r"))
		if got := envelopeOf(t, w); !got.OK || got.Command != command || string(got.Data) != `{"ok":"yes"}` || w.Code != http.StatusOK {
			t.Errorf("%s = %d %s", path, w.Code, w.Body)
		}
		if got := w.Header().Get("Cache-Control"); got != "no-store" {
			t.Errorf("%s: Cache-Control = %q", path, got)
		}
		want := inbound.Request{
			Command: command, Params: []byte(`{"b":[2],"a":1}`), DryRun: true, IdempotencyKey: "key-1", Authorization: "Bearer x.y.z",
			DPoP: "p.q.r", Method: "POST", Path: path, IP: netip.MustParseAddr("192.0.2.1"), UserAgent: "curl/8", RequestID: "made-1",
		}
		if got := app.last(t); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: request = %+v\nwant %+v", path, got, want)
		}
	}
}

func TestDirectWithoutParameters(t *testing.T) {
	t.Parallel()
	for path := range direct() {
		app := &scripted{}
		do(start(t, bench(app)), sendTo(path, ` {} `))
		if got := string(app.last(t).Params); got != "{}" {
			t.Errorf("%s: params = %s", path, got)
		}
	}
}

func TestDirectRefusesBodies(t *testing.T) {
	t.Parallel()
	app := &scripted{}
	handler := start(t, bench(app))
	for path, command := range direct() {
		for body, named := range map[string]string{
			`{"command":"USER.ME"}`:              command,
			`{"command":"` + command + `"}`:      command,
			`{"command":null,"token":"x"}`:       command,
			`{"token":"x","params":{"token":1}}`: command,
			`{"params":[]}`:                      command,
			`{"dry_run":1}`:                      command,
			`{"token":"x","token":"y"}`:          "",
			`{"token":"x"}{}`:                    "",
			`[]`:                                 "",
			``:                                   "",
			"{\"token\":\"\xff\"}":               "",
			strings.Repeat(`{"a":`, 40):          "",
		} {
			if read := refusedAs(t, do(handler, sendTo(path, body)), http.StatusBadRequest, fault.Validation); read.Command != named {
				t.Errorf("%s %s: command = %q, want %q", path, body, read.Command, named)
			}
		}
		wrong := refusedAs(t, do(handler, sendTo(path, `{"command":"USER.ME"}`)), http.StatusBadRequest, fault.Validation)
		if len(wrong.Error.Fields) != 1 || wrong.Error.Fields[0].Path != "/command" {
			t.Errorf("%s: fields = %+v", path, wrong.Error.Fields)
		}
		large := do(handler, sendTo(path, `{"token":"`+strings.Repeat("x", 1<<20)+`"}`))
		refusedAs(t, large, http.StatusRequestEntityTooLarge, fault.Validation)
	}
	if app.calls() != 0 {
		t.Error("the application was asked")
	}
}

func TestDirectTypesAndMethods(t *testing.T) {
	t.Parallel()
	app := &scripted{}
	handler := start(t, bench(app))
	for path := range direct() {
		if path == "/oauth/userinfo" { // allows GET
			continue
		}
		for _, bad := range [][]string{
			nil,
			{"text/plain"},
			{"multipart/form-data; boundary=x"},
			{"application/x-www-form-urlencoded; charset=latin1"},
			{"application/json", "application/x-www-form-urlencoded"},
			{"application/x-www-form-urlencoded, application/json"},
		} {
			r := sendTo(path, `{}`)
			r.Header["Content-Type"] = bad
			refusedAs(t, do(handler, r), http.StatusUnsupportedMediaType, fault.Validation)
		}
		refusedAs(t, do(handler, sendTo(path, `{}`, "Content-Encoding", "gzip")), http.StatusUnsupportedMediaType, fault.Validation)
		for _, method := range []string{"GET", "HEAD", "PUT", "DELETE", "OPTIONS", "post"} {
			w := do(handler, httptest.NewRequest(method, path, http.NoBody))
			refusedAs(t, w, http.StatusMethodNotAllowed, fault.Validation)
			if got := w.Header().Get("Allow"); got != "POST" {
				t.Errorf("%s %s: Allow = %q", method, path, got)
			}
		}
		refusedAs(t, do(handler, sendTo(path+"/", `{}`)), http.StatusNotFound, fault.NotFound)
		twice := sendTo(path, `{}`, "Authorization", "Bearer a", "Authorization", "Bearer b")
		refusedAs(t, do(handler, twice), http.StatusUnauthorized, fault.TokenInvalid)
		refusedAs(t, do(handler, sendTo(path, `{}`, "Idempotency-Key", "a b")), http.StatusBadRequest, fault.Validation)
	}
	if app.calls() != 0 {
		t.Error("the application was asked")
	}
}

func TestDirectFailures(t *testing.T) {
	t.Parallel()
	for path, command := range direct() {
		for _, code := range fault.Codes() {
			failure := fault.New(code, "invalid_client: no")
			failure.RetryAfter = 7 * time.Second
			w := do(start(t, bench(fails(failure))), sendTo(path, `{}`))
			read := refusedAs(t, w, inbound.Status(code), code)
			if read.Command != command || code != fault.Internal && read.Error.Message != "invalid_client: no" {
				t.Errorf("%s, %s: %s", path, code, w.Body)
			}
			if got := w.Header().Get("Retry-After"); (got == "7") != (code == fault.RateLimited) {
				t.Errorf("%s, %s: Retry-After = %q", path, code, got)
			}
		}
	}
}

func TestDirectCORS(t *testing.T) {
	t.Parallel()
	const page = "https://app.example.com"
	server := bench(&scripted{})
	server.Discovery = &published{origins: []string{page}}
	handler := start(t, server)
	for path := range direct() {
		flight := httptest.NewRequest(http.MethodOptions, path, http.NoBody)
		flight.Header.Set("Origin", page)
		flight.Header.Set("Access-Control-Request-Method", "POST")
		if w := do(handler, flight); w.Code != http.StatusNoContent || w.Header().Get("Access-Control-Allow-Origin") != page ||
			!strings.Contains(w.Header().Get("Access-Control-Allow-Headers"), "DPoP") {
			t.Errorf("preflight of %s = %d %v", path, w.Code, w.Header())
		}
		if w := do(handler, sendTo(path, `{}`, "Origin", "https://evil.test")); w.Header().Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s lets every page in", path)
		}
	}
}

func TestDirectInternalErrorIsLoggedOnce(t *testing.T) {
	t.Parallel()
	for path, command := range direct() {
		for _, form := range []bool{false, true} {
			book := &logbook{}
			server := bench(fails(fault.New(fault.Internal, "leak me").Because(errors.New("dsn=postgres://u:p@h"))))
			server.Logger = slog.New(slog.NewTextHandler(book, nil))
			r := sendTo(path, `{}`)
			if form {
				r = formTo(path, "grant_type=client_credentials&client_id=a&token=b", "X-Request-Id", "req-7")
				if path == "/api/m2m/revoke" {
					r = formTo(path, "jti=a")
				}
			}
			w := do(start(t, server), r)
			if w.Code != http.StatusInternalServerError || strings.Contains(w.Body.String(), "leak") || strings.Contains(w.Body.String(), "postgres") {
				t.Errorf("%s = %d %s", path, w.Code, w.Body)
			}
			if logged := book.String(); strings.Count(logged, "\n") != 1 || !strings.Contains(logged, "command="+command) || !strings.Contains(logged, "postgres") {
				t.Errorf("log = %s", logged)
			}
		}
	}
}

// The command endpoint does not accept forms.
func TestExecuteTakesNoForm(t *testing.T) {
	t.Parallel()
	w := do(start(t, bench(&scripted{})), formTo("/api/v1/execute", "command=USER.ME"))
	refusedAs(t, w, http.StatusUnsupportedMediaType, fault.Validation)
}

// formTo returns a form request.
func formTo(path, body string, headers ...string) *http.Request {
	r := sendTo(path, body, headers...)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return r
}

func TestFormBodies(t *testing.T) {
	t.Parallel()
	app := &scripted{}
	handler := start(t, bench(app))
	const rest = "&client_id=a&client_secret=b&grant_type=client_credentials"
	for name, body := range map[string]string{
		"bad escape": "scope=%zz" + rest, "half an escape": "scope=%e" + rest, "semicolon": "a=b;c=d" + rest,
		"not UTF-8": "scope=%ff" + rest, "raw bytes": "scope=\xc3\x28" + rest, "a name not UTF-8": "%ff=a" + rest,
		"client twice": "client_id=a" + rest, "grant twice": "grant_type=client_credentials" + rest,
		"twice in two spellings": "client%5fid=a" + rest, "twice, once empty": "client_id=" + rest, "unknown twice": "x=1&x=2" + rest,
	} {
		oauthRefused(t, do(handler, formTo("/api/m2m/token", body)), 400, "invalid_request", name)
	}
	broken := formTo("/api/m2m/token", "")
	broken.Body = io.NopCloser(io.MultiReader(strings.NewReader("grant_"), failing{}))
	broken.ContentLength = 30
	oauthRefused(t, do(handler, broken), 400, "invalid_request", "broken off")
	large := do(handler, formTo("/api/m2m/token", "x="+strings.Repeat("x", 1<<20)))
	oauthRefused(t, large, 413, "invalid_request", "large")
	if got := large.Header().Get("Connection"); got != "close" {
		t.Errorf("Connection = %q", got)
	}
	if app.calls() != 0 {
		t.Error("the application was asked")
	}
	charset := formTo("/api/m2m/token", rest[1:])
	charset.Header.Set("Content-Type", `Application/X-WWW-Form-URLencoded; charset="UTF-8"`)
	if w := do(handler, charset); w.Code != http.StatusOK {
		t.Errorf("with a charset = %d %s", w.Code, w.Body)
	}
}

// An invalid result of the application is an internal error.
func TestFormResultsThatAreNone(t *testing.T) {
	t.Parallel()
	app := &scripted{reply: func(context.Context, inbound.Request) inbound.Reply { return inbound.Reply{Data: []byte(`[`)} }}
	handler := start(t, bench(app))
	oauthRefused(t, do(handler, formTo("/api/m2m/token", "client_id=a&grant_type=client_credentials")), 500, "server_error", "token")
	oauthRefused(t, do(handler, formTo("/api/m2m/introspect", "token=a")), 500, "server_error", "introspect")
}

// The introspection endpoint accepts client credentials in every form, or a token, and
// ignores other headers (RFC 7662 section 2.1).
func TestIntrospectionEndpoint(t *testing.T) {
	t.Parallel()
	app := &scripted{reply: func(context.Context, inbound.Request) inbound.Reply {
		return inbound.Reply{Data: []byte(`{"active":false}`)}
	}}
	handler := start(t, bench(app))
	for name, test := range map[string]struct {
		body, authorization string
		want                *inbound.ClientCredentials
	}{
		"basic":     {"token=a", basic("rs", "s&s"), &inbound.ClientCredentials{ID: "rs", Secret: secret.New("s&s")}},
		"post":      {"token=a&client_id=rs&client_secret=s", "", &inbound.ClientCredentials{ID: "rs", Secret: secret.New("s")}},
		"assertion": {"token=a&client_id=rs&client_assertion=x.y.z&client_assertion_type=t", "", &inbound.ClientCredentials{ID: "rs", Assertion: secret.New("x.y.z"), AssertionType: "t"}},
		"token":     {"token=a&token_type_hint=b&else=c", "Bearer x.y.z", nil},
	} {
		r := formTo("/oauth/introspect", test.body)
		if test.authorization != "" {
			r.Header.Set("Authorization", test.authorization)
		}
		w := do(handler, r)
		got := app.last(t)
		if w.Code != http.StatusOK || w.Body.String() != `{"active":false}` || string(got.Params) != `{"token":"a"}` || !reflect.DeepEqual(got.Client, test.want) {
			t.Errorf("%s: %d %s, asked %s by %+v", name, w.Code, w.Body, got.Params, got.Client)
		}
		if kept := got.Authorization != ""; kept != (test.want == nil) {
			t.Errorf("%s: the engine sees Authorization %q", name, got.Authorization)
		}
	}
	for body, want := range map[string]int{"client_id=rs&client_secret=s": 400, "token=a": 401, "token=a&client_secret=s": 401} {
		if w := do(handler, formTo("/oauth/introspect", body)); w.Code != want {
			t.Errorf("%s = %d %s", body, w.Code, w.Body)
		}
	}
}

// The UserInfo endpoint accepts a token in the header of a GET, or in the form of a
// POST, and returns bare claims (OpenID Connect Core section 5.3).
func TestUserinfo(t *testing.T) {
	t.Parallel()
	app := &scripted{reply: func(context.Context, inbound.Request) inbound.Reply {
		return inbound.Reply{Data: []byte(`{"sub":"usr_1","claims":{"email":"ada@example.com"}}`)}
	}}
	handler := start(t, bench(app))
	byForm := formTo("/oauth/userinfo", "access_token=x.y.z")
	byForm.URL.Path = "/oauth/userinfo"
	for _, r := range []*http.Request{get("/oauth/userinfo", "Authorization", "Bearer x.y.z"), byForm} {
		w := do(handler, r)
		if got := w.Body.String(); w.Code != http.StatusOK || got != `{"email":"ada@example.com","sub":"usr_1"}` {
			t.Errorf("%s = %d %s", r.Method, w.Code, got)
		}
		if got := app.last(t); got.Command != "OAUTH.USERINFO" || got.Authorization != "Bearer x.y.z" {
			t.Errorf("%s asks %+v", r.Method, got)
		}
	}
	both := formTo("/oauth/userinfo", "access_token=x.y.z")
	both.URL.Path = "/oauth/userinfo"
	both.Header.Set("Authorization", "Bearer a")
	if w := do(handler, both); w.Code != http.StatusBadRequest {
		t.Errorf("a token in two ways = %d %s", w.Code, w.Body)
	}
}

// A POST to a page is redirected to a GET with the same parameters.
func TestPagesTakePosts(t *testing.T) {
	t.Parallel()
	server := bench(&scripted{})
	server.Site, server.SitePaths = http.NotFoundHandler(), []string{"/oauth/authorize", "/oauth/end_session"}
	handler := start(t, server)
	for _, page := range server.SitePaths {
		w := do(handler, formTo(page, "state=a+b&client_id=wiki"))
		if w.Code != http.StatusSeeOther || w.Header().Get("Location") != page+"?client_id=wiki&state=a+b" {
			t.Errorf("%s = %d to %s", page, w.Code, w.Header().Get("Location"))
		}
		if w := do(handler, sendTo(page, "{}")); w.Code != http.StatusBadRequest {
			t.Errorf("%s with JSON = %d", page, w.Code)
		}
	}
}

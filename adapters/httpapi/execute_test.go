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
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/ports/inbound"
)

func TestExecutePassesTheRequestOn(t *testing.T) {
	t.Parallel()
	app := &scripted{}
	server := bench(app)
	server.Proxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	r := post(`{"command":"USER.LIST","limit":5,"params":{"cursor":"a"},"dry_run":true}`,
		"Authorization", "Bearer x.y.z", "Idempotency-Key", "key-1", "User-Agent", "curl/8\xff", "DPoP", "p.q.r",
		"X-Request-Id", "mine:1", "X-Forwarded-For", "203.0.113.9")
	r.RemoteAddr = "10.0.0.1:4000"
	w := do(start(t, server), r)
	if got := envelopeOf(t, w); !got.OK || got.Command != "USER.LIST" || string(got.Data) != `{"ok":"yes"}` {
		t.Errorf("answer = %s", w.Body)
	}
	got := app.last(t)
	want := inbound.Request{
		Command: "USER.LIST", Params: []byte(`{"cursor":"a","limit":5}`), DryRun: true, IdempotencyKey: "key-1",
		Authorization: "Bearer x.y.z", DPoP: "p.q.r", Method: "POST", Path: "/api/v1/execute", IP: netip.MustParseAddr("203.0.113.9"), UserAgent: "curl/8", RequestID: "mine:1",
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("request = %+v\nwant      %+v", got, want)
	}
	if id := w.Header().Get("X-Request-Id"); id != "mine:1" {
		t.Errorf("X-Request-Id = %q", id)
	}
}

// Parameters must not share memory with pooled buffers.
func TestParamsAreNotShared(t *testing.T) {
	t.Parallel()
	app := &scripted{}
	handler := start(t, bench(app))
	do(handler, post(`{"command":"A.B","params":{"secret":"first"}}`))
	first := app.last(t)
	for range 10 {
		do(handler, post(`{"command":"C.D","params":{"secret":"other"}}`))
	}
	if string(first.Params) != `{"secret":"first"}` || first.Command != "A.B" {
		t.Errorf("the first request became %s %s", first.Command, first.Params)
	}
}

func TestFailureStatuses(t *testing.T) {
	t.Parallel()
	want := map[fault.Code]int{
		fault.Validation: 400, fault.Auth: 401, fault.TokenExpired: 401, fault.TokenInvalid: 401, fault.Denied: 403,
		fault.FlowBlocked: 403, fault.NotFound: 404, fault.Unknown: 404, fault.RateLimited: 429, fault.Internal: 500,
	}
	for _, code := range fault.Codes() {
		t.Run(string(code), func(t *testing.T) {
			t.Parallel()
			w := do(start(t, bench(fails(fault.New(code, "because")))), post(`{"command":"A.B"}`))
			read := refusedAs(t, w, want[code], code)
			if read.Command != "A.B" {
				t.Errorf("command = %q", read.Command)
			}
			if code != fault.Internal && read.Error.Message != "because" {
				t.Errorf("message = %q", read.Error.Message)
			}
			if (w.Header().Get("Retry-After") != "") != (code == fault.RateLimited) {
				t.Errorf("Retry-After = %q", w.Header().Get("Retry-After"))
			}
			if (w.Header().Get("WWW-Authenticate") != "") != (want[code] == http.StatusUnauthorized) {
				t.Errorf("WWW-Authenticate = %q", w.Header().Get("WWW-Authenticate"))
			}
		})
	}
}

func TestErrorForm(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		failure *fault.Error
		want    string
	}{
		"plain":  {fault.New(fault.NotFound, "no"), `{"code":"NOT_FOUND","message":"no"}`},
		"quoted": {fault.New(fault.NotFound, "a\"b\n\xff"), `{"code":"NOT_FOUND","message":"a\"b\n` + "\ufffd" + `"}`},
		"fields": {
			&fault.Error{Code: fault.Validation, Message: "no", Fields: []fault.Field{{Path: "/a", Message: "x"}, {Path: "/b~1c", Message: "y"}}},
			`{"code":"VALIDATION_ERROR","message":"no","fields":[{"path":"/a","message":"x"},{"path":"/b~1c","message":"y"}]}`,
		},
		"flow": {
			&fault.Error{Code: fault.FlowBlocked, Message: "no", Flow: &fault.Flow{Name: "n", Node: "d", Reason: "r"}},
			`{"code":"FLOW_BLOCKED","message":"no","flow":{"name":"n","node":"d","reason":"r"}}`,
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := do(start(t, bench(fails(c.failure))), post(`{"command":"A.B"}`))
			want := `{"ok":false,"command":"A.B","data":null,"error":` + c.want + `}`
			if w.Body.String() != want {
				t.Errorf("answer = %s\nwant     %s", w.Body, want)
			}
		})
	}
}

func TestSuccessForm(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]string{"": "null", "null": "null", `{"a":1}`: `{"a":1}`} {
		app := &scripted{reply: func(context.Context, inbound.Request) inbound.Reply {
			return inbound.Reply{Data: []byte(data), Replayed: data == ""}
		}}
		w := do(start(t, bench(app)), post(`{"command":"A.\u0042"}`))
		if got := `{"ok":true,"command":"A.B","data":` + want + `,"error":null}`; w.Body.String() != got {
			t.Errorf("answer = %s, want %s", w.Body, got)
		}
		if got := w.Header().Get("Idempotent-Replayed"); (got == "true") != (data == "") {
			t.Errorf("Idempotent-Replayed = %q", got)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		after time.Duration
		want  string
	}{
		{0, "1"},
		{-time.Second, "1"},
		{time.Nanosecond, "1"},
		{time.Second, "1"},
		{time.Second + 1, "2"},
		{59*time.Second + 999*time.Millisecond, "60"},
		{time.Hour, "3600"},
	} {
		failure := fault.New(fault.RateLimited, "slow down")
		failure.RetryAfter = c.after
		w := do(start(t, bench(fails(failure))), post(`{"command":"A.B"}`))
		if got := w.Header().Get("Retry-After"); got != c.want {
			t.Errorf("Retry-After of %v = %q, want %q", c.after, got, c.want)
		}
	}
}

// The adapter passes on any credential; the engine validates it.
func TestAuthorizationPassesThrough(t *testing.T) {
	t.Parallel()
	for _, value := range []string{
		"", "Bearer", "Bearer ", "bearer x", "BEARER x", "Basic dTpw", "DPoP x", "x", "Bearer  two", "Bearer a b",
		"Bearer \xc3\xa9", "Bearer " + strings.Repeat("a", 20_000), "Bearer ak_live_1", "Bearer a,Bearer b", "\tBearer x",
	} {
		app := &scripted{}
		r := post(`{"command":"A.B"}`)
		r.Header["Authorization"] = []string{value}
		if w := do(start(t, bench(app)), r); w.Code != http.StatusOK || app.last(t).Authorization != value {
			t.Errorf("Authorization %.20q arrived as %.20q", value, app.last(t).Authorization)
		}
	}
}

func TestTwoAuthorizations(t *testing.T) {
	t.Parallel()
	app := &scripted{}
	w := do(start(t, bench(app)), post(`{"command":"A.B"}`, "Authorization", "Bearer a", "Authorization", "Bearer a"))
	if read := refusedAs(t, w, http.StatusUnauthorized, fault.TokenInvalid); read.Command != "A.B" {
		t.Errorf("command = %q", read.Command)
	}
	if app.calls() != 0 {
		t.Error("the application was asked")
	}
}

func TestIdempotencyKey(t *testing.T) {
	t.Parallel()
	handler := start(t, bench(&scripted{}))
	for _, good := range []string{"a", "!~", strings.Repeat("k", 255)} {
		if w := do(handler, post(`{"command":"A.B"}`, "Idempotency-Key", good)); w.Code != http.StatusOK {
			t.Errorf("key %.9q: %s", good, w.Body)
		}
	}
	for _, bad := range [][]string{
		{""}, {" "}, {"a b"}, {"a\tb"}, {"\x7f"}, {"é"}, {strings.Repeat("k", 256)}, {"a", "a"}, {"a", "b"}, {},
	} {
		r := post(`{"command":"A.B"}`)
		r.Header["Idempotency-Key"] = bad
		read := refusedAs(t, do(handler, r), http.StatusBadRequest, fault.Validation)
		if !strings.Contains(read.Error.Message, "Idempotency-Key") || read.Command != "A.B" {
			t.Errorf("key %.9q: %+v", bad, read)
		}
	}
}

func TestContentTypes(t *testing.T) {
	t.Parallel()
	handler := start(t, bench(&scripted{}))
	for _, good := range []string{
		"application/json", "Application/JSON", "application/json; charset=utf-8", `application/json;charset="UTF-8"`, " application/json ; charset=Utf-8",
	} {
		r := post(`{"command":"A.B"}`)
		r.Header["Content-Type"] = []string{good}
		if w := do(handler, r); w.Code != http.StatusOK {
			t.Errorf("%q: %d", good, w.Code)
		}
	}
	for _, bad := range [][]string{
		nil,
		{""},
		{"text/plain"},
		{"text/json"},
		{"application/x-www-form-urlencoded"},
		{"multipart/form-data; boundary=x"},
		{"application/jsonp"},
		{"application/json; charset=latin1"},
		{"application/json; charset=utf-16"},
		{"application/json; version=1"},
		{"application/json; charset=utf-8; x=y"},
		{"application/json;"},
		{"application/json", "application/json"},
		{"application/json, text/plain"},
		{"application/problem+json"},
		{"*/*"},
		{"/"},
		{"application/json; charset"},
	} {
		r := post(`{"command":"A.B"}`)
		r.Header["Content-Type"] = bad
		if len(bad) == 1 && bad[0] == "application/json;" {
			continue // empty parameters are ignored
		}
		if read := refusedAs(t, do(handler, r), http.StatusUnsupportedMediaType, fault.Validation); read.Command != "" {
			t.Errorf("command = %q", read.Command)
		}
	}
	refusedAs(t, do(handler, post(`{"command":"A.B"}`, "Content-Encoding", "gzip")), http.StatusUnsupportedMediaType, fault.Validation)
}

func TestMethods(t *testing.T) {
	t.Parallel()
	handler := start(t, bench(&scripted{}))
	for _, method := range []string{"GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "post", "BREW"} {
		w := do(handler, httptest.NewRequest(method, "/api/v1/execute", http.NoBody))
		refusedAs(t, w, http.StatusMethodNotAllowed, fault.Validation)
		if got := w.Header().Get("Allow"); got != "POST" {
			t.Errorf("%s: Allow = %q", method, got)
		}
	}
	w := do(handler, httptest.NewRequest(http.MethodPost, "/health", http.NoBody))
	refusedAs(t, w, http.StatusMethodNotAllowed, fault.Validation)
	if got := w.Header().Get("Allow"); got != "GET, HEAD" {
		t.Errorf("Allow = %q", got)
	}
}

func TestBodyLimit(t *testing.T) {
	t.Parallel()
	handler := start(t, bench(&scripted{}))
	body := func(size int) string {
		const frame = `{"command":"A.B","params":{"x":""}}`
		return `{"command":"A.B","params":{"x":"` + strings.Repeat("x", size-len(frame)) + `"}}`
	}
	if w := do(handler, post(body(1<<20))); w.Code != http.StatusOK {
		t.Errorf("1 MiB: %d", w.Code)
	}
	declared := do(handler, post(body(1<<20+1)))
	refusedAs(t, declared, http.StatusRequestEntityTooLarge, fault.Validation)
	if got := declared.Header().Get("Connection"); got != "close" {
		t.Errorf("Connection = %q", got)
	}
	chunked := post(body(1<<20 + 1))
	chunked.ContentLength = -1
	refusedAs(t, do(handler, chunked), http.StatusRequestEntityTooLarge, fault.Validation)
	lying := post(body(1<<20 + 1))
	lying.ContentLength = 10
	refusedAs(t, do(handler, lying), http.StatusRequestEntityTooLarge, fault.Validation)
}

func TestBodyBreaksOff(t *testing.T) {
	t.Parallel()
	r := post("")
	r.Body = io.NopCloser(io.MultiReader(strings.NewReader(`{"comm`), failing{}))
	r.ContentLength = 30
	refusedAs(t, do(start(t, bench(&scripted{})), r), http.StatusBadRequest, fault.Validation)
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("gone") }

func TestInternalErrorIsLoggedOnce(t *testing.T) {
	t.Parallel()
	book := &logbook{}
	server := bench(fails(fault.New(fault.Internal, "leak me").Because(errors.New("dsn=postgres://u:p@h"))))
	server.Logger = slog.New(slog.NewTextHandler(book, nil))
	w := do(start(t, server), post(`{"command":"A.B","params":{"password":"hunter2"}}`, "X-Request-Id", "req-7", "Authorization", "Bearer tok"))
	read := refusedAs(t, w, http.StatusInternalServerError, fault.Internal)
	if read.Error.Message != "internal error, request id req-7" {
		t.Errorf("message = %q", read.Error.Message)
	}
	logged := book.String()
	if strings.Count(logged, "\n") != 1 || !strings.Contains(logged, "request_id=req-7") || !strings.Contains(logged, "command=A.B") || !strings.Contains(logged, "postgres") {
		t.Errorf("log = %s", logged)
	}
	if strings.Contains(logged, "hunter2") || strings.Contains(logged, "tok ") {
		t.Errorf("log = %s", logged)
	}
}

// An error without a cause has been logged already.
func TestInternalErrorIsNotLoggedTwice(t *testing.T) {
	t.Parallel()
	book := &logbook{}
	server := bench(fails(fault.New(fault.Internal, "internal error")))
	server.Logger = slog.New(slog.NewTextHandler(book, nil))
	refusedAs(t, do(start(t, server), post(`{"command":"A.B"}`)), http.StatusInternalServerError, fault.Internal)
	if got := book.String(); got != "" {
		t.Errorf("log = %s", got)
	}
}

// A disconnected client is not an internal error.
func TestClientLeft(t *testing.T) {
	t.Parallel()
	book := &logbook{}
	server := bench(fails(fault.From(context.Canceled)))
	server.Logger = slog.New(slog.NewTextHandler(book, nil))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	do(start(t, server), post(`{"command":"A.B"}`).WithContext(ctx))
	if got := book.String(); got != "" {
		t.Errorf("log = %s", got)
	}
}

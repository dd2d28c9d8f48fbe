package httpapi_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/adapters/httpapi"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/ports/inbound"
)

func TestHeadersOfEveryAnswer(t *testing.T) {
	t.Parallel()
	server := bench(&scripted{})
	server.Discovery = &published{issuer: "https://id.example.com", keys: `{"keys":[]}`}
	server.Metrics = httpapi.Metrics{Page: measured(), Open: true}
	handler := start(t, server)
	public := map[string]string{
		"/api/v1/commands": "public, max-age=300", "/api/v1/events": "public, max-age=300", "/api/v1/events/user.created": "public, max-age=300",
		"/.well-known/jwks.json": "public, max-age=15", "/.well-known/openid-configuration": "public, max-age=15",
		"/.well-known/oauth-authorization-server": "public, max-age=15",
	}
	for _, path := range []string{
		"/api/v1/execute", "/api/v1/commands", "/api/v1/events", "/api/v1/events/user.created", "/api/v1/events/no.such", "/health", "/health?check=live",
		"/health?check=no", "/metrics", "/.well-known/jwks.json", "/.well-known/openid-configuration", "/.well-known/oauth-authorization-server",
		"/api/m2m/token", "/api/m2m/introspect", "/api/m2m/revoke", "/nothing", "/", "//health", "/health/",
	} {
		w := do(handler, get(path))
		want := map[string]string{
			"X-Request-Id": "made-1", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY",
			"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'", "Strict-Transport-Security": "max-age=31536000; includeSubDomains",
			"Cache-Control": "no-store",
		}
		if public[path] != "" {
			want["Cache-Control"] = public[path]
		}
		for name, value := range want {
			if got := w.Header().Values(name); len(got) != 1 || got[0] != value {
				t.Errorf("%s: %s = %q, want %q", path, name, got, value)
			}
		}
		if got := w.Header().Values("Vary"); len(got) == 0 || got[0] != "Origin" {
			t.Errorf("%s: Vary = %q", path, got)
		}
	}
}

func TestNoTransportSecurityOverHTTP(t *testing.T) {
	t.Parallel()
	if got := do(start(t, bench(&scripted{})), get("/health")).Header().Get("Strict-Transport-Security"); got != "" {
		t.Errorf("Strict-Transport-Security = %q", got)
	}
}

func TestRequestID(t *testing.T) {
	t.Parallel()
	handler := start(t, bench(&scripted{}))
	for _, good := range []string{"a", "A-z_0.9:x", strings.Repeat("x", 128)} {
		if got := do(handler, get("/health", "X-Request-Id", good)).Header().Get("X-Request-Id"); got != good {
			t.Errorf("X-Request-Id = %q, want %q", got, good)
		}
	}
	for _, bad := range [][]string{{""}, {" "}, {"a b"}, {"a\"b"}, {"é"}, {"a/b"}, {"{x}"}, {"a%0a"}, {strings.Repeat("x", 129)}, {"a", "b"}} {
		r := get("/health")
		r.Header["X-Request-Id"] = bad
		if got := do(handler, r).Header().Get("X-Request-Id"); got != "made-1" {
			t.Errorf("%.9q: X-Request-Id = %q", bad, got)
		}
	}
}

func TestUnknownPath(t *testing.T) {
	t.Parallel()
	handler := start(t, bench(&scripted{}))
	for _, path := range []string{"/", "/x", "/api/v1", "/api/v1/execute/", "/api/v1/Execute", "/api/v2/execute", "//api/v1/execute", "/api/v1/../v1/execute", "/metrics", "/dev/mail"} {
		read := refusedAs(t, do(handler, get(path)), http.StatusNotFound, fault.NotFound)
		if read.Command != "" {
			t.Errorf("command = %q", read.Command)
		}
	}
	refusedAs(t, do(handler, httptest.NewRequest(http.MethodPost, "/nothing", strings.NewReader("x"))), http.StatusNotFound, fault.NotFound)
}

func TestPages(t *testing.T) {
	t.Parallel()
	server := bench(&scripted{})
	server.Pages = map[string]http.Handler{"/dev/mail": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "[]") })}
	if w := do(start(t, server), get("/dev/mail")); w.Code != http.StatusOK || w.Body.String() != "[]" || w.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("answer = %d %s", w.Code, w.Body)
	}
}

// Browsers get a page, even for unknown paths; other clients get JSON.
func TestBrowsersGetPages(t *testing.T) {
	t.Parallel()
	const browser, program = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "application/json"
	server := bench(&scripted{})
	server.Pages = map[string]http.Handler{"/dev/mail": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "[]") })}
	server.SitePaths = []string{"/dev"}
	server.Site = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "the page "+r.URL.Path) })
	handler := start(t, server)
	for _, path := range []string{"/", "/x", "/api/v1", "/dev/mail", "//x", "/api/v1/execute/"} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			r := httptest.NewRequest(method, path, http.NoBody)
			r.Header.Set("Accept", browser)
			if w := do(handler, r); w.Body.String() != "the page "+path || !slices.Contains(w.Header().Values("Vary"), "Accept") {
				t.Errorf("%s %s in a browser = %d %s, Vary %q", method, path, w.Code, w.Body, w.Header().Values("Vary"))
			}
		}
		for _, accept := range []string{program, "*/*", ""} {
			if w := do(handler, get(path, "Accept", accept)); strings.Contains(w.Body.String(), "the page") {
				t.Errorf("%s for %q = %s", path, accept, w.Body)
			}
		}
		r := httptest.NewRequest(http.MethodPost, path, strings.NewReader("x"))
		r.Header.Set("Accept", browser)
		if w := do(handler, r); strings.Contains(w.Body.String(), "the page") {
			t.Errorf("POST %s = %s", path, w.Body)
		}
	}
	if w := do(handler, get("/dev/mail", "Accept", program)); w.Body.String() != "[]" {
		t.Errorf("a program gets %s", w.Body)
	}
}

func TestPanicSaysNothing(t *testing.T) {
	t.Parallel()
	book := &logbook{}
	server := bench(&scripted{reply: func(context.Context, inbound.Request) inbound.Reply { panic("secret detail") }})
	server.Logger = slog.New(slog.NewTextHandler(book, nil))
	w := do(start(t, server), post(`{"command":"A.B"}`))
	read := refusedAs(t, w, http.StatusInternalServerError, fault.Internal)
	if read.Error.Message != "internal error, request id made-1" {
		t.Errorf("message = %q", read.Error.Message)
	}
	if logged := book.String(); strings.Count(logged, "level=ERROR") != 1 || !strings.Contains(logged, "secret detail") || !strings.Contains(logged, "front_test.go") {
		t.Errorf("log = %s", logged)
	}
}

// An incomplete response must not look complete.
func TestPanicAfterTheFirstByte(t *testing.T) {
	t.Parallel()
	server := bench(&scripted{})
	server.Pages = map[string]http.Handler{"/half": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "half")
		panic("late")
	})}
	defer func() {
		if caught, ok := recover().(error); !ok || !errors.Is(caught, http.ErrAbortHandler) {
			t.Errorf("recover() = %v, want http.ErrAbortHandler", caught)
		}
	}()
	do(start(t, server), get("/half"))
}

func TestAccessLog(t *testing.T) {
	t.Parallel()
	book := &logbook{}
	server := bench(&scripted{})
	server.Logger = slog.New(slog.NewTextHandler(book, &slog.HandlerOptions{Level: slog.LevelDebug}))
	r := post(`{"command":"A.B","params":{"password":"hunter2"}}`, "Authorization", "Bearer tok", "Cookie", "c=1")
	r.URL.RawQuery = "code=hidden"
	do(start(t, server), r)
	logged := book.String()
	for _, want := range []string{"level=DEBUG", "request_id=made-1", "method=POST", "path=/api/v1/execute", "status=200", "bytes=6", "took=0s"} {
		if !strings.Contains(logged, want) {
			t.Errorf("the log %q lacks %s", logged, want)
		}
	}
	for _, leak := range []string{"hunter2", "tok", "hidden", "c=1"} {
		if strings.Contains(logged, leak) {
			t.Errorf("the log %q holds %s", logged, leak)
		}
	}
}

func TestCORS(t *testing.T) {
	t.Parallel()
	const page = "https://app.example.com"
	cases := []struct {
		name    string
		allowed []string
		origin  string
		want    string
	}{
		{"none allowed", nil, page, ""},
		{"no origin", []string{page}, "", ""},
		{"exact", []string{"https://a.test", page}, page, page},
		{"any", []string{"*"}, page, "*"},
		{"any among others", []string{page, "*"}, page, "*"},
		{"other", []string{page}, "https://evil.test", ""},
		{"other scheme", []string{page}, "http://app.example.com", ""},
		{"other port", []string{page}, page + ":8443", ""},
		{"suffix", []string{page}, "https://evil-app.example.com", ""},
		{"prefix", []string{page}, page + ".evil.test", ""},
		{"other case", []string{page}, "https://APP.example.com", ""},
		{"trailing slash", []string{page}, page + "/", ""},
		{"null", []string{page}, "null", ""},
		{"a star sent", []string{page}, "*", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server := bench(&scripted{})
			server.Discovery = &published{origins: c.allowed}
			handler := start(t, server)
			r := post(`{"command":"A.B"}`)
			flight := httptest.NewRequest(http.MethodOptions, "/api/v1/execute", http.NoBody)
			flight.Header.Set("Access-Control-Request-Method", "POST")
			flight.Header.Set("Access-Control-Request-Headers", "authorization")
			if c.origin != "" {
				r.Header.Set("Origin", c.origin)
				flight.Header.Set("Origin", c.origin)
			}
			w := do(handler, r)
			if got := w.Header().Get("Access-Control-Allow-Origin"); got != c.want || w.Code != http.StatusOK {
				t.Errorf("Access-Control-Allow-Origin = %q, want %q", got, c.want)
			}
			if got := w.Header().Get("Access-Control-Expose-Headers"); (got == "ETag, X-Request-Id, Retry-After, Idempotent-Replayed, WWW-Authenticate, DPoP-Nonce, Mcp-Session-Id") != (c.want != "") {
				t.Errorf("Access-Control-Expose-Headers = %q", got)
			}
			before := do(handler, flight)
			if got := before.Header().Get("Access-Control-Allow-Origin"); got != c.want {
				t.Errorf("preflight: Access-Control-Allow-Origin = %q, want %q", got, c.want)
			}
			if got := before.Header().Get("Access-Control-Allow-Headers"); strings.Contains(got, "Authorization") != (c.want != "") {
				t.Errorf("preflight: Access-Control-Allow-Headers = %q", got)
			}
			if c.origin != "" && (before.Code != http.StatusNoContent || before.Body.Len() > 0) {
				t.Errorf("preflight = %d %s", before.Code, before.Body)
			}
			for _, answer := range []*httptest.ResponseRecorder{w, before} {
				if got := answer.Header().Get("Access-Control-Allow-Credentials"); got != "" {
					t.Errorf("Access-Control-Allow-Credentials = %q", got)
				}
				if answer.Header().Get("X-Request-Id") == "" {
					t.Error("no X-Request-Id")
				}
			}
		})
	}
}

func TestServerOverASocket(t *testing.T) {
	t.Parallel()
	served := httpapi.NewHTTPServer("127.0.0.1:0", start(t, bench(&scripted{})))
	if served.ReadHeaderTimeout != 10*time.Second || served.ReadTimeout != 30*time.Second || served.WriteTimeout != time.Minute ||
		served.IdleTimeout != 2*time.Minute || served.MaxHeaderBytes != 32<<10 {
		t.Errorf("limits = %+v", served)
	}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", served.Addr)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- served.Serve(listener) }()
	client := &http.Client{Transport: &http.Transport{}}
	base := "http://" + listener.Addr().String()

	answer, err := client.Post(base+"/api/v1/execute", "application/json", strings.NewReader(`{"command":"USER.ME"}`))
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(answer.Body)
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusOK || string(body) != `{"ok":true,"command":"USER.ME","data":{"ok":"yes"},"error":null}` {
		t.Errorf("answer = %d %s", answer.StatusCode, body)
	}
	large, err := client.Post(base+"/api/v1/execute", "application/json", strings.NewReader(strings.Repeat("x", 2<<20)))
	if err == nil {
		_ = large.Body.Close()
		if large.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("large = %d", large.StatusCode)
		}
	}
	head, err := client.Head(base + "/api/v1/commands")
	if err != nil {
		t.Fatal(err)
	}
	_ = head.Body.Close()
	if head.StatusCode != http.StatusOK || head.ContentLength == 0 {
		t.Errorf("HEAD = %d, %d bytes", head.StatusCode, head.ContentLength)
	}
	general, err := client.Do(&http.Request{Method: http.MethodOptions, URL: &url.URL{Scheme: "http", Host: listener.Addr().String(), Opaque: "*"}})
	if err != nil {
		t.Fatal(err)
	}
	_ = general.Body.Close()
	if general.StatusCode != http.StatusNotFound || general.Header.Get("X-Request-Id") == "" {
		t.Errorf("OPTIONS * = %d %v", general.StatusCode, general.Header)
	}
	client.CloseIdleConnections()
	if err := served.Shutdown(t.Context()); err != nil {
		t.Errorf("Shutdown() = %v", err)
	}
	if err := <-done; !errors.Is(err, http.ErrServerClosed) {
		t.Errorf("Serve() = %v", err)
	}
}

func TestHandlerNeedsItsParts(t *testing.T) {
	t.Parallel()
	for name, take := range map[string]func(*httpapi.Server){
		"Commands": func(s *httpapi.Server) { s.Commands = nil }, "Discovery": func(s *httpapi.Server) { s.Discovery = nil },
		"Health": func(s *httpapi.Server) { s.Health = nil }, "Clock": func(s *httpapi.Server) { s.Clock = nil },
		"NewRequestID": func(s *httpapi.Server) { s.NewRequestID = nil }, "Logger": func(s *httpapi.Server) { s.Logger = nil },
	} {
		server := bench(&scripted{})
		take(server)
		if _, err := server.Handler(); err == nil {
			t.Errorf("Handler() without %s is taken", name)
		}
	}
}

// A value that cannot be encoded affects only its own path.
func TestMalformedSchema(t *testing.T) {
	t.Parallel()
	app := &scripted{}
	server := bench(app)
	app.catalog[0].Params = []byte(`{`)
	handler, err := server.Handler()
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]int{"/api/v1/commands": 500, "/api/v1/events": 200} {
		got := httptest.NewRecorder()
		handler.ServeHTTP(got, httptest.NewRequest(http.MethodGet, path, http.NoBody))
		if got.Code != want {
			t.Errorf("GET %s = %d, want %d", path, got.Code, want)
		}
	}
}

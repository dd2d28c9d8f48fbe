package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gatehouse.internal/adapters/httpapi"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/ports/inbound"
)

// scripted is an application with scripted responses, which records its requests.
type scripted struct {
	reply   func(ctx context.Context, request inbound.Request) inbound.Reply
	catalog []inbound.Descriptor

	guard sync.Mutex
	asked []inbound.Request
}

func (s *scripted) Execute(ctx context.Context, request inbound.Request) inbound.Reply {
	if request.Refused != nil {
		return inbound.Reply{Failure: request.Refused}
	}
	s.guard.Lock()
	s.asked = append(s.asked, request)
	s.guard.Unlock()
	if s.reply == nil {
		return inbound.Reply{Command: request.Command, Data: []byte(`{"ok":"yes"}`)}
	}
	return s.reply(ctx, request)
}

func (s *scripted) Catalog() []inbound.Descriptor { return s.catalog }

func (s *scripted) Describe(_ context.Context, name string) (inbound.Descriptor, bool) {
	at := slices.IndexFunc(s.catalog, func(d inbound.Descriptor) bool { return d.Name == name })
	if at < 0 {
		return inbound.Descriptor{}, false
	}
	return s.catalog[at], true
}

func (s *scripted) last(t *testing.T) inbound.Request {
	t.Helper()
	s.guard.Lock()
	defer s.guard.Unlock()
	if len(s.asked) == 0 {
		t.Fatal("the application was not asked")
	}
	return s.asked[len(s.asked)-1]
}

func (s *scripted) calls() int {
	s.guard.Lock()
	defer s.guard.Unlock()
	return len(s.asked)
}

// fails returns an application that fails every call.
func fails(failure *fault.Error) *scripted {
	return &scripted{reply: func(context.Context, inbound.Request) inbound.Reply {
		return inbound.Reply{Failure: failure}
	}}
}

// published is a scripted discovery.
type published struct {
	issuer  string
	origins []string
	// clients are origins of clients.
	clients []string
	keys    string
	// registers reports whether clients may register themselves.
	registers bool
	// strangers reports whether clients may come that nobody registered.
	strangers bool
}

func (p *published) JWKS(context.Context) []byte { return []byte(p.keys) }
func (p *published) Issuer() string              { return p.issuer }
func (p *published) Abilities(context.Context) inbound.Abilities {
	return inbound.Abilities{RegistersClients: p.registers}
}
func (p *published) TakesStrangers(context.Context) bool     { return p.strangers }
func (p *published) AllowedOrigins(context.Context) []string { return p.origins }
func (p *published) ClientOrigin(_ context.Context, origin string) bool {
	return slices.Contains(p.clients, origin)
}

func (p *published) Kinds() []inbound.KindDescriptor {
	return []inbound.KindDescriptor{{
		Type: "user.created", Summary: "A user was created.", Version: 1,
		Schema: json.RawMessage(`{"type":"object"}`), Example: json.RawMessage(`{}`), Commands: []string{"AUTH.SIGNUP"},
	}}
}

func (p *published) Kind(name event.Kind) (inbound.KindDescriptor, bool) {
	only := p.Kinds()[0]
	return only, name == only.Type
}

// pulse is a scripted health.
type pulse struct {
	guard sync.Mutex
	err   error
}

func (p *pulse) Ready(context.Context) error {
	p.guard.Lock()
	defer p.guard.Unlock()
	return p.err
}

func (p *pulse) turn(err error) {
	p.guard.Lock()
	defer p.guard.Unlock()
	p.err = err
}

type still struct{}

func (still) Now() time.Time { return time.Unix(1_700_000_000, 0).UTC() }

// logbook is a log that can be read while it is written.
type logbook struct {
	guard sync.Mutex
	text  bytes.Buffer
}

func (l *logbook) Write(line []byte) (int, error) {
	l.guard.Lock()
	defer l.guard.Unlock()
	return l.text.Write(line)
}

func (l *logbook) String() string {
	l.guard.Lock()
	defer l.guard.Unlock()
	return l.text.String()
}

func descriptors() []inbound.Descriptor {
	one := func(name, family string) inbound.Descriptor {
		return inbound.Descriptor{
			Name: name, Family: family, Summary: strings.Repeat("A sentence about it. ", 20), Access: "user", Effect: "none",
			Limits: []inbound.LimitDescriptor{}, Events: []event.Kind{},
			Params: json.RawMessage(`{"type":"object"}`), Result: json.RawMessage(`{"type":"object"}`), Example: json.RawMessage(`{}`),
		}
	}
	return []inbound.Descriptor{one("USER.LIST", "USER"), one("USER.ME", "USER")}
}

// bench returns a server with scripted dependencies; tests modify it before start.
func bench(app *scripted) *httpapi.Server {
	app.catalog = descriptors()
	return &httpapi.Server{
		Commands: app, Discovery: &published{issuer: "http://localhost:8400", keys: `{"keys":[]}`},
		Health: &pulse{}, Clock: still{}, NewRequestID: func() string { return "made-1" },
		Logger: slog.New(slog.DiscardHandler), Version: "v0.4.0",
	}
}

func start(t testing.TB, server *httpapi.Server) http.Handler {
	t.Helper()
	handler, err := server.Handler()
	if err != nil {
		t.Fatalf("Handler() = %v", err)
	}
	return handler
}

// post returns a valid request; headers come in pairs and override.
func post(body string, headers ...string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/api/v1/execute", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	return r
}

func get(path string, headers ...string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, path, http.NoBody)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	return r
}

func do(handler http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w
}

// answered is a parsed envelope.
type answered struct {
	OK      bool            `json:"ok"`
	Command string          `json:"command"`
	Data    json.RawMessage `json:"data"`
	Error   *struct {
		Code    string        `json:"code"`
		Message string        `json:"message"`
		Fields  []fault.Field `json:"fields"`
		Flow    *fault.Flow   `json:"flow"`
	} `json:"error"`
}

// envelopeOf parses a response and checks that it has exactly the four keys.
func envelopeOf(t *testing.T, w *httptest.ResponseRecorder) answered {
	t.Helper()
	body, err := io.ReadAll(w.Result().Body)
	if err != nil {
		t.Fatal(err)
	}
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(body, &keys); err != nil {
		t.Fatalf("the answer %q is no JSON: %v", body, err)
	}
	for _, key := range []string{"ok", "command", "data", "error"} {
		if _, there := keys[key]; !there || len(keys) != 4 {
			t.Fatalf("the answer %s has not exactly the four keys", body)
		}
	}
	if got := w.Header().Get("Content-Type"); got != "application/json" {
		t.Errorf("Content-Type = %q", got)
	}
	var read answered
	if err := json.Unmarshal(body, &read); err != nil {
		t.Fatalf("the answer %s: %v", body, err)
	}
	if read.OK == (read.Error != nil) || !read.OK && string(read.Data) != "null" {
		t.Errorf("the answer %s contradicts itself", body)
	}
	return read
}

// refusedAs checks that a response is a failure with a status and a code.
func refusedAs(t *testing.T, w *httptest.ResponseRecorder, status int, code fault.Code) answered {
	t.Helper()
	read := envelopeOf(t, w)
	if w.Code != status || read.Error == nil || read.Error.Code != string(code) {
		t.Fatalf("answer = %d %s, want %d %s", w.Code, w.Body, status, code)
	}
	return read
}

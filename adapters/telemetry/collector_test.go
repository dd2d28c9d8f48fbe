package telemetry_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"gatehouse.internal/adapters/telemetry"
)

// collector takes what is sent to it, and gives each upload the next of its answers;
// 200 to what comes after those.
type collector struct {
	answers []int
	after   string

	guard   sync.Mutex
	paths   []string
	headers http.Header
	text    bytes.Buffer
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.guard.Lock()
	defer c.guard.Unlock()
	c.paths, c.headers = append(c.paths, r.URL.Path), r.Header
	_, _ = io.Copy(&c.text, r.Body)
	if len(c.answers) > 0 {
		w.Header().Set("Retry-After", c.after)
		w.WriteHeader(c.answers[0])
		c.answers = c.answers[1:]
	}
}

func (c *collector) uploads() int {
	c.guard.Lock()
	defer c.guard.Unlock()
	return len(c.paths)
}

// trace makes one span and hands it over within the time.
func trace(t *testing.T, to telemetry.Collector, log io.Writer, within time.Duration) error {
	t.Helper()
	shutdown, wrap, err := telemetry.Tracing(t.Context(), to, slog.New(slog.NewTextHandler(log, nil)), "gatehouse", "v0.4.0")
	if err != nil {
		t.Fatal(err)
	}
	m := metrics(t, "USER.ME")
	handler := wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.Command(r.Context(), "USER.ME", "AUTH_ERROR", time.Millisecond)
		w.WriteHeader(http.StatusTeapot)
	}), func(*http.Request) netip.Addr { return netip.MustParseAddr("198.51.100.7") })
	for _, path := range []string{"/health", "/metrics", "/api/v1/execute?code=hidden-code"} {
		r := httptest.NewRequest(http.MethodPost, path, strings.NewReader("hidden-body"))
		r.Header.Set("Authorization", "Bearer hidden-token")
		r.Header.Set("X-Forwarded-For", "hidden-client")
		r.Header.Set("User-Agent", "browser-of-alice")
		r.RemoteAddr = "203.0.113.9:4711"
		handler.ServeHTTP(httptest.NewRecorder(), r)
	}
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	return shutdown(ctx)
}

func TestTracing(t *testing.T) {
	t.Parallel()
	taken := &collector{}
	target := httptest.NewServer(taken)
	defer target.Close()
	headers := " x-api-key = a%20b==, ,X-Team=one"
	to := telemetry.Collector{Endpoint: strings.Replace(target.URL, "://", "://user:pass@", 1) + "/", Headers: headers}
	var log bytes.Buffer
	if err := trace(t, to, &log, time.Minute); err != nil || log.Len() != 0 {
		t.Fatalf("shutdown() = %v, and logs %q", err, &log)
	}
	if len(taken.paths) != 1 || taken.paths[0] != "/v1/traces" {
		t.Errorf("the collector was asked %q", taken.paths)
	}
	for name, want := range map[string]string{
		"X-Api-Key": "a b==", "X-Team": "one", "Content-Type": "application/x-protobuf", "Authorization": "Basic dXNlcjpwYXNz",
	} {
		if got := taken.headers.Get(name); got != want {
			t.Errorf("the header %s is %q, want %q", name, got, want)
		}
	}
	sent := taken.text.String()
	for _, want := range []string{"service.name", "gatehouse", "v0.4.0", "HTTP POST", "/api/v1/execute", "USER.ME", "AUTH_ERROR"} {
		if !strings.Contains(sent, want) {
			t.Errorf("the trace lacks %q", want)
		}
	}
	for _, leak := range append(ofClient(), "hidden", "/health") {
		if strings.Contains(sent, leak) {
			t.Errorf("the trace holds %q", leak)
		}
	}
}

// ofClient is what a span tells of the client where that is set.
func ofClient() []string {
	return []string{"client.address", "198.51.100.7", "network.peer.address", "203.0.113.9", "user_agent.original", "browser-of-alice"}
}

func TestTracingClients(t *testing.T) {
	t.Parallel()
	taken := &collector{}
	target := httptest.NewServer(taken)
	defer target.Close()
	var log bytes.Buffer
	if err := trace(t, telemetry.Collector{Endpoint: target.URL, Clients: true}, &log, time.Minute); err != nil || log.Len() != 0 {
		t.Fatalf("shutdown() = %v, and logs %q", err, &log)
	}
	for _, want := range ofClient() {
		if !strings.Contains(taken.text.String(), want) {
			t.Errorf("the trace lacks %q", want)
		}
	}
	if strings.Contains(taken.text.String(), "hidden-client") {
		t.Error("the trace holds an address that anybody may have sent")
	}
}

// TestTracingAsksAgain where the collector wants that, and nowhere else.
func TestTracingAsksAgain(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		answers []int
		uploads int
		logs    string
	}{
		"takes them later": {answers: []int{503, 429}, uploads: 3},
		"refuses":          {answers: []int{400, 200}, uploads: 1, logs: "400 Bad Request"},
		"refuses later":    {answers: []int{502, 500}, uploads: 2, logs: "500 Internal Server Error"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			taken := &collector{answers: tt.answers}
			target := httptest.NewServer(taken)
			defer target.Close()
			var log bytes.Buffer
			if err := trace(t, telemetry.Collector{Endpoint: target.URL}, &log, time.Minute); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(log.String(), tt.logs) || tt.logs == "" && log.Len() > 0 {
				t.Errorf("logged %q, want %q", &log, tt.logs)
			}
			if len(taken.paths) != tt.uploads {
				t.Errorf("%d uploads, want %d", len(taken.paths), tt.uploads)
			}
		})
	}
}

// TestTracingEnds in time, whatever the collector wants: what it gets after that is
// the exporter's own affair.
func TestTracingEnds(t *testing.T) {
	t.Parallel()
	taken := &collector{answers: []int{503}, after: "2"}
	target := httptest.NewServer(taken)
	defer target.Close()
	began := time.Now()
	err := trace(t, telemetry.Collector{Endpoint: target.URL}, io.Discard, 100*time.Millisecond)
	if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took > time.Minute {
		t.Errorf("after %v: %v", took, err)
	}
	for taken.uploads() < 2 {
		time.Sleep(10 * time.Millisecond)
	}
	if took := time.Since(began); took < 2*time.Second {
		t.Errorf("asked again after %v, want the 2 s of Retry-After", took)
	}
}

func TestTracingRefusesCollector(t *testing.T) {
	t.Parallel()
	const fine = "http://localhost:4318"
	for _, to := range []telemetry.Collector{
		{Endpoint: "localhost:4318"},
		{Endpoint: "ftp://x"},
		{Endpoint: "http://"},
		{Endpoint: "://"},
		{Endpoint: "http://u:hunter2@\x7f"},
		{Endpoint: fine, Headers: "hunter2"},
		{Endpoint: fine, Headers: "a b=hunter2"},
		{Endpoint: fine, Headers: "key=hunter2%"},
		{Endpoint: fine, Headers: "key=hunter2%0a"},
	} {
		variable := "OTEL_EXPORTER_OTLP_ENDPOINT"
		if to.Headers != "" {
			variable = "OTEL_EXPORTER_OTLP_HEADERS"
		}
		_, _, err := telemetry.Tracing(t.Context(), to, slog.New(slog.DiscardHandler), "gatehouse", "v1")
		if to.Check() == nil || err == nil || strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), variable) {
			t.Errorf("Tracing(%+v) = %v", to, err)
		}
	}
}

package telemetry_test

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"gatehouse.internal/adapters/telemetry"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func metrics(t testing.TB, commands ...string) *telemetry.Metrics {
	t.Helper()
	made, err := telemetry.NewMetrics(commands)
	if err != nil {
		t.Fatalf("NewMetrics() = %v", err)
	}
	return made
}

// scrape reads the metrics of this service, as Prometheus would.
func scrape(t *testing.T, m *telemetry.Metrics) string {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", http.NoBody))
	if w.Code != http.StatusOK {
		t.Fatalf("scrape = %d %s", w.Code, w.Body)
	}
	return w.Body.String()
}

func wantLines(t *testing.T, text string, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("the metrics lack %q", line)
		}
	}
}

func TestCommands(t *testing.T) {
	t.Parallel()
	m := metrics(t, "USER.ME", "AUTH.LOGIN")
	m.Command(t.Context(), "USER.ME", "", 700*time.Microsecond)
	m.Command(t.Context(), "USER.ME", "", 3*time.Millisecond)
	m.Command(t.Context(), "AUTH.LOGIN", "AUTH_ERROR", time.Minute)
	wantLines(t, scrape(t, m),
		`gatehouse_commands_total{code="OK",command="USER.ME"} 2`,
		`gatehouse_commands_total{code="AUTH_ERROR",command="AUTH.LOGIN"} 1`,
		`gatehouse_command_duration_seconds_bucket{command="USER.ME",le="0.0005"} 0`,
		`gatehouse_command_duration_seconds_bucket{command="USER.ME",le="0.001"} 1`,
		`gatehouse_command_duration_seconds_bucket{command="USER.ME",le="0.005"} 2`,
		`gatehouse_command_duration_seconds_bucket{command="AUTH.LOGIN",le="10"} 0`,
		`gatehouse_command_duration_seconds_count{command="AUTH.LOGIN"} 1`,
	)
}

// Names that clients invent make one series, however many they are.
func TestUnknownCommands(t *testing.T) {
	t.Parallel()
	m := metrics(t, "USER.ME")
	for i := range 1000 {
		m.Command(t.Context(), fmt.Sprintf("X.%d\"\n", i), "UNKNOWN_COMMAND", 0)
	}
	text := scrape(t, m)
	wantLines(t, text, `gatehouse_commands_total{code="UNKNOWN_COMMAND",command="unknown"} 1000`)
	if got := strings.Count(text, "gatehouse_commands_total{"); got != 1 {
		t.Errorf("%d series, want 1", got)
	}
}

func TestPoolsAndQueues(t *testing.T) {
	t.Parallel()
	m := metrics(t)
	m.WatchPool("main", func() sql.DBStats {
		return sql.DBStats{MaxOpenConnections: 8, InUse: 3, Idle: 2, WaitCount: 5, WaitDuration: 1500 * time.Millisecond}
	})
	depth := 7.0
	if err := m.WatchQueue("deliveries", func() float64 { return depth }); err != nil {
		t.Fatal(err)
	}
	if err := m.WatchQueue("mail", func() float64 { return 0 }); err != nil {
		t.Fatal(err)
	}
	if err := m.WatchQueue("mail", func() float64 { return 0 }); err == nil {
		t.Error("a queue is watched twice")
	}
	wantLines(t, scrape(t, m),
		`gatehouse_db_connections{pool="main",state="in_use"} 3`, `gatehouse_db_connections{pool="main",state="idle"} 2`,
		`gatehouse_db_connections{pool="main",state="max"} 8`, `gatehouse_db_waits_total{pool="main"} 5`,
		`gatehouse_db_wait_seconds_total{pool="main"} 1.5`, `gatehouse_queue_depth{queue="deliveries"} 7`, `gatehouse_queue_depth{queue="mail"} 0`)
	depth = 8
	text := scrape(t, m)
	wantLines(t, text, `gatehouse_queue_depth{queue="deliveries"} 8`)
	for _, standard := range []string{"go_goroutines ", "process_open_fds "} {
		if !strings.Contains(text, "\n"+standard) {
			t.Errorf("the metrics lack %s", standard)
		}
	}
}

func TestScrapeWhileCounting(t *testing.T) {
	t.Parallel()
	m := metrics(t, "USER.ME")
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 500 {
				m.Command(context.Background(), "USER.ME", "", time.Millisecond)
			}
		})
	}
	for range 10 {
		scrape(t, m)
	}
	group.Wait()
	wantLines(t, scrape(t, m), `gatehouse_commands_total{code="OK",command="USER.ME"} 2000`)
}

func TestNoTracing(t *testing.T) {
	t.Parallel()
	shutdown, wrap, err := telemetry.Tracing(t.Context(), telemetry.Collector{}, slog.New(slog.DiscardHandler), "gatehouse", "v1")
	if err != nil {
		t.Fatal(err)
	}
	plain := http.NewServeMux()
	if wrap(plain, nil) != http.Handler(plain) {
		t.Error("wrap() gives another handler")
	}
	if err := shutdown(t.Context()); err != nil {
		t.Errorf("shutdown() = %v", err)
	}
}

func BenchmarkCommand(b *testing.B) {
	m := metrics(b, "USER.ME")
	b.ReportAllocs()
	for b.Loop() {
		m.Command(b.Context(), "USER.ME", "", time.Millisecond)
	}
}

package telemetry

import (
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"gatehouse.internal/domain/product"
	"gatehouse.internal/ports/outbound"
)

const (
	// unknown stands for every name that is no command: a client could invent as
	// many as it likes, and each would stay in memory for good.
	unknown = "unknown"
	// succeeded is the code label of a call without an error.
	succeeded = "OK"
)

// Metrics counts what happens, in a registry of its own.
type Metrics struct {
	registry *prometheus.Registry
	known    map[string]struct{}
	total    *prometheus.CounterVec
	duration *prometheus.HistogramVec
	forged   *prometheus.CounterVec
	pools    *poolStates
}

var _ outbound.Observer = (*Metrics)(nil)

// NewMetrics prepares the metrics for the commands of these names, with those of
// the Go runtime and the process beside them.
func NewMetrics(commands []string) (*Metrics, error) {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		known:    make(map[string]struct{}, len(commands)),
		total: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "gatehouse_commands_total", Help: "Executed commands by outcome; code is OK or an error code.",
		}, []string{"command", "code"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "gatehouse_command_duration_seconds", Help: "How long commands took, in seconds.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"command"}),
		forged: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "gatehouse_payment_hooks_refused_total", Help: "Rejected payment processor webhooks: wrong signature, or too old.",
		}, []string{"processor"}),
		pools: newPoolStates(),
	}
	for _, name := range commands {
		m.known[name] = struct{}{}
	}
	for _, part := range []prometheus.Collector{
		m.total, m.duration, m.forged, m.pools,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	} {
		if err := m.registry.Register(part); err != nil {
			return nil, fmt.Errorf("register a metric: %w", err)
		}
	}
	return m, nil
}

// Command counts one executed command and how long it took, and tells its trace.
func (m *Metrics) Command(ctx context.Context, name, code string, took time.Duration) {
	if _, exists := m.known[name]; !exists {
		name = unknown
	}
	if code == "" {
		code = succeeded
	}
	describe(ctx, name, code)
	m.total.WithLabelValues(name, code).Inc()
	m.duration.WithLabelValues(name).Observe(took.Seconds())
}

// Forged counts a hook that was refused, by the payment processor that it came in for.
func (m *Metrics) Forged(processor product.Processor) {
	m.forged.WithLabelValues(string(processor)).Inc()
}

// Handler answers GET /metrics in the Prometheus text format.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// WatchPool shows the connections of a database pool. It is called while the
// process is wired, before the first scrape; stats is asked on every scrape.
func (m *Metrics) WatchPool(pool string, stats func() sql.DBStats) {
	m.pools.add(pool, stats)
}

// WatchQueue shows how many entries wait in a queue; depth is asked on every
// scrape and must not block. It fails when the queue is watched already.
func (m *Metrics) WatchQueue(queue string, depth func() float64) error {
	gauge := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "gatehouse_queue_depth", Help: "Entries waiting in a queue.",
		ConstLabels: prometheus.Labels{"queue": queue},
	}, depth)
	if err := m.registry.Register(gauge); err != nil {
		return fmt.Errorf("watch the queue %s: %w", queue, err)
	}
	return nil
}

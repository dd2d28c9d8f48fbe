package telemetry

import (
	"database/sql"
	"maps"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// poolStates collects the connections of database pools by state: what is in
// use, idle, and at most open; and how often callers had to wait for one.
type poolStates struct {
	connections *prometheus.Desc
	waits       *prometheus.Desc
	waited      *prometheus.Desc

	guard sync.Mutex
	pools map[string]func() sql.DBStats
}

func newPoolStates() *poolStates {
	describe := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc(name, help, labels, nil)
	}
	return &poolStates{
		connections: describe("gatehouse_db_connections", "Database connections by state: in_use, idle, max.", "pool", "state"),
		waits:       describe("gatehouse_db_waits_total", "Waits for a database connection.", "pool"),
		waited:      describe("gatehouse_db_wait_seconds_total", "Time spent waiting for a database connection, in seconds.", "pool"),
		pools:       map[string]func() sql.DBStats{},
	}
}

func (p *poolStates) add(pool string, stats func() sql.DBStats) {
	p.guard.Lock()
	defer p.guard.Unlock()
	p.pools[pool] = stats
}

// Describe sends the descriptions of what Collect sends.
func (p *poolStates) Describe(to chan<- *prometheus.Desc) {
	to <- p.connections
	to <- p.waits
	to <- p.waited
}

// Collect asks every pool once.
func (p *poolStates) Collect(to chan<- prometheus.Metric) {
	p.guard.Lock()
	pools := maps.Clone(p.pools)
	p.guard.Unlock()
	for pool, ask := range pools {
		stats := ask()
		for state, count := range map[string]int{
			"in_use": stats.InUse, "idle": stats.Idle, "max": stats.MaxOpenConnections,
		} {
			to <- prometheus.MustNewConstMetric(p.connections, prometheus.GaugeValue, float64(count), pool, state)
		}
		to <- prometheus.MustNewConstMetric(p.waits, prometheus.CounterValue, float64(stats.WaitCount), pool)
		to <- prometheus.MustNewConstMetric(p.waited, prometheus.CounterValue, stats.WaitDuration.Seconds(), pool)
	}
}

package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"time"
)

// report prints what was found as it is found, and counts missed targets.
type report struct {
	out    io.Writer
	judged int
	missed int
}

func (r *report) printf(format string, arguments ...any) { fmt.Fprintf(r.out, format, arguments...) }

// machine says what everything below was measured on.
func (r *report) machine(w *workshop) {
	size := int64(0)
	if info, err := os.Stat(w.binary); err == nil {
		size = info.Size()
	}
	r.printf("%d cores, %s, binary %.1f MB; client, server and database share the machine\n",
		runtime.GOMAXPROCS(0), runtime.Version(), float64(size)/1e6)
}

// merged is the outcome of several runs: medians, and costs over all of them.
type merged struct {
	rate     float64
	p50, p99 time.Duration
	// each is the processor time of one request.
	each spent
}

func merge(samples []sample) merged {
	if len(samples) == 0 {
		return merged{}
	}
	var rates []float64
	var p50s, p99s []time.Duration
	var total spent
	requests := 0
	for _, s := range samples {
		rates, p50s, p99s = append(rates, s.rate()), append(p50s, s.p50), append(p99s, s.p99)
		total.server += s.cost.server
		total.database += s.cost.database
		requests += s.requests
	}
	requests = max(requests, 1)
	return merged{
		rate: median(rates), p50: median(p50s), p99: median(p99s),
		each: spent{total.server / time.Duration(requests), total.database / time.Duration(requests)},
	}
}

// row is one line of the table of commands.
type row struct {
	name, store   string
	connections   int
	service, bare merged
	target, least float64
}

func (r *report) commandsHead(store string) {
	r.printf("\n%s: medians; cpu is processor time of the server and of the database for one request\n", store)
	r.printf("%-17s %-9s %5s %9s %9s %9s %8s %8s  %9s %8s %8s  %5s %6s\n", "name", "store", "conns", "req/s", "p50", "p99",
		"cpu", "db cpu", "bare/s", "cpu", "db cpu", "ratio", "target")
}

func (r *report) command(w row) {
	r.printf("%-17s %-9s %5d %9.0f %9s %9s %8s %8s", w.name, w.store, w.connections, w.service.rate,
		millis(w.service.p50), millis(w.service.p99), micros(w.service.each.server), micros(w.service.each.database))
	if w.bare.rate > 0 {
		r.printf("  %9.0f %8s %8s  %5.2f", w.bare.rate, micros(w.bare.each.server), micros(w.bare.each.database), w.service.rate/w.bare.rate)
	}
	if w.target > 0 {
		r.printf(" %6.2f %s", w.target, r.verdict(w.service.rate >= w.target*w.bare.rate))
	}
	if w.least > 0 {
		r.printf(" %6.0f/s %s", w.least, r.verdict(w.service.rate >= w.least))
	}
	r.printf("\n")
}

// verdict counts a target.
func (r *report) verdict(met bool) string {
	r.judged++
	if met {
		return "pass"
	}
	r.missed++
	return "MISS"
}

func (r *report) summary() {
	r.printf("\n%d of %d targets met\n", r.judged-r.missed, r.judged)
}

func millis(d time.Duration) string {
	return fmt.Sprintf("%.3fms", float64(d)/float64(time.Millisecond))
}

func micros(d time.Duration) string {
	if d == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0fµs", float64(d)/float64(time.Microsecond))
}

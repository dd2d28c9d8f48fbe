package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"gatehouse.internal/domain/wait"
)

// script is what one connection says: the next request, and what to make of the
// answer to it. It is used by one goroutine at a time.
type script interface {
	next() []byte
	heard(status int, body []byte) error
}

// load is a number of connections that each send the next request once they have
// the answer to the one before.
type load struct {
	address     string
	connections int
	// script makes what one connection says, for all of them at once and before
	// anything is sent: it may take its time.
	script func(connection int) script
	// started is told when they are made; nil: nobody.
	started func()
	// warmup is sent before the window opens and does not count.
	warmup, window time.Duration
	// cost returns what the measured processes have spent so far.
	cost func() spent
}

// spent is processor time.
type spent struct{ server, database time.Duration }

// sample is what one measurement found.
type sample struct {
	requests int
	window   time.Duration
	p50, p99 time.Duration
	cost     spent
}

func (s sample) rate() float64 { return float64(s.requests) / s.window.Seconds() }

// What the connections of a load are doing.
const (
	warming = iota
	counting
	ended
)

// measure runs a load once. Answers that come while the window is open count, so
// that also slow requests are counted as they flow.
func (l *load) measure(ctx context.Context) (sample, error) {
	connections := make([]*conversation, l.connections)
	for i := range connections {
		c, err := dial(ctx, l.address)
		if err != nil {
			return sample{}, err
		}
		defer c.close()
		connections[i] = c
	}
	scripts := l.scripts()
	if l.started != nil {
		l.started()
	}
	var phase atomic.Int32
	var working sync.WaitGroup
	taken, failures := make([][]time.Duration, l.connections), make([]error, l.connections)
	for i, c := range connections {
		working.Go(func() {
			taken[i], failures[i] = talk(c, scripts[i], &phase)
		})
	}
	s := l.observe(ctx, &phase)
	working.Wait()
	if err := errors.Join(failures...); err != nil {
		return sample{}, err
	}
	all := slices.Concat(taken...)
	if len(all) == 0 {
		return sample{}, errors.New("no answer came within the window: give it more -seconds")
	}
	slices.Sort(all)
	s.requests, s.p50, s.p99 = len(all), percentile(all, 50), percentile(all, 99)
	return s, ctx.Err()
}

func (l *load) scripts() []script {
	scripts := make([]script, l.connections)
	var working sync.WaitGroup
	for i := range scripts {
		working.Go(func() { scripts[i] = l.script(i) })
	}
	working.Wait()
	return scripts
}

// observe opens and closes the window.
func (l *load) observe(ctx context.Context, phase *atomic.Int32) sample {
	_ = wait.For(ctx, l.warmup)
	before, began := l.cost(), time.Now()
	phase.Store(counting)
	_ = wait.For(ctx, l.window)
	phase.Store(ended)
	s, after := sample{window: time.Since(began)}, l.cost()
	s.cost = spent{after.server - before.server, after.database - before.database}
	return s
}

// talk follows a script to the end of the window and returns how long the answers
// took that count.
func talk(c *conversation, s script, phase *atomic.Int32) ([]time.Duration, error) {
	var taken []time.Duration
	for phase.Load() != ended {
		request := s.next()
		began := time.Now()
		status, body, err := c.ask(request)
		took := time.Since(began)
		if err != nil {
			return nil, err
		}
		if err := s.heard(status, body); err != nil {
			return nil, err
		}
		if phase.Load() == counting {
			taken = append(taken, took)
		}
	}
	return taken, nil
}

// percentile returns a percentile of a sorted list.
func percentile(sorted []time.Duration, p int) time.Duration {
	return sorted[min(len(sorted)*p/100, len(sorted)-1)]
}

// median returns the middle one of a list, of which there is at least one.
func median[T int | float64 | time.Duration](values []T) T {
	ordered := slices.Sorted(slices.Values(values))
	return ordered[len(ordered)/2]
}

// repeat is the script that sends the same few requests in turn.
type repeat struct {
	requests [][]byte
	want     int
	at       int
}

func (r *repeat) next() []byte {
	r.at++
	return r.requests[r.at%len(r.requests)]
}

func (r *repeat) heard(status int, body []byte) error { return expect(r.want, status, body) }

// expect holds an answer against the status it should have.
func expect(want, status int, body []byte) error {
	if status != want {
		return fmt.Errorf("answered %d, want %d: %.300s", status, want, body)
	}
	return nil
}

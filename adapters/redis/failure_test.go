package redis_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse.internal/adapters/redis"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/test/harness"
)

// fails calls everything, which must fail in time.
func fails(t *testing.T, what string, c *redis.Counters) {
	t.Helper()
	var last func(context.Context) error
	rules := c.Rules(nil, func(do func(context.Context) error) { last = do })
	if err := rules.Clear(t.Context(), []string{"down"}); err != nil {
		t.Fatal(err)
	}
	calls := map[string]func() error{
		"admit": func() error {
			_, err := c.Admission(rest{t, 1}).Admit(t.Context(), outbound.AdmissionAsk{Checks: []outbound.LimitCheck{perMinute("down", 5)}})
			return err
		},
		"state": func() error {
			_, err := c.State(t.Context(), "down")
			return err
		},
		"ping":  func() error { return c.Ping(t.Context()) },
		"clear": func() error { return last(t.Context()) },
	}
	var all sync.WaitGroup
	for name, call := range calls {
		all.Go(func() {
			began := time.Now()
			err := call()
			if took := time.Since(began); err == nil || took > answersWithin {
				t.Errorf("%s: %s gave %v after %v", what, name, err, took)
			}
			if err != nil && strings.Contains(err.Error(), harness.RedisPassword) {
				t.Errorf("%s: %s tells the password: %v", what, name, err)
			}
		})
	}
	all.Wait()
}

func TestFailsWhileRedisIsGoneAndRecovers(t *testing.T) {
	t.Parallel()
	server := harness.RedisServer(t)
	c := open(t, server.URL(), unique(t), still{})
	for round := range 3 {
		answer, err := c.Admission(rest{t, 1}).Admit(t.Context(), outbound.AdmissionAsk{Checks: []outbound.LimitCheck{perMinute("gone", 5)}})
		if err != nil || answer.Verdicts[0].Used != 1 {
			t.Errorf("round %d: %+v, %v", round, answer, err)
		}
		server.Stop()
		for range 3 {
			fails(t, fmt.Sprint("gone, round ", round), c)
		}
		server.Start()
		for deadline := time.Now().Add(5 * time.Second); c.Ping(t.Context()) != nil; <-time.After(10 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("round %d: not back after 5 seconds: %v", round, c.Ping(t.Context()))
			}
		}
	}
}

// A server that restarted within a moment is not noticed.
func TestRestartIsNotNoticed(t *testing.T) {
	t.Parallel()
	server := harness.RedisServer(t)
	c := open(t, server.URL(), unique(t), still{})
	for range 3 {
		answer, err := c.Admission(rest{t, 1}).Admit(t.Context(), outbound.AdmissionAsk{Checks: []outbound.LimitCheck{perMinute("restart", 5)}})
		if err != nil || answer.Verdicts[0].Used != 1 {
			t.Errorf("%+v, %v", answer, err)
		}
		server.Stop()
		server.Start()
	}
}

func TestFailsInTime(t *testing.T) {
	t.Parallel()
	name := unique(t)
	silent, err := net.Listen("tcp", "127.0.0.1:0") // takes connections and says nothing
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	fails(t, "silent", open(t, "redis://:"+harness.RedisPassword+"@"+silent.Addr().String(), name, still{}))
	wrong := strings.Replace(harness.Redis(t), harness.RedisPassword, "wrong-"+harness.RedisPassword, 1)
	fails(t, "wrong password", open(t, wrong, name, still{}))
}

// cutter stands between Redis and a replica. It cuts a connection where the next
// request would pass, when it is told to.
type cutter struct{ cut atomic.Bool }

func (c *cutter) serve(listener net.Listener, target string) {
	for {
		near, err := listener.Accept()
		if err != nil {
			return
		}
		far, err := net.Dial("tcp", target)
		if err != nil {
			_ = near.Close()
			continue
		}
		go func() { _, _ = io.Copy(near, far) }()
		go func() {
			defer near.Close()
			defer far.Close()
			request := make([]byte, 64<<10)
			for {
				n, err := near.Read(request)
				if err != nil || c.cut.CompareAndSwap(true, false) {
					return
				}
				if _, err := far.Write(request[:n]); err != nil {
					return
				}
			}
		}()
	}
}

// A read on a connection that was lost is repeated. A write is not: it may have been
// done.
func TestLostConnections(t *testing.T) {
	t.Parallel()
	between, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer between.Close()
	address, err := url.Parse(harness.Redis(t))
	if err != nil {
		t.Fatal(err)
	}
	var c cutter
	go c.serve(between, address.Host)
	address.Host = between.Addr().String()
	steps, check := &script{}, perMinute("cut", 5)
	counters := open(t, address.String(), unique(t), steps)
	ask := outbound.AdmissionAsk{Checks: []outbound.LimitCheck{check}}
	for want := 1; want <= 3; want++ {
		answer, err := counters.Admission(rest{t, 1}).Admit(t.Context(), ask)
		if err != nil || answer.Verdicts[0].Used != want {
			t.Errorf("call %d: %+v, %v", want, answer, err)
		}
		c.cut.Store(true)
	}
	c.cut.Store(false)
	steps.steps = []func(){func() { c.cut.Store(true) }}
	if answer, err := counters.Admission(rest{t, 1}).Admit(t.Context(), ask); err == nil {
		t.Errorf("a write that was lost: %+v", answer)
	}
	if got := used(t, counters, check); got != 3 {
		t.Errorf("%d calls are counted, want 3", got)
	}
}

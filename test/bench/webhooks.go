package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"gatehouse.internal/domain/wait"
)

// What is wanted of webhooks (spec/webhooks.md section 2).
const (
	deliveredPostgres = 3000
	deliveredSQLite   = 1000
	heardWithin       = 50 * time.Millisecond
	besideDrain       = 1.2
	unusedCost        = 1.1
)

const (
	// receivers is how many webhooks are told of each event, measured how many deliveries a
	// rate is taken of.
	receivers = 10
	measured  = 20_000
	// calls is how many calls the way from the commit to the receiver is taken of.
	calls = 200
	// hooksAt is how many connections send beside webhooks, each so often.
	hooksAt   = 8
	hooksEach = 10 * time.Millisecond
)

// receiver takes every message, and counts them.
type receiver struct {
	server *http.Server
	url    string
	count  atomic.Int64
	// came is when one came, unless nobody asked meanwhile.
	came chan time.Time
}

func receive(ctx context.Context) (*receiver, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("receive webhooks: %w", err)
	}
	r := &receiver{url: "http://" + listener.Addr().String(), came: make(chan time.Time, 1)}
	r.server = &http.Server{ReadHeaderTimeout: patience, Handler: http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
		now := time.Now()
		_, _ = io.Copy(io.Discard, request.Body)
		r.count.Add(1)
		select {
		case r.came <- now:
		default:
		}
	})}
	go func() { _ = r.server.Serve(listener) }()
	return r, nil
}

// reaches waits until so many messages came, and returns when that was.
func (r *receiver) reaches(ctx context.Context, n int64) (time.Time, error) {
	const most = 5 * time.Minute
	for began := time.Now(); r.count.Load() < n; {
		if err := wait.For(ctx, time.Millisecond); err != nil {
			return time.Time{}, err
		}
		if time.Since(began) > most {
			return time.Time{}, fmt.Errorf("%d of %d messages came within %s", r.count.Load(), n, most)
		}
	}
	return time.Now(), nil
}

// hooking measures what webhooks do, and what they cost.
type hooking struct {
	i  *instance
	o  options
	r  *report
	to *receiver
	// webhooks are those registered.
	webhooks []string
}

// benchWebhooks measures webhooks on an instance: first without what they left behind, then
// with a long history of it.
func benchWebhooks(ctx context.Context, i *instance, o options, r *report) error {
	to, err := receive(ctx)
	if err != nil {
		return err
	}
	defer to.server.Close()
	h := &hooking{i: i, o: o, r: r, to: to}
	r.printf("\n%s: webhooks to a receiver on this machine\n", i.db.store)
	if err := h.unused(ctx); err != nil {
		return fmt.Errorf("without use: %w", err)
	}
	fresh, err := h.figures(ctx, "with nothing else in the store")
	if err != nil {
		return err
	}
	if err := h.beside(ctx); err != nil {
		return fmt.Errorf("beside a drain: %w", err)
	}
	if err := h.age(ctx); err != nil {
		return fmt.Errorf("load a history: %w", err)
	}
	old, err := h.figures(ctx, fmt.Sprintf("with %d old events and %d deliveries", o.storedEvents, o.storedDeliveries))
	if err != nil {
		return err
	}
	slower, later := fresh.rate/old.rate, float64(old.p50)/float64(fresh.p50)
	r.printf("a history costs: deliveries %4.2f %s, commit to receiver p50 %4.2f %s\n", slower, r.verdict(slower <= growthP50), later, r.verdict(later <= growthP50))
	return nil
}

// command has the superadmin call something.
func (h *hooking) command(ctx context.Context, body string) ([]byte, error) {
	c, err := dial(ctx, h.i.address)
	if err != nil {
		return nil, err
	}
	defer c.close()
	return demand(c, post(nil, h.i.admin, body))
}

// register makes webhooks that are told of a kind, in place of those before.
func (h *hooking) register(ctx context.Context, n int, kind string) error {
	for _, id := range h.webhooks {
		if _, err := h.command(ctx, `{"command":"WEBHOOK.DELETE","params":{"webhook_id":"`+id+`"}}`); err != nil {
			return err
		}
	}
	h.webhooks = nil
	for k := range n {
		body, err := h.command(ctx, fmt.Sprintf(`{"command":"WEBHOOK.CREATE","params":{"url":"%s/%d","events":[%q]}}`, h.to.url, k, kind))
		if err != nil {
			return err
		}
		id, err := field(body, "id")
		if err != nil {
			return err
		}
		h.webhooks = append(h.webhooks, id)
	}
	return nil
}

// unused holds a command that tells of an event against itself: with no webhook, with one that
// is switched off, and with one that wants another kind.
func (h *hooking) unused(ctx context.Context) error {
	at := slices.IndexFunc(scenarios(), func(s scenario) bool { return s.name == "AUTH.REFRESH" })
	states := []struct {
		name string
		set  func() error
		got  []sample
	}{
		{"no webhook", func() error { return h.register(ctx, 0, "") }, nil},
		{"one that is off", func() error {
			if err := h.register(ctx, 1, happened); err != nil {
				return err
			}
			_, err := h.command(ctx, `{"command":"WEBHOOK.UPDATE","params":{"enabled":false,"webhook_id":"`+h.webhooks[0]+`"}}`)
			return err
		}, nil},
		{"one for another kind", func() error { return h.register(ctx, 1, happened) }, nil},
	}
	for range h.o.runs {
		for k := range states {
			if err := states[k].set(); err != nil {
				return err
			}
			c := contest{i: h.i, scenario: scenarios()[at], connections: hooksAt, options: h.o}
			got, err := c.served().measure(ctx)
			if err != nil {
				return err
			}
			states[k].got = append(states[k].got, got)
		}
	}
	none := merge(states[0].got)
	for _, state := range states {
		m := merge(state.got)
		cost := float64(m.each.server+m.each.database) / float64(none.each.server+none.each.database)
		h.r.printf("AUTH.REFRESH at %d connections, %-20s %6.0f/s p50 %9s cpu %8s %8s", hooksAt, state.name, m.rate, millis(m.p50), micros(m.each.server), micros(m.each.database))
		if state.name == "one that is off" {
			h.r.printf("  %4.2f %s", cost, h.r.verdict(cost <= unusedCost))
		}
		h.r.printf("\n")
	}
	return nil
}

// figure is how fast messages are.
type figure struct {
	rate     float64
	p50, p99 time.Duration
	// each is the processor time of a delivery.
	each spent
}

// figures measures how long a message takes when nothing else happens, and how many there are a
// second.
func (h *hooking) figures(ctx context.Context, of string) (f figure, err error) {
	if err := h.latency(ctx, &f); err != nil {
		return f, fmt.Errorf("from the commit to the receiver: %w", err)
	}
	if err := h.rate(ctx, &f); err != nil {
		return f, fmt.Errorf("deliveries a second: %w", err)
	}
	least := deliveredPostgres
	if h.i.db.store == sqliteStore {
		least = deliveredSQLite
	}
	h.r.printf("%s: request to receiver p50 %s p99 %s target %s %s; %.0f deliveries a second target %d %s, each cpu %s %s\n",
		of, millis(f.p50), millis(f.p99), millis(heardWithin), h.r.verdict(f.p99 < heardWithin), f.rate, least, h.r.verdict(f.rate >= float64(least)),
		micros(f.each.server), micros(f.each.database))
	return f, nil
}

// latency measures from the moment that a call is sent, which is before its commit.
func (h *hooking) latency(ctx context.Context, f *figure) error {
	if err := h.register(ctx, 1, "user.updated"); err != nil {
		return err
	}
	c, err := dial(ctx, h.i.address)
	if err != nil {
		return err
	}
	defer c.close()
	const warming = 5
	var took []time.Duration
	for k := range calls + warming {
		_ = wait.For(ctx, hooksEach)
		select {
		case <-h.to.came: // an earlier one
		default:
		}
		began := time.Now()
		if _, err := demand(c, post(nil, h.i.admin, `{"command":"USER.UPDATE","params":{"display_name":"Name `+strconv.FormatInt(began.UnixNano(), 10)+`"}}`)); err != nil {
			return err
		}
		select {
		case came := <-h.to.came:
			if k >= warming {
				took = append(took, came.Sub(began))
			}
		case <-time.After(patience):
			return errors.New("a message does not come")
		}
	}
	slices.Sort(took)
	f.p50, f.p99 = percentile(took, 50), percentile(took, 99)
	return nil
}

// rate measures between the first and the last twentieth.
func (h *hooking) rate(ctx context.Context, f *figure) error {
	if err := h.register(ctx, receivers, happened); err != nil {
		return err
	}
	before := h.to.count.Load()
	if err := h.i.happen(ctx, measured/receivers); err != nil {
		return err
	}
	const part = measured / 20
	began, err := h.to.reaches(ctx, before+part)
	if err != nil {
		return err
	}
	spent := h.i.db.cost(h.i.pid())
	taken := h.i.profiles(ctx, h.o, "webhooks")
	ended, err := h.to.reaches(ctx, before+measured-part)
	if err != nil {
		return err
	}
	f.rate = float64(measured-2*part) / ended.Sub(began).Seconds()
	after := h.i.db.cost(h.i.pid())
	f.each.server, f.each.database = (after.server-spent.server)/(measured-2*part), (after.database-spent.database)/(measured-2*part)
	if _, err := h.to.reaches(ctx, before+measured); err != nil {
		return err
	}
	return <-taken
}

// paced asks so often, and not as fast as it can.
type paced struct{ *repeat }

func (p paced) next() []byte {
	time.Sleep(hooksEach)
	return p.repeat.next()
}

// beside measures USER.ME alone, and while deliveries drain.
func (h *hooking) beside(ctx context.Context) error {
	if err := h.register(ctx, receivers, happened); err != nil {
		return err
	}
	c := contest{i: h.i, scenario: scenario{scripts: func(c *contest) func(int) script {
		of := asking(c)
		return func(connection int) script { return paced{of(connection).(*repeat)} }
	}}, connections: hooksAt, options: h.o}
	c.options.window = max(c.options.window, time.Second)
	windows := func() (got []sample, err error) {
		for range h.o.runs {
			one, err := c.served().measure(ctx)
			if err != nil {
				return nil, err
			}
			got = append(got, one)
		}
		return got, nil
	}
	quiet, err := windows()
	if err != nil {
		return err
	}
	before := h.to.count.Load()
	if err := h.i.happen(ctx, h.o.deliveries/receivers); err != nil {
		return err
	}
	began, err := h.to.reaches(ctx, before+1)
	if err != nil {
		return err
	}
	busy, err := windows()
	if err != nil {
		return err
	}
	sent := h.to.count.Load() - before
	rate := float64(sent) / time.Since(began).Seconds()
	a, b := merge(quiet), merge(busy)
	p99 := float64(b.p99) / float64(a.p99)
	h.r.printf("USER.ME, %d connections each every %s: p50 %s p99 %s; while %d of %d deliveries drain, %.0f a second: p50 %s p99 %s  %4.2f target %.1f %s\n",
		hooksAt, hooksEach, millis(a.p50), millis(a.p99), sent, h.o.deliveries, rate, millis(b.p50), millis(b.p99), p99, besideDrain, h.r.verdict(p99 <= besideDrain))
	_, err = h.to.reaches(ctx, before+int64(h.o.deliveries))
	return err
}

package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"path"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"gatehouse.internal/adapters/cipher"
	"gatehouse.internal/adapters/payment/sandbox"
	"gatehouse.internal/adapters/system"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/label"
	"gatehouse.internal/domain/mac"
	"gatehouse.internal/domain/money"
	"gatehouse.internal/domain/wait"
)

// What is wanted of billing (spec/billing.md section 4).
const (
	appliedFacts = 500
	besideAnswer = 20 * time.Millisecond
)

const (
	// thinks is how long the processor of the checkouts takes for each.
	thinks = 50 * time.Millisecond
	// fewInvoices is how many there are before all others.
	fewInvoices = 1000
	// invoicePages is how many pages are turned to, from all over the list.
	invoicePages = 200
)

// counter is the superadmin's workspace as one that sells: by the sandbox, whose hooks tell all
// that there is to tell, and by Stripe, which this program is.
type counter struct {
	i *instance
	o options
	r *report
	// monthly is a price of the sandbox, seat one at Stripe.
	monthly, seat string
	// user is the superadmin.
	user string
}

// benchBilling measures billing on the instance, which runs as one for development meanwhile:
// others call no processor elsewhere, and have no sandbox.
func benchBilling(ctx context.Context, i *instance, o options, r *report) (err error) {
	stripe, err := thinking(ctx)
	if err != nil {
		return err
	}
	defer stripe.Close()
	if err := i.again(ctx, "dev", "STRIPE_SECRET_KEY=sk_test_bench", "STRIPE_WEBHOOK_SECRET=whsec_bench", "STRIPE_BASE_URL=http://"+stripe.Addr); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, i.again(ctx, "serve")) }()
	c := &counter{i: i, o: o, r: r}
	r.printf("\n%s: billing\n", i.db.store)
	for _, do := range []func(context.Context) error{c.opens, c.checkouts, c.facts, c.invoices} {
		if err := do(ctx); err != nil {
			return err
		}
	}
	return nil
}

// again stops the instance and starts it by another command, with more environment.
func (i *instance) again(ctx context.Context, command string, environment ...string) (err error) {
	i.stop()
	run := i.gatehouse(ctx, command)
	run.Dir, run.Env = i.workshop.dir, append(run.Env, environment...)
	if i.process, err = start(ctx, run, i.port, "/health?check=ready"); err != nil {
		return err
	}
	return i.login(ctx)
}

// thinking serves the API of Stripe as far as a checkout needs it, and takes its time.
func thinking(ctx context.Context) (*http.Server, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("serve a processor: %w", err)
	}
	var made atomic.Int64
	s := &http.Server{Addr: listener.Addr().String(), ReadHeaderTimeout: patience, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		time.Sleep(thinks)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"id":"cs_test_%d","object":"checkout.session","status":"open","url":"https://checkout.stripe.com/c/pay/bench","expires_at":%d}`,
			made.Add(1), time.Now().Add(time.Hour).Unix())
	})}
	go func() { _ = s.Serve(listener) }()
	return s, nil
}

// opens makes the products and prices.
func (c *counter) opens(ctx context.Context) error {
	on, err := dial(ctx, c.i.address)
	if err != nil {
		return err
	}
	defer on.close()
	for _, one := range []struct {
		into         *string
		field        string
		command, say string
	}{
		{new(string), "id", "PRODUCT.CREATE", `{"name":"Bench billing","slug":"bench-billing","public":true}`},
		{&c.monthly, "id", "BILLING.PRICE_CREATE", `{"product_id":"bench-billing","currency":"EUR","unit_amount":900,"interval":"month"}`},
		{new(string), "id", "PRODUCT.CREATE", `{"name":"Bench seats","slug":"bench-seats","public":true,"processor":"stripe"}`},
		{&c.seat, "id", "BILLING.PRICE_CREATE", `{"product_id":"bench-seats","currency":"EUR","unit_amount":1,"model":"per_seat","interval":"month","processor_price_id":"price_bench"}`},
		{&c.user, "subject", "AUTH.WHOAMI", `{}`},
	} {
		body, err := demand(on, post(nil, c.i.admin, fmt.Sprintf(`{"command":%q,"params":%s}`, one.command, one.say)))
		if err == nil {
			*one.into, err = field(body, one.field)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", one.command, err)
		}
	}
	return nil
}

// buying has sessions buy, each time something that nobody bought before.
type buying struct {
	sessions []*held
	price    string
	at       int
	request  []byte
}

func (b *buying) next() []byte {
	b.at++
	b.request = post(b.request[:0], b.sessions[b.at%len(b.sessions)].access, fmt.Sprintf(
		`{"command":"BILLING.CHECKOUT_CREATE","params":{"price_id":%q,"quantity":%d,"success_url":"http://localhost:3000/done"}}`, b.price, b.at))
	return b.request
}

func (b *buying) heard(status int, body []byte) error { return expect(http.StatusOK, status, body) }

// checkouts measures how much longer a checkout takes than the processor does.
func (c *counter) checkouts(ctx context.Context) error {
	begun := 0
	l := contest{i: c.i, connections: hooksAt, options: c.o, scenario: scenario{scripts: func(of *contest) func(int) script {
		begun += c.o.sessions
		from := begun
		return func(connection int) script {
			return &buying{sessions: share(of.i.sessions, connection, of.connections), price: c.seat, at: from}
		}
	}}}
	l.options.window = max(l.options.window, time.Second)
	var got []sample
	for range c.o.runs {
		one, err := l.served().measure(ctx)
		if err != nil {
			return err
		}
		got = append(got, one)
	}
	m := merge(got)
	beside := m.p50 - thinks
	c.r.printf("checkout at %d connections, at a processor that takes %s: p50 %s p99 %s, beside it %s target %s %s; cpu %s %s\n",
		hooksAt, thinks, millis(m.p50), millis(m.p99), millis(beside), millis(besideAnswer), c.r.verdict(beside <= besideAnswer), micros(m.each.server), micros(m.each.database))
	return nil
}

// hook is one call of the sandbox.
type hook struct {
	body, signature string
}

// facts measures how fast the service applies what it is told of subscriptions that were just
// bought: each hook tells one fact, and each sale ends with a license.
func (c *counter) facts(ctx context.Context) error {
	hooks, err := c.hooks(ctx)
	if err != nil {
		return err
	}
	before, began := c.i.db.cost(c.i.pid()), time.Now()
	taken := c.i.profiles(ctx, c.o, "billing")
	err = c.i.together(ctx, len(hooks), func(on *conversation, k int) error {
		_, err := demand(on, send(nil, "/api/billing/webhooks/sandbox", hooks[k].body, "Sandbox-Signature: ", hooks[k].signature))
		return err
	})
	if err != nil {
		return err
	}
	heard := time.Since(began)
	if err := c.applied(ctx, len(hooks)); err != nil {
		return err
	}
	rate, after, n := float64(len(hooks))/time.Since(began).Seconds(), c.i.db.cost(c.i.pid()), time.Duration(len(hooks))
	c.r.printf("%d facts of %d sales, one a hook: %.0f hooks a second taken, %.0f facts a second applied target %d %s; each cpu %s %s\n",
		len(hooks), c.o.sessions, float64(len(hooks))/heard.Seconds(), rate, appliedFacts, c.r.verdict(rate >= appliedFacts),
		micros((after.server-before.server)/n), micros((after.database-before.database)/n))
	return <-taken
}

// hooks has every session begin to buy, and returns what the sandbox tells once they have paid,
// in any order.
func (c *counter) hooks(ctx context.Context) ([]hook, error) {
	const kinds = 4
	hooks := make([]hook, kinds*len(c.i.sessions))
	by := sandbox.Sandbox{Key: mac.New(cipher.Derive([]byte(c.i.workshop.secret), label.PaymentSandbox, 32)), Clock: system.Clock{}}
	defer func() {
		rand.New(rand.NewPCG(5, 6)).Shuffle(len(hooks), func(a, b int) { hooks[a], hooks[b] = hooks[b], hooks[a] })
	}()
	return hooks, c.i.together(ctx, len(c.i.sessions), func(on *conversation, k int) error {
		body, err := demand(on, post(nil, c.i.sessions[k].access, fmt.Sprintf(
			`{"command":"BILLING.CHECKOUT_CREATE","params":{"price_id":%q,"success_url":"http://localhost:3000/done"}}`, c.monthly)))
		if err != nil {
			return err
		}
		id, err := field(body, "id")
		if err != nil {
			return err
		}
		url, err := field(body, "url")
		if err != nil {
			return err
		}
		for n, fact := range paid(billing.CheckoutID(id), path.Base(url), c.monthly) {
			sale := sandbox.Sale{ID: path.Base(url), HookCount: n, Facts: []billing.Fact{fact}}
			body, signature, err := by.Hook(&sale, "pay", time.Time{})
			if err != nil {
				return err
			}
			hooks[n*len(c.i.sessions)+k] = hook{string(body), signature}
		}
		return nil
	})
}

// paid are the facts of a sale that was paid: the checkout, the subscription, the invoice and
// the payment.
func paid(of billing.CheckoutID, at, price string) []billing.Fact {
	now := time.Now().UTC()
	until, sum := now.AddDate(0, 1, 0), money.Of(900, "EUR")
	return []billing.Fact{
		{CheckoutID: of, ID: at, At: now, Checkout: &billing.CheckoutFact{
			Status: billing.CheckoutCompleted, PriceID: price, Quantity: 1, Subtotal: sum, CustomerID: "sbc_" + at,
		}},
		{CheckoutID: of, ID: at + "_sub", At: now, Subscription: &billing.SubscriptionFact{
			Status: billing.Active, PriceID: price, Quantity: 1, PeriodStart: now, PeriodEnd: until,
		}},
		{CheckoutID: of, ID: at + "_inv", At: now, Invoice: &billing.InvoiceFact{
			Status: billing.InvoicePaid, Currency: "EUR", Subtotal: 900, Total: 900, PeriodStart: now, PeriodEnd: until, IssuedAt: now, PaidAt: now,
			Lines: []billing.Line{{Description: "Bench billing", Quantity: 1, Amount: 900}},
		}},
		{CheckoutID: of, ID: at + "_pay", At: now, Payment: &billing.PaymentFact{Status: billing.PaymentSucceeded, InvoiceID: at + "_inv", Amount: sum}},
	}
}

// applied waits until all hooks are applied, of which there must be so many.
func (c *counter) applied(ctx context.Context, want int) error {
	db, err := c.i.db.open()
	if err != nil {
		return err
	}
	defer db.Close()
	for began := time.Now(); ; {
		var left, failed, all int
		err := db.QueryRowContext(ctx, `SELECT COUNT(CASE WHEN status = 'pending' THEN 1 END), COUNT(CASE WHEN status = 'failed' THEN 1 END), COUNT(*) FROM processor_events`).Scan(&left, &failed, &all)
		switch {
		case err != nil:
			return fmt.Errorf("count what is applied: %w", err)
		case left == 0 && failed == 0 && all == want:
			return nil
		case failed > 0 || time.Since(began) > 5*time.Minute:
			return fmt.Errorf("of %d hooks %d wait and %d failed, want %d", all, left, failed, want)
		}
		if err := wait.For(ctx, 100*time.Millisecond); err != nil {
			return err
		}
	}
}

// invoices measures a page of a thousand against one of very many.
func (c *counter) invoices(ctx context.Context) error {
	few, err := c.pages(ctx, 0, fewInvoices)
	if err != nil {
		return err
	}
	began := time.Now()
	many, err := c.pages(ctx, fewInvoices, c.o.invoices)
	if err != nil {
		return err
	}
	filled := time.Since(began)
	slower := float64(many.p50) / float64(few.p50)
	c.r.printf("BILLING.INVOICE_LIST, a page of 50 of %d invoices: p50 %s p99 %s; of %d: p50 %s p99 %s  %4.2f target %.1f %s (made and measured in %s)\n",
		fewInvoices, millis(few.p50), millis(few.p99), c.o.invoices, millis(many.p50), millis(many.p99), slower, growthP50, c.r.verdict(slower <= growthP50), filled.Round(time.Second))
	return nil
}

// pages stores invoices up to a number, and measures pages all over them.
func (c *counter) pages(ctx context.Context, from, to int) (merged, error) {
	err := c.i.db.onOne(ctx, func(conn *sql.Conn) error {
		into := filler{conn: conn, sqlite: c.i.db.store == sqliteStore}
		return into.all(ctx, []table{c.written(from, to)})
	})
	if err != nil {
		return merged{}, err
	}
	cursors := page.Cursors{Key: mac.New(cipher.Derive([]byte(c.i.workshop.secret), label.PageCursors, 32))}
	same, scope := func(id string) string { return id }, fmt.Sprintf("BILLING.INVOICE_LIST|%s|%s||||", c.user, c.i.org)
	requests := [][]byte{post(nil, c.i.admin, fmt.Sprintf(`{"command":"BILLING.INVOICE_LIST","params":{"org_id":%q}}`, c.i.org))}
	for k := 1; k < invoicePages; k++ {
		at := c.invoice(k * to / invoicePages)
		cut := page.Cut(cursors.List(scope, page.Params{Limit: 1}), []string{at, at}, same, same)
		requests = append(requests, post(nil, c.i.admin, fmt.Sprintf(`{"command":"BILLING.INVOICE_LIST","params":{"org_id":%q,"cursor":%q}}`, c.i.org, *cut.NextCursor)))
	}
	if err := c.shows(ctx, requests[invoicePages/2], c.invoice(invoicePages/2*to/invoicePages-1)); err != nil {
		return merged{}, err
	}
	l := contest{i: c.i, connections: hooksAt, options: c.o, scenario: scenario{scripts: func(*contest) func(int) script {
		return func(connection int) script {
			return &repeat{requests: slices.Clone(requests), want: 200, at: 31 * connection}
		}
	}}}
	var got []sample
	for range c.o.runs {
		one, err := l.served().measure(ctx)
		if err != nil {
			return merged{}, err
		}
		got = append(got, one)
	}
	return merge(got), nil
}

// shows fails unless a page begins with an invoice.
func (c *counter) shows(ctx context.Context, request []byte, want string) error {
	on, err := dial(ctx, c.i.address)
	if err != nil {
		return err
	}
	defer on.close()
	body, err := demand(on, request)
	if err != nil {
		return err
	}
	if got, err := field(body, "id"); err != nil || got != want {
		return fmt.Errorf("a page begins with the invoice %s, want %s: %w", got, want, err)
	}
	return nil
}

func (c *counter) invoice(k int) string { return c.i.people.id("bin", k, c.o.invoices) }

// written are the invoices from a number to another, the later ones of the superadmin's
// workspace as much as the others.
func (c *counter) written(from, to int) table {
	return table{
		"invoices",
		columns(`id checkout_id org_id product_id customer_id processor mode processor_id number status currency subtotal discount tax total lines issued_at created_at fact_at version`),
		each(to-from, func(n int) []any {
			k := from + n
			at, number := c.i.people.when(k, c.o.invoices), strconv.Itoa(k)
			return []any{
				c.invoice(k), "chk_" + number, c.i.org, "prd_bench", "cus_" + number, "sandbox", "test", "bench_" + number, "bench-" + number, "paid", "EUR", 900, 0, 0, 900,
				`[{"description":"Bench","quantity":1,"amount":900}]`, at, at, at, 1,
			}
		}),
	}
}

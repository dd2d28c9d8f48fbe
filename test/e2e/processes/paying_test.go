package processes_test

import (
	"bytes"
	"flag"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"gatehouse.internal/domain/billing"
	"gatehouse.internal/test/contract/paying"
	"gatehouse.internal/test/e2e/instance"
)

// killsOfPayments says how much of TestKillNeverChargesOrRefundsTwice runs: what it takes by
// default fits into the time that CI has.
var killsOfPayments = flag.String("kills-of-payments", "some", "kill at some calls to one payment processor on each database, or at `all` calls to every one")

// What is asked of a processor has its effect once, whenever the program is killed: before and
// after each call of a checkout, of what follows the buyer's consent, of a refund and of a
// cancellation. All processors sell at one program, whose kill comes when it waits for each of
// them. By default one does, another on each database, and the kill comes at the second call of
// a deed that may change something, or at the first where there is one alone.
func TestKillNeverChargesOrRefundsTwice(t *testing.T) {
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		all := *killsOfPayments == "all"
		f := openFair(t, on, func(processor string) bool {
			return all || processor == map[string]string{"sqlite": "stripe", "postgres": "paypal"}[on.Name]
		})
		for _, deed := range []deed{(*counter).checkout, (*counter).consent, (*counter).refund, (*counter).cancel} {
			if all {
				f.everywhere(deed, false)
				f.everywhere(deed, true)
				continue
			}
			f.counters[0].at.CountChanges()
			step := 2
			if !f.interrupted(deed, step, true) {
				step = 1
				f.interrupted(deed, step, true)
			}
			f.interrupted(deed, step, false)
		}
		f.awaitEnd()
	})
}

// everywhere kills the program at each call of a deed.
func (f *fair) everywhere(deed deed, after bool) {
	// Some ask a processor for more after that, and change nothing by it.
	const most = 8
	for step := 1; step <= most && f.interrupted(deed, step, after); step++ {
	}
}

// counter is where one processor sells.
type counter struct {
	f               *fair
	name            string
	at              paying.Remote
	monthly, single string
	// owed are the hooks that were not answered with 200.
	owed []paying.Hook
	// ends check in the end what was interrupted; back is how much must have gone back.
	ends []func()
	back int64
}

// deed prepares what the program is killed in, and returns that and a check of how it ends.
type deed func(c *counter) (act, ends func())

// fair is a program that sells by several processors.
type fair struct {
	*instance.Site

	seller   instance.Person
	counters []*counter
}

func openFair(t *testing.T, on instance.Store, sells func(processor string) bool) *fair {
	t.Helper()
	f := &fair{Site: instance.Plan(t, on.Database(t))}
	for _, one := range paying.Remotes() {
		if !sells(one.Name) {
			continue
		}
		c := &counter{f: f, name: one.Name, at: one.Start(t).(paying.Remote)}
		f.Set(c.at.Environment()...)
		f.counters = append(f.counters, c)
	}
	f.launches()
	r := f.First()
	admin := r.Admin()
	r.Wide(admin)
	r.As(admin, "RATE_LIMIT.SET", P{"command": "AUTH.SIGNUP", "limit": 100_000, "window_seconds": 60, "key": "ip"}).OK()
	f.seller = r.SignUp()
	for _, c := range f.counters {
		product := r.As(f.seller, "PRODUCT.CREATE", P{"name": c.name, "slug": c.name, "public": true, "processor": c.name}).Text("product.id")
		price := func(params P) string {
			params["product_id"], params["currency"] = product, "EUR"
			return r.As(f.seller, "BILLING.PRICE_CREATE", params).Text("price.id")
		}
		c.monthly, c.single = price(P{"interval": "month", "unit_amount": 1900}), price(P{"unit_amount": 5000})
	}
	return f
}

// launches starts the program.
func (f *fair) launches() {
	f.T.Helper()
	f.Replicas = []*instance.Replica{instance.Launch(f.T, f.Secrets, f.Directory, f.Environment, "dev")}
}

// together does something at all counters at once.
func (f *fair) together(do func(c *counter)) {
	var doing sync.WaitGroup
	for _, c := range f.counters {
		doing.Go(func() { do(c) })
	}
	doing.Wait()
	if f.T.Failed() {
		f.T.FailNow()
	}
}

// interrupted kills the program when a deed has come to a call, before its effect or after that,
// at each processor that it has so many calls at. It reports whether there was one.
func (f *fair) interrupted(deed deed, step int, after bool) bool {
	acts := make([]func(), len(f.counters))
	f.together(func(c *counter) {
		act, ends := deed(c)
		c.ends = append(c.ends, ends)
		for i, one := range f.counters {
			if one == c {
				acts[i] = act
			}
		}
	})
	killed, waits := make(chan struct{}), make(chan bool, len(f.counters))
	var acting sync.WaitGroup
	for i, c := range f.counters {
		var once sync.Once
		c.at.Meet(step, after, func() {
			once.Do(func() { waits <- true })
			<-killed
		})
		acting.Go(func() {
			acts[i]()
			once.Do(func() { waits <- false })
		})
	}
	met := false
	for range f.counters {
		met = <-waits || met
	}
	if met {
		f.First().Kill()
	}
	close(killed)
	acting.Wait()
	for _, c := range f.counters {
		c.at.Cut(0, false)
	}
	if met {
		f.launches()
		f.together(func(c *counter) { c.tell(nil) })
	}
	return met
}

// awaitEnd waits until nothing is left to do, and checks how everything ended. What the killed
// program had taken on is taken over once its lease is over: so much later it starts again.
func (f *fair) awaitEnd() {
	f.T.Helper()
	f.First().Kill()
	f.Set("CLOCK_OFFSET=" + (2 * billing.Lease).String())
	f.launches()
	// Calls are made again while nothing is told of what they did before.
	const calls, events = `SELECT COUNT(*) FROM payment_intents`, `SELECT COUNT(*) FROM processor_events WHERE status NOT IN ('applied', 'ignored')`
	f.First().Await(func() bool { return f.count(calls) == 0 })
	if !f.First().Await(func() bool {
		f.together(func(c *counter) { c.tell(c.at.Hooks()) })
		return f.count(calls)+f.count(events) == 0
	}) {
		f.T.Fatalf("%d calls and %d events are left", f.count(calls), f.count(events))
	}
	f.seller = f.First().Again(f.seller)
	f.together(func(c *counter) {
		for _, ends := range c.ends {
			ends()
		}
		if back := c.at.Refunds(); back != c.back {
			f.T.Errorf("%s: %d went back, want %d", c.name, back, c.back)
		}
	})
}

func (f *fair) count(query string) (n int) {
	f.T.Helper()
	f.Query(query, &n)
	return n
}

// pays has a buyer pay, and the program told of that alone: whatever the processor told before
// is lost, so that only calls which are made again end what was interrupted.
func (c *counter) pays(page string) {
	c.at.Hooks()
	c.at.Act(page, "pay")
	c.tell(c.at.Hooks())
}

// tell tells the program what the processor tells, and again what it was told in vain.
func (c *counter) tell(hooks []paying.Hook) {
	hooks, c.owed = append(c.owed, hooks...), nil
	for _, hook := range hooks {
		request, err := http.NewRequest(http.MethodPost, c.f.First().URL+"/api/billing/webhooks/"+c.name, bytes.NewReader(hook.Body))
		if err != nil {
			c.f.T.Error(err)
			return
		}
		request.Header = hook.Header.Clone()
		answer, err := c.f.First().Client.Do(request)
		if err == nil {
			answer.Body.Close()
		}
		if err != nil || answer.StatusCode != http.StatusOK {
			c.owed = append(c.owed, hook)
		}
	}
}

func (c *counter) order(price string) P {
	return P{"price_id": price, "success_url": "http://localhost:3000/done"}
}

// begin begins to buy.
func (c *counter) begin(who instance.Person, price string) (id, page string) {
	c.f.T.Helper()
	made := c.f.First().As(who, "BILLING.CHECKOUT_CREATE", c.order(price))
	return made.Text("checkout.id"), made.Text("checkout.url")
}

// bought is a sale that was paid.
func (c *counter) bought(price string) (who instance.Person, id string) {
	c.f.T.Helper()
	who = c.f.First().SignUp()
	id, page := c.begin(who, price)
	c.pays(page)
	c.reaches(who, id, "completed active")
	return who, id
}

// reaches waits until a sale and its license are in a state, or the program ends, and returns
// the last that was seen.
func (c *counter) reaches(who instance.Person, id, want string) (state string) {
	r := c.f.First()
	r.Await(func() bool {
		got := r.As(who, "BILLING.CHECKOUT_GET", P{"checkout_id": id})
		state = fmt.Sprint(got.Value("checkout.status"), " ", got.Value("license.status"))
		return state == want
	})
	return state
}

// becomes fails the test unless a sale comes to a state, with one payment.
func (c *counter) becomes(who instance.Person, id, want string) {
	c.f.T.Helper()
	who = c.f.First().Again(who)
	state := c.reaches(who, id, want)
	customer := c.f.First().As(who, "BILLING.CUSTOMER_GET", nil).Text("customer.id")
	paid := c.f.First().As(c.f.seller, "BILLING.PAYMENT_LIST", P{"customer_id": customer}).Items()
	if state != want || len(paid) != 1 || paid[0]["status"] != "succeeded" {
		c.f.T.Errorf("%s: the sale is %s, want %s; its payments are %v", c.name, state, want, paid)
	}
}

func (c *counter) checkout() (act, ends func()) {
	who := c.f.First().SignUp()
	return func() { c.f.First().As(who, "BILLING.CHECKOUT_CREATE", c.order(c.single)) }, func() {
		who := c.f.First().Again(who)
		id, page := c.begin(who, c.single)
		c.pays(page)
		c.becomes(who, id, "completed active")
	}
}

func (c *counter) consent() (act, ends func()) {
	who := c.f.First().SignUp()
	id, page := c.begin(who, c.monthly)
	return func() {
		c.pays(page)
		c.reaches(who, id, "completed active")
	}, func() { c.becomes(who, id, "completed active") }
}

func (c *counter) refund() (act, ends func()) {
	who, id := c.bought(c.single)
	customer := c.f.First().As(who, "BILLING.CUSTOMER_GET", nil).Text("customer.id")
	paid := c.f.First().As(c.f.seller, "BILLING.PAYMENT_LIST", P{"customer_id": customer}).Items()[0]["id"]
	give := func(amount int) *instance.Reply {
		return c.f.First().As(c.f.seller, "BILLING.REFUND", P{"payment_id": paid, "amount": amount})
	}
	const part = 2000
	c.back += part
	return func() { give(part) }, func() {
		give(5000 - part + 1).Fails("VALIDATION_ERROR")
		c.becomes(who, id, "completed active")
	}
}

func (c *counter) cancel() (act, ends func()) {
	who, id := c.bought(c.monthly)
	sub := c.f.First().As(who, "BILLING.CHECKOUT_GET", P{"checkout_id": id}).Text("subscription.id")
	return func() {
		c.f.First().As(who, "BILLING.SUBSCRIPTION_CANCEL", P{"subscription_id": sub, "at_period_end": false})
	}, func() { c.becomes(who, id, "completed revoked") }
}

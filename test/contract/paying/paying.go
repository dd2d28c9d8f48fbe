// Package paying is what holds of every payment processor: Run lets all of it run over one.
// It buys, pays, cancels and refunds by the commands of a real instance, whose adapter speaks
// to an upstream on the loopback interface.
package paying

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/test/harness"
)

// P is a JSON object.
type P = harness.P

// Done is where buyers go after the payment.
const Done = "http://localhost:3000/done"

// Hook is one call of the processor to the service.
type Hook struct {
	Header http.Header
	Body   []byte
}

// Upstream is a processor on the loopback interface.
type Upstream interface {
	// Environment returns the variables, as NAME=value, by which a development instance
	// sells by it.
	Environment() []string
	// Bind makes it go by the clock of an instance.
	Bind(h *harness.Service)
	// Act does what the buyer of a page, their bank, time, or the seller at the processor
	// does: pay, fail, expire, renew, fail-renewal, pay-due, end, dispute, win, lose, refund, fail-refund.
	Act(page, name string)
	// Hooks returns the hooks of the acts since it was asked last, signed now.
	Hooks() []Hook
}

// Line is what goes wrong on the way to an upstream, as misbehaving.Switches says.
type Line interface {
	Cut(from int, after bool)
	Meet(from int, after bool, then func())
	CountChanges()
	Answer(times, status, wait int)
	Calls() int
	// Forget forgets the idempotency keys.
	Forget()
}

// Lying is what a processor says that is not true.
type Lying interface {
	// Rename has its objects name something by another identifier of the service.
	Rename(from, to string)
	// Lie charges another sum from now on, or in another currency.
	Lie(sum int64, currency string)
	// Underpay charges another sum from now on than its objects name as due.
	Underpay(sum int64)
}

// Moving is where the seller can move a subscription to another product.
type Moving interface {
	// Move has the subscription of a page be one of what another page sells.
	Move(page, to string)
}

// Remote is an upstream that is called over HTTP.
type Remote interface {
	Upstream
	Line
	Lying
	Moving

	// Refunds returns how much went back.
	Refunds() int64
	// OtherMode returns a hook as it would be, and would be signed, in the other mode.
	OtherMode(h Hook) Hook
}

// Unsigned is an upstream whose hooks are not signed: what is told is fetched by what they name.
type Unsigned interface {
	// Foreign returns a hook that names something which is not of the service.
	Foreign() Hook
}

// Certified is an upstream whose hooks are signed by a certificate that is fetched once.
type Certified interface {
	// Greeting returns a hook about nothing.
	Greeting() Hook
}

// Completing is an upstream whose subscriptions the service makes, once it knows that the
// buyer agreed.
type Completing interface{ Completes() }

// Case is one processor.
type Case struct {
	Name  string
	Start func(t testing.TB) Upstream
}

// Run runs all that holds of a processor, on one database.
func Run(t *testing.T, c Case, database func(testing.TB) string) {
	t.Helper()
	for name, test := range map[string]func(*Shop){
		"a subscription from end to end": aSubscription, "a purchase from end to end": aPurchase, "any order": anyOrder, "trials and coupons": trialsAndCoupons,
		"forgeries": forgeries, "told by another processor": elsewhere, "refunds at once": refundsAtOnce, "abilities": abilities, "nothing is paid": nothingPaid, "serving": serving,
	} {
		t.Run(name, func(t *testing.T) { t.Parallel(); test(open(t, c, database(t))) })
	}
	for name, test := range map[string]func(*Shop, Remote){
		"first checkouts at once": firstAtOnce, "killed": killed, "keys that are forgotten": forgotten, "lies": lies, "out of order": outOfOrder, "any order of refunds": anyOrderOfRefunds, "hangs": hangs, "telling of others": intruding, "moved to another product": moved,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, c, database(t))
			if remote, ok := s.Upstream.(Remote); ok {
				test(s, remote)
			}
		})
	}
}

// Shop is a seller with a public product, and somebody who buys.
type Shop struct {
	*harness.Service

	Upstream Upstream
	Name     string

	t               *testing.T
	database        string
	seller, buyer   *harness.Actor
	product         string
	monthly, single string
	// newcomers and products count what firstAtOnce has made.
	newcomers, products int
}

func open(t *testing.T, c Case, database string) *Shop {
	t.Helper()
	upstream := c.Start(t)
	h := harness.On(t, database, upstream.Environment()...)
	upstream.Bind(h)
	s := &Shop{Service: h, Upstream: upstream, Name: c.Name, t: t, database: database, seller: h.SignUp("seller@example.com"), buyer: h.SignUp("buyer@example.com")}
	made := P{"name": "Table", "slug": "table", "public": true}
	if c.Name != "sandbox" {
		made["processor"] = c.Name
	}
	s.product = s.seller.Do("PRODUCT.CREATE", made).OK().String("product.id")
	s.monthly = s.price(P{"interval": "month", "model": "per_seat", "unit_amount": 1900})
	s.single = s.price(P{"unit_amount": 5000})
	return s
}

func (s *Shop) price(params P) string {
	s.t.Helper()
	call := P{"product_id": s.product, "currency": "EUR"}
	for name, value := range params {
		call[name] = value
	}
	return s.seller.Do("BILLING.PRICE_CREATE", call).OK().String("price.id")
}

// begin begins to buy, and returns the checkout and its page.
func (s *Shop) begin(who *harness.Actor, params P) (id, page string) {
	s.t.Helper()
	made := who.Do("BILLING.CHECKOUT_CREATE", s.order(params)).OK()
	return made.String("checkout.id"), made.String("checkout.url")
}

func (s *Shop) order(params P) P {
	call := P{"success_url": Done}
	for name, value := range params {
		call[name] = value
	}
	return call
}

// act does something at the processor, a second later than what was before.
func (s *Shop) act(page, name string) []Hook {
	s.Clock.Advance(time.Second)
	s.Upstream.Act(page, name)
	return s.Upstream.Hooks()
}

// do does something at the processor, and takes what is told of it.
func (s *Shop) do(page, name string) {
	s.t.Helper()
	for _, hook := range s.act(page, name) {
		if status := s.post(s.Name, hook); status != http.StatusOK {
			s.t.Fatalf("a hook after %s: %d", name, status)
		}
	}
	s.Settle()
}

// post sends a hook to the service, and returns the status of the answer.
func (s *Shop) post(processor string, h Hook) int {
	request := httptest.NewRequest(http.MethodPost, "/api/billing/webhooks/"+processor, bytes.NewReader(h.Body))
	request.Header = h.Header.Clone()
	recorder := httptest.NewRecorder()
	s.Handler.ServeHTTP(recorder, request)
	return recorder.Code
}

// later moves on by days, after which everybody signs in again.
func (s *Shop) later(days int) {
	s.Clock.Advance(time.Duration(days) * 24 * time.Hour)
	s.seller, s.buyer = s.Login("seller@example.com", harness.Password), s.Login("buyer@example.com", harness.Password)
}

// state is all of a sale that must be one whatever came in what order; times are counted
// from one.
func (s *Shop) state(who *harness.Actor, checkout string, from time.Time) string {
	s.t.Helper()
	got := who.Do("BILLING.CHECKOUT_GET", P{"checkout_id": checkout}).OK()
	state := "checkout " + got.String("checkout.status")
	if sub, ok := got.Data["subscription"].(P); ok {
		state += fmt.Sprint(", subscription ", sub["status"], " until ", s.since(from, sub["period_end"]))
	}
	if given, ok := got.Data["license"].(P); ok {
		state += fmt.Sprint(", license ", given["status"])
		if given["status"] != "revoked" {
			state += fmt.Sprint(" until ", s.since(from, given["expires_at"]))
		}
	}
	var parts []string
	for _, one := range who.Do("BILLING.INVOICE_LIST", nil).OK().List("items") {
		parts = append(parts, fmt.Sprint("invoice ", one["status"], " ", one["total"]))
	}
	customer := who.Do("BILLING.CUSTOMER_GET", nil).OK().String("customer.id")
	for _, one := range s.seller.Do("BILLING.PAYMENT_LIST", P{"customer_id": customer}).OK().List("items") {
		parts = append(parts, fmt.Sprint("payment ", one["status"], " ", one["amount"], " ", one["dispute"]))
	}
	for _, one := range s.seller.Do("BILLING.REFUND_LIST", P{"limit": 200}).OK().List("items") {
		if one["checkout_id"] == checkout {
			parts = append(parts, fmt.Sprint("refund ", one["status"], " ", one["amount"]))
		}
	}
	// Lists are in the order in which things became known.
	slices.Sort(parts)
	return state + ", " + strings.Join(parts, ", ")
}

// since is how many days after a time another one is; nil for none.
func (s *Shop) since(from time.Time, other any) any {
	s.t.Helper()
	text, there := other.(string)
	if !there {
		return nil
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		s.t.Fatal(err)
	}
	return at.Sub(from).Round(day)
}

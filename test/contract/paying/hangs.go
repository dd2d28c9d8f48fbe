package paying

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

const (
	// brief is how long the service waits for a processor that hangs, in place of
	// billing.CallTime; long leaves time for something else meanwhile.
	brief, long = 200 * time.Millisecond, 2 * time.Second
	// late is longer than any call takes, and shorter than billing.CallTime.
	late = 8 * time.Second
	// failures open the circuit of a processor, which is closed again after rest.
	failures, rest = 5, 31 * time.Second
)

// hangs has a processor take calls and never answer them: who calls waits for as long as is
// bearable, nobody else waits at all, and what the processor did meanwhile is done once.
func hangs(s *Shop, at Remote) {
	order := s.order(P{"price_id": s.single})
	buy := func() *harness.Reply { return s.buyer.Do("BILLING.CHECKOUT_CREATE", order) }
	s.hanging(at, 1, false, func(arrived <-chan struct{}) {
		s.waitsAlone(arrived, func() *harness.Reply { return s.buyer.Idempotent("hangs").Do("BILLING.CHECKOUT_CREATE", order) })
		for range failures - 1 {
			s.waits("a checkout", buy)
		}
		before := at.Calls()
		s.waits("a checkout, once the circuit is open", buy)
		if at.Calls() != before {
			s.t.Error("a processor that hangs again and again is called on")
		}
	})
	s.waits("a checkout before the circuit closes", buy)
	s.Clock.Advance(rest)
	id, page := s.begin(s.buyer, order)
	s.do(page, "pay")
	s.expect("once the processor answers", id, "completed", "active")
	refundHangs(s, at)
	hookHangs(s, at)
}

// hanging does something while the processor hangs in all calls from one on: before they have
// their effect, or after that. arrived is closed when the first has come.
func (s *Shop) hanging(at Remote, from int, after bool, do func(arrived <-chan struct{})) {
	s.t.Helper()
	arrived, release := make(chan struct{}), make(chan struct{})
	var once sync.Once
	at.Meet(from, after, func() {
		once.Do(func() { close(arrived) })
		<-release
	})
	s.Payments.Patience = brief
	do(arrived)
	s.Payments.Patience = billing.CallTime
	close(release)
	at.Cut(0, false)
}

// waits makes a call to a processor that hangs, and expects it to be told so in time.
func (s *Shop) waits(what string, call func() *harness.Reply) {
	s.t.Helper()
	began := time.Now()
	got := call()
	if took := time.Since(began); took > late {
		s.t.Errorf("%s waits for %s", what, took)
	}
	if !strings.HasPrefix(got.Fails(fault.Internal).Failure.Message, "the payment processor did not respond: try again later, request id ") {
		s.t.Errorf("%s: %v", what, got.Failure)
	}
}

// waitsAlone is waits while somebody else changes something: that takes no longer than ever.
func (s *Shop) waitsAlone(arrived <-chan struct{}, call func() *harness.Reply) {
	s.t.Helper()
	s.Payments.Patience = long
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.waits("a call", call)
	}()
	select {
	case <-arrived:
	case <-done:
		s.t.Error("nothing was asked of the processor")
	}
	s.seller.Do("PRODUCT.UPDATE", P{"product_id": s.product, "name": "Desk"}).OK()
	select {
	case <-done:
		s.t.Error("others wait as well")
	default:
	}
	<-done
	s.Payments.Patience = brief
}

// refundHangs has a processor hang once it has refunded, and at the call after that.
func refundHangs(s *Shop, at Remote) {
	const part = 2000
	for from := 1; from <= 2; from++ {
		_, page := s.begin(s.buyer, P{"price_id": s.single})
		s.do(page, "pay")
		paid, before := s.paid(), at.Refunds()
		refund := func() *harness.Reply {
			return s.seller.Do("BILLING.REFUND", P{"payment_id": paid, "amount": part})
		}
		s.hanging(at, from, true, func(arrived <-chan struct{}) {
			if from == 1 {
				s.waits("a refund", refund)
				return
			}
			if refund(); at.Calls() > from {
				s.t.Errorf("a call that hangs is repeated at once: %d calls", at.Calls())
			}
		})
		s.seller.Do("BILLING.REFUND", P{"payment_id": paid, "amount": 5000 - part + 1}).Fails(fault.Validation)
		s.Clock.Advance(2 * billing.Lease)
		s.Settle()
		s.receive()
		if back := at.Refunds() - before; back != part {
			s.t.Errorf("hanging at call %d, %d went back, want %d", from, back, part)
		}
	}
}

// hookHangs has a processor tell something, and hang when it is asked about that.
func hookHangs(s *Shop, at Remote) {
	id, page := s.begin(s.buyer, P{"price_id": s.monthly})
	var untaken []Hook
	hooks := s.act(page, "pay")
	s.hanging(at, 1, false, func(<-chan struct{}) {
		for _, hook := range hooks {
			began := time.Now()
			switch status := s.post(s.Name, hook); status {
			case http.StatusOK:
			case http.StatusInternalServerError:
				untaken = append(untaken, hook)
			default:
				s.t.Errorf("a hook is answered with %d", status)
			}
			if took := time.Since(began); took > late {
				s.t.Errorf("a hook is taken in %s", took)
			}
		}
		s.Settle()
	})
	s.Clock.Advance(rest)
	s.tell(untaken)
	s.Clock.Advance(2 * time.Minute)
	s.Settle()
	s.expect(fmt.Sprintf("after %d hooks, of which %d were repeated", len(hooks), len(untaken)), id, "completed", "active", "active")
}

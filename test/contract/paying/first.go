package paying

import (
	"fmt"
	"sync"
	"time"

	"gatehouse.internal/test/harness"
)

// firstAtOnce begins the first checkouts of a product at the same time on two replicas: one
// buyer who asks many times gets one page, and the processor has to make as much for it as
// for somebody who asks once. Several buyers share the product and its price.
func firstAtOnce(s *Shop, at Remote) {
	const times, people = 4, 3
	there := harness.On(s.t, s.database, s.Upstream.Environment()...)
	takeTurns(s, there)
	at.CountChanges()
	// Each replica has its own token of PayPal.
	here := s.newcomer()
	s.begin(here, P{"price_id": s.monthly})
	s.begin(there.With(here.AccessToken), P{"price_id": s.single})

	first := s.changes(at, func() { s.begin(s.newcomer(), P{"price_id": s.newProduct()}) })
	known := s.newProduct()
	s.begin(s.newcomer(), P{"price_id": known})
	next := s.changes(at, func() { s.begin(s.newcomer(), P{"price_id": known}) })

	order := s.order(P{"price_id": s.newProduct()})
	one := s.newcomer()
	askers := []*harness.Actor{}
	for range times {
		askers = append(askers, one, there.With(one.AccessToken))
	}
	var pages []string
	made := s.changes(at, func() { pages = buyAtOnce(askers, order) })
	for _, page := range pages {
		if page != pages[0] || page == "" {
			s.t.Errorf("one buyer gets the pages %q", pages)
			break
		}
	}
	if made != first {
		s.t.Errorf("a first checkout takes %d calls that change something, and %d when it is asked for %d times at once", first, made, len(askers))
	}

	order, askers = s.order(P{"price_id": s.newProduct()}), nil
	for range people {
		askers = append(askers, s.newcomer(), there.With(s.newcomer().AccessToken))
	}
	made = s.changes(at, func() { pages = buyAtOnce(askers, order) })
	if want := first + (len(askers)-1)*next; made != want {
		s.t.Errorf("the first checkouts of %d buyers at once take %d calls that change something, want %d", len(askers), made, want)
	}
}

// takeTurns has two replicas take the turn of one subject: one has it until it leaves, or,
// where it died, until the time has passed.
func takeTurns(s *Shop, there *harness.Service) {
	now := s.Clock.Now()
	for _, step := range []struct {
		at     *harness.Service
		holder string
		after  time.Duration
		want   bool
	}{
		{s.Service, "one", 0, true},
		{there, "two", 0, false},
		{there, "two", time.Minute - 1, false},
		{there, "two", time.Minute, true},
		{s.Service, "one", time.Minute, false},
	} {
		at := now.Add(step.after)
		if taken, err := step.at.Payments.Turns.Take(s.t.Context(), "subject", step.holder, at, at.Add(time.Minute)); err != nil || taken != step.want {
			s.t.Errorf("%s takes the turn after %s: %t, %v, want %t", step.holder, step.after, taken, err, step.want)
		}
	}
	for _, holder := range []string{"one", "two"} {
		if err := s.Payments.Turns.Leave(s.t.Context(), "subject", holder); err != nil {
			s.t.Error(err)
		}
		taken, err := s.Payments.Turns.Take(s.t.Context(), "subject", "three", now, now.Add(time.Minute))
		if err != nil || taken != (holder == "two") {
			s.t.Errorf("the turn after %s left it: %t, %v", holder, taken, err)
		}
	}
}

// changes returns how many calls something takes that may change something at the processor.
func (*Shop) changes(at Remote, do func()) int {
	at.Cut(0, false)
	do()
	return at.Calls()
}

// newcomer is somebody who has bought nothing.
func (s *Shop) newcomer() *harness.Actor {
	s.newcomers++
	return s.SignUp(fmt.Sprintf("newcomer%d@example.com", s.newcomers))
}

// newProduct is the price of a product that nobody has bought.
func (s *Shop) newProduct() string {
	s.t.Helper()
	s.products++
	made := s.seller.Do("PRODUCT.CREATE", P{"name": "Chair", "slug": fmt.Sprint("chair-", s.products), "public": true, "processor": s.Name}).OK()
	return s.seller.Do("BILLING.PRICE_CREATE", P{
		"product_id": made.String("product.id"), "currency": "EUR", "interval": "month", "unit_amount": 1900,
	}).OK().String("price.id")
}

// buyAtOnce has each begin the same checkout at the same time, and returns the pages.
func buyAtOnce(askers []*harness.Actor, order P) []string {
	pages := make([]string, len(askers))
	var all sync.WaitGroup
	for i, one := range askers {
		all.Go(func() { pages[i] = one.Do("BILLING.CHECKOUT_CREATE", order).OK().String("checkout.url") })
	}
	all.Wait()
	return pages
}

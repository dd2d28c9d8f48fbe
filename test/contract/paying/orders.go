package paying

import (
	"fmt"
	"strings"
	"time"

	"pgregory.net/rapid"

	"gatehouse.internal/test/harness"
)

// histories are what may happen to a subscription, in order: some periods, and what it is left
// in.
func histories() *rapid.Generator[[]string] {
	return rapid.Custom(func(t *rapid.T) []string {
		acts := []string{"pay"}
		for range rapid.IntRange(0, 3).Draw(t, "periods") {
			acts = append(acts, rapid.SampledFrom([][]string{{"renew"}, {"fail-renewal", "pay-due"}, {"dispute", "win", "renew"}}).Draw(t, "period")...)
		}
		return append(acts, rapid.SampledFrom([][]string{nil, {"fail-renewal"}, {"dispute"}, {"dispute", "renew"}, {"dispute", "lose"}, {"end"}}).Draw(t, "last")...)
	})
}

// reversals are what may happen to a purchase whose price goes back, and comes again since the
// refund failed in the end.
func reversals() *rapid.Generator[[]string] {
	return rapid.SampledFrom([][]string{{"pay", "refund"}, {"pay", "refund", "fail-refund"}})
}

const day = 24 * time.Hour

// anyOrder tells histories in any order, twice, and in part never: with a SYNC where something
// was not told, each ends in the state of the same history that was told in order.
func anyOrder(s *Shop) {
	_, completes := s.Upstream.(Completing)
	s.inAnyOrder(histories(), P{"price_id": s.monthly, "quantity": 2}, completes)
}

// anyOrderOfRefunds is anyOrder for what was bought once: who has their money back has nothing,
// and who has not has what they paid for.
func anyOrderOfRefunds(s *Shop, _ Remote) {
	for name, end := range s.inAnyOrder(reversals(), P{"price_id": s.single}, true) {
		if strings.Contains(end, "license revoked") != strings.Contains(end, "refund succeeded") {
			s.t.Errorf("%s ends in %s", name, end)
		}
	}
}

// inAnyOrder returns how histories of a purchase end. completes says that the service has its
// part in the payment, and is told of it before anything else happens.
func (s *Shop) inAnyOrder(histories *rapid.Generator[[]string], order P, completes bool) map[string]string {
	s.t.Helper()
	// Some count in days: no try begins near to the end of one.
	s.Clock.Advance(s.Clock.Now().Truncate(day).Add(day + day/4).Sub(s.Clock.Now()))
	s.later(0)
	inOrder, tries := map[string]string{}, 0
	try := func() *try {
		tries++
		return s.try(fmt.Sprintf("try%d@example.com", tries), order)
	}
	rapid.Check(s.t, func(t *rapid.T) {
		acts := histories.Draw(t, "acts")
		name := strings.Join(acts, ", ")
		want, known := inOrder[name]
		if !known {
			of := try()
			of.live(acts, func(hooks []Hook, _ bool) { s.tell(hooks) })
			want = of.ends()
			inOrder[name] = want
		}
		of := try()
		least := rapid.IntRange(0, 1).Draw(t, "least copies")
		posted := of.live(acts, func(hooks []Hook, first bool) {
			if first && completes {
				s.completed(of.who, hooks, least == 0)
			}
		})
		var order []int
		for i := range posted {
			n := rapid.IntRange(least, 2).Draw(t, "copies")
			of.silent = of.silent || n == 0
			for range n {
				order = append(order, i)
			}
		}
		for _, i := range rapid.Permutation(order).Draw(t, "order") {
			s.tell(posted[i : i+1])
		}
		if got := of.ends(); got != want {
			t.Fatalf("%s ends in %s, in order it is %s", name, got, want)
		}
	})
	return inOrder
}

// try is the sale that a history is about.
type try struct {
	s          *Shop
	who        *harness.Actor
	from       time.Time
	sale, page string
	// silent reports whether something happened that nothing was told of.
	silent bool
}

func (s *Shop) try(email string, order P) *try {
	s.t.Helper()
	of := &try{s: s, who: s.SignUp(email), from: s.Clock.Now()}
	of.sale, of.page = s.begin(of.who, order)
	return of
}

// live lets acts happen, and returns the hooks of all, which each is called with: first is that
// of the payment.
func (of *try) live(acts []string, each func(hooks []Hook, first bool)) (posted []Hook) {
	of.s.t.Helper()
	for i, name := range acts {
		hooks := of.s.act(of.page, name)
		of.silent = of.silent || len(hooks) == 0
		posted = append(posted, hooks...)
		each(hooks, i == 0)
	}
	return posted
}

// ends is the state of the sale in the end.
func (of *try) ends() string {
	of.s.t.Helper()
	if of.silent {
		of.s.Clock.Advance(time.Second)
		of.s.sync(of.who)
	}
	return of.s.state(of.who, of.sale, of.from)
}

// completed lets the service do what is its to do once somebody agreed: it is told of that, or
// finds it where that was lost.
func (s *Shop) completed(who *harness.Actor, hooks []Hook, lost bool) {
	if lost {
		s.sync(who)
		return
	}
	s.tell(hooks)
}

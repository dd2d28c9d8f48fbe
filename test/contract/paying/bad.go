package paying

import (
	"bytes"
	"fmt"
	"net/http"
	"path"
	"strings"
	"time"

	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// forgeries are refused, and nothing of them is stored.
func forgeries(s *Shop) {
	id, page := s.begin(s.buyer, P{"price_id": s.single})
	hooks := s.act(page, "pay")
	if len(hooks) == 0 {
		s.t.Fatal("nothing was told")
	}
	right := hooks[len(hooks)-1]
	if upstream, ok := s.Upstream.(Unsigned); ok {
		unsigned(s, upstream, right)
		s.expect("after forgeries", id, "open")
		for range 3 {
			s.post(s.Name, right)
		}
		if stored := s.Superadmin().Do("BILLING.PROCESSOR_EVENT_LIST", nil).OK().List("items"); len(stored) != 1 {
			s.t.Errorf("of one state that was told three times is stored: %v", stored)
		}
		return
	}
	forged := right.Header.Clone()
	for name, values := range forged {
		forged.Set(name, values[0][:len(values[0])-4]+"0000")
	}
	cases := map[string]Hook{
		"no signature":      {http.Header{}, right.Body},
		"another signature": {forged, right.Body},
		"another body":      {right.Header, append([]byte(" "), right.Body...)},
		"of somebody else":  {http.Header{"Sandbox-Signature": {"t=1,v1=00"}, "Stripe-Signature": {"t=1,v1=00"}, "Paddle-Signature": {"ts=1;h1=00"}}, right.Body},
	}
	if remote, ok := s.Upstream.(Remote); ok {
		cases["the other mode"] = remote.OtherMode(right)
	}
	for name, hook := range cases {
		if got := s.post(s.Name, hook); got != http.StatusUnauthorized {
			s.t.Errorf("%s: %d, want 401", name, got)
		}
	}
	if got := s.post(s.Name, Hook{right.Header, make([]byte, 1<<20+1)}); got != http.StatusRequestEntityTooLarge {
		s.t.Errorf("a hook that is too long: %d", got)
	}
	if s.Name != "sandbox" {
		if got := s.post("sandbox", right); got != http.StatusUnauthorized {
			s.t.Errorf("told to another processor: %d", got)
		}
	}
	s.Clock.Advance(billing.SignatureAge + time.Second)
	if got := s.post(s.Name, right); got != http.StatusUnauthorized {
		s.t.Errorf("an old signature: %d", got)
	}
	if stored := s.Superadmin().Do("BILLING.PROCESSOR_EVENT_LIST", nil).OK().List("items"); len(stored) != 0 {
		s.t.Errorf("of what was refused is stored: %v", stored)
	}
	s.expect("after forgeries", id, "open")
}

// elsewhere has one processor tell of a sale that was made by another: that gives nothing, and
// nobody but superadmins sees it.
func elsewhere(s *Shop) {
	if s.Name == "sandbox" {
		return // It is the one that tells.
	}
	id, _ := s.begin(s.buyer, P{"price_id": s.single})
	other := s.seller.Do("PRODUCT.CREATE", P{"name": "Chair", "slug": "chair", "public": true}).OK().String("product.id")
	_, page := s.begin(s.buyer, P{"price_id": s.price(P{"product_id": other, "unit_amount": 5000})})
	shown, err := s.Sandbox.Show(s.t.Context(), path.Base(page))
	if err != nil {
		s.t.Fatal(err)
	}
	sale := shown.Sale
	for i := range sale.Facts {
		sale.Facts[i].CheckoutID = billing.CheckoutID(id)
	}
	sale.Facts[0].Checkout.Status, sale.Facts[0].At = billing.CheckoutCompleted, s.Clock.Now().Add(time.Second)
	sale.Facts = append(sale.Facts, billing.Fact{
		CheckoutID: billing.CheckoutID(id), ID: "pay_elsewhere", At: s.Clock.Now(),
		Payment: &billing.PaymentFact{Status: billing.PaymentSucceeded, Amount: sale.Facts[0].Checkout.Subtotal},
	})
	body, signature, err := s.Sandbox.Hook(&sale, "pay", time.Time{})
	if err != nil {
		s.t.Fatal(err)
	}
	if got := s.post("sandbox", Hook{http.Header{"Sandbox-Signature": {signature}}, body}); got != http.StatusOK {
		s.t.Errorf("a hook about a sale of another processor: %d", got)
	}
	s.Settle()
	s.expect("told by another processor", id, "open")
	if items := s.seller.Do("BILLING.PROCESSOR_EVENT_LIST", nil).OK().List("items"); len(items) != 0 {
		s.t.Errorf("the seller sees %v", items)
	}
	if items := s.Superadmin().Do("BILLING.PROCESSOR_EVENT_LIST", nil).OK().List("items"); len(items) != 1 || items[0]["status"] != "ignored" {
		s.t.Errorf("of what another processor told is stored: %v", items)
	}
}

// intruding has the processor itself tell of a sale that was made by another one, in place of its
// own: that gives nothing, neither there nor here.
func intruding(s *Shop, at Remote) {
	own, page := s.begin(s.buyer, P{"price_id": s.single})
	other := s.seller.Do("PRODUCT.CREATE", P{"name": "Chair", "slug": "chair", "public": true}).OK().String("product.id")
	theirs, _ := s.begin(s.buyer, P{"price_id": s.price(P{"product_id": other, "unit_amount": 5000})})
	s.Upstream.Hooks()
	at.Rename(own, theirs)
	hooks := s.act(page, "pay")
	for _, hook := range hooks {
		if bytes.Contains(hook.Body, []byte(own)) {
			s.t.Errorf("the processor still tells of its own sale: %s", hook.Body)
		}
		if got := s.post(s.Name, hook); got != http.StatusOK {
			s.t.Errorf("a hook about a sale of another processor: %d", got)
		}
	}
	s.Settle()
	s.Clock.Advance(time.Hour)
	s.Settle()
	s.later(0)
	s.expect("told by another processor", theirs, "open")
	s.expect("which does not tell of it", own, "open")
	for _, who := range []*harness.Actor{s.seller, s.buyer} {
		if given := who.Do("LICENSE.LIST", nil).OK().List("items"); len(given) != 0 {
			s.t.Errorf("given is %v", given)
		}
	}
	for _, one := range s.Superadmin().Do("BILLING.PROCESSOR_EVENT_LIST", nil).OK().List("items") {
		if one["status"] != "ignored" {
			s.t.Errorf("what another processor told is %v", one)
		}
	}
}

// unsigned tries what anybody may post where hooks are not signed: what names nothing is
// refused, what is not ours changes nothing, and nothing is stored.
func unsigned(s *Shop, upstream Unsigned, right Hook) {
	cases := map[string]struct {
		hook Hook
		want int
	}{
		"somebody else's": {upstream.Foreign(), http.StatusOK}, "a part": {Hook{right.Header, right.Body[:len(right.Body)-1]}, http.StatusOK},
		"nothing": {Hook{right.Header, nil}, http.StatusUnauthorized}, "no form": {Hook{right.Header, []byte(`{"id":"1"}`)}, http.StatusUnauthorized},
		"a path":   {Hook{right.Header, append(bytes.Clone(right.Body), "/../../customers"...)}, http.StatusUnauthorized},
		"too long": {Hook{right.Header, make([]byte, 1<<20+1)}, http.StatusRequestEntityTooLarge},
	}
	if remote, ok := s.Upstream.(Remote); ok {
		cases["the other mode"] = struct {
			hook Hook
			want int
		}{remote.OtherMode(right), http.StatusOK}
	}
	for name, c := range cases {
		if got := s.post(s.Name, c.hook); got != c.want {
			s.t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
	if got := s.post("sandbox", right); got != http.StatusUnauthorized {
		s.t.Errorf("told to another processor: %d", got)
	}
	if stored := s.Superadmin().Do("BILLING.PROCESSOR_EVENT_LIST", nil).OK().List("items"); len(stored) != 0 {
		s.t.Errorf("of what is not ours is stored: %v", stored)
	}
}

// lies are not believed: they give nothing, and are shown with the reason.
func lies(s *Shop, at Remote) {
	for name, lie := range map[string]struct {
		price string
		tell  func()
	}{
		"another sum": {s.single, func() { at.Lie(1, "") }}, "less than is due": {s.single, func() { at.Underpay(100) }}, "another currency": {s.monthly, func() { at.Lie(0, "usd") }},
	} {
		who := s.SignUp(strings.ReplaceAll(name, " ", "-") + "@example.com")
		id, page := s.begin(who, P{"price_id": lie.price})
		lie.tell()
		s.do(page, "pay")
		at.Lie(0, "")
		at.Underpay(0)
		got := who.Do("BILLING.CHECKOUT_GET", P{"checkout_id": id}).OK()
		if name != "less than is due" && got.String("checkout.status") != "open" || got.Data["license"] != nil {
			s.t.Errorf("%s gives %v", name, got.Data)
		}
	}
	failed := s.seller.Do("BILLING.PROCESSOR_EVENT_LIST", P{"status": "failed"}).OK().List("items")
	if len(failed) == 0 || failed[0]["reason"] != billing.ErrLie.Message {
		s.t.Errorf("what failed is %v", failed)
	}
}

// killed cuts the line at each call of a checkout, a cancellation and a refund, before it has
// its effect and after that, and lets the intents be carried out later: each has its effect
// once, and access agrees with the money.
func killed(s *Shop, at Remote) {
	const most = 8
	for _, after := range []bool{false, true} {
		for from := 1; from <= most; from++ {
			name := fmt.Sprintf("cut-%d-%t", from, after)
			who := s.SignUp(name + "@example.com")
			price := s.price(P{"unit_amount": 5000})
			if !s.interrupted(at, from, after, func() *harness.Reply {
				return who.Do("BILLING.CHECKOUT_CREATE", s.order(P{"price_id": price}))
			}) {
				break
			}
			id, page := s.begin(who, P{"price_id": price})
			s.do(page, "pay")
			got := who.Do("BILLING.CHECKOUT_GET", P{"checkout_id": id}).OK()
			if got.String("license.status") != "active" {
				s.t.Errorf("%s: %v", name, got.Data)
			}
		}
		for from := 1; from <= most; from++ {
			_, page := s.begin(s.buyer, P{"price_id": s.single})
			s.do(page, "pay")
			paid, before := s.paid(), at.Refunds()
			cut := s.interrupted(at, from, after, func() *harness.Reply {
				return s.seller.Do("BILLING.REFUND", P{"payment_id": paid, "amount": 2000})
			})
			s.receive()
			if back := at.Refunds() - before; back != 2000 {
				s.t.Errorf("cut at %d, after %t: %d went back, want 2000", from, after, back)
			}
			s.seller.Do("BILLING.REFUND", P{"payment_id": paid, "amount": 3001}).Fails(fault.Validation)
			if !cut {
				break
			}
		}
		for from := 1; from <= most; from++ {
			who := s.SignUp(fmt.Sprintf("cancel-%d-%t@example.com", from, after))
			id, page := s.begin(who, P{"price_id": s.monthly})
			s.do(page, "pay")
			sub := who.Do("BILLING.CHECKOUT_GET", P{"checkout_id": id}).OK().String("subscription.id")
			s.Clock.Advance(time.Second)
			cut := s.interrupted(at, from, after, func() *harness.Reply {
				return who.Do("BILLING.SUBSCRIPTION_CANCEL", P{"subscription_id": sub, "at_period_end": false})
			})
			s.receive()
			got := who.Do("BILLING.CHECKOUT_GET", P{"checkout_id": id}).OK()
			if got.String("subscription.status") != "ended" || got.String("license.status") != "revoked" {
				s.t.Errorf("canceled, cut at %d, after %t: %v", from, after, got.Data)
			}
			if !cut {
				break
			}
		}
	}
}

// interrupted calls with the line cut from a call on, and lets what is left be done once the
// line is back. It reports whether the line was cut at all.
func (s *Shop) interrupted(at Remote, from int, after bool, call func() *harness.Reply) bool {
	at.Cut(from, after)
	got := call()
	cut := at.Calls() >= from
	at.Cut(0, false)
	if cut && !strings.HasPrefix(got.Fails(fault.Internal).Failure.Message, "the payment processor did not respond: try again later, request id ") {
		s.t.Errorf("cut at %d, after %t: %v", from, after, got.Failure)
	}
	s.Clock.Advance(2 * billing.Lease)
	s.Settle()
	s.later(0)
	return cut
}

// forgotten repeats a refund after the processor has forgotten the key: it is given once.
func forgotten(s *Shop, at Remote) {
	_, page := s.begin(s.buyer, P{"price_id": s.single})
	s.do(page, "pay")
	paid := s.paid()
	for from := 1; ; from++ {
		// Some take refunds that are alike for one, in short succession.
		s.Clock.Advance(2 * time.Minute)
		before := at.Refunds()
		at.Cut(from, true)
		s.seller.Do("BILLING.REFUND", P{"payment_id": paid, "amount": 100})
		cut := at.Calls() >= from
		at.Cut(0, false)
		at.Forget()
		s.Clock.Advance(25 * time.Hour)
		s.Settle()
		s.seller = s.Login("seller@example.com", harness.Password)
		if back := at.Refunds() - before; back != 100 {
			s.t.Fatalf("cut after %d: %d went back, want 100", from, back)
		}
		if !cut {
			return
		}
	}
}

// outOfOrder is a processor that is busy or broken: what may be repeated is, the rest is told
// and done later.
func outOfOrder(s *Shop, at Remote) {
	at.Answer(2, http.StatusTooManyRequests, 0)
	_, page := s.begin(s.buyer, P{"price_id": s.single})
	s.receiveWhileDown(at, page)
	paid := s.paid()
	at.Answer(1000, http.StatusBadGateway, -1)
	for range 3 {
		got := s.seller.Do("BILLING.REFUND", P{"payment_id": paid, "amount": 100}).Fails(fault.Internal)
		if !strings.HasPrefix(got.Failure.Message, "the payment processor did not respond: try again later, request id ") {
			s.t.Errorf("a processor that is broken: %v", got.Failure)
		}
	}
	for range 4 {
		s.seller.Do("BILLING.REFUND", P{"payment_id": paid, "amount": 100}).Fails(fault.Internal)
	}
	calls := at.Calls()
	s.seller.Do("BILLING.REFUND", P{"payment_id": paid, "amount": 100}).Fails(fault.Internal)
	if at.Calls() != calls {
		s.t.Error("a processor that fails again and again is called on")
	}
	at.Answer(0, 0, 0)
	s.givenBack(at, 800)
}

// receiveWhileDown takes what a processor tells while its API is broken: a hook that is signed is
// stored at once, without asking, and applied later; for one that is not, it is asked again.
func (s *Shop) receiveWhileDown(at Remote, page string) {
	if upstream, ok := s.Upstream.(Certified); ok {
		s.tell([]Hook{upstream.Greeting()})
	}
	hooks := s.act(page, "pay")
	at.Answer(1000, http.StatusServiceUnavailable, -1)
	at.Cut(0, false)
	want := http.StatusOK
	if _, ok := s.Upstream.(Unsigned); ok {
		want = http.StatusInternalServerError
	}
	for _, hook := range hooks {
		if got := s.post(s.Name, hook); got != want {
			s.t.Errorf("told while the processor is broken: %d, want %d", got, want)
		}
	}
	if asked := at.Calls(); want == http.StatusOK && asked != 0 {
		s.t.Errorf("the processor was asked %d times before a hook was answered", asked)
	}
	s.Settle()
	at.Answer(2, http.StatusServiceUnavailable, -1)
	if want != http.StatusOK {
		s.tell(hooks)
	}
	s.Clock.Advance(2 * time.Minute)
	s.Settle()
}

package billing_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/money"
)

// object is one of the objects of a sale that take facts, in a state that was taken at noon.
type object struct {
	take   func(state string, at time.Time) (bool, error)
	state  func() string
	stored func() []event.Data
}

// machine is the states of one kind of object, and how one in a state is made.
type machine struct {
	states []string
	// rank orders the states: of two facts of one time the higher stays.
	rank map[string]int
	// final is the state that nothing leaves; "" for none.
	final string
	made  func(state string) object
	// kindOf is the event of a change to a state, by the state before; "" for none.
	kindOf func(before, after string) event.Kind
}

func euros(minor int64) money.Amount { return money.Of(minor, "EUR") }

func checkouts() machine {
	return machine{
		states: []string{"pending", "open", "expired", "failed", "completed"},
		rank:   map[string]int{"pending": 0, "open": 1, "expired": 2, "failed": 2, "completed": 3},
		final:  "completed",
		made: func(state string) object {
			c := billing.RestoreCheckout(billing.CheckoutSnapshot{
				Status: billing.CheckoutStatus(state), PriceID: "pri_1", Quantity: 1, Subtotal: euros(100), Remote: billing.Remote{ID: "remote", At: noon},
			}, 1)
			return object{func(state string, at time.Time) (bool, error) {
				fact := billing.CheckoutFact{Status: billing.CheckoutStatus(state), Quantity: 1, Subtotal: euros(100)}
				return c.Take(billing.Fact{ID: "remote", At: at, Checkout: &fact}, "pri_1")
			}, func() string { return string(c.Snapshot().Status) }, c.Stored}
		},
		kindOf: func(before, after string) event.Kind {
			if before == after {
				return ""
			}
			return map[string]event.Kind{"completed": billing.KindCheckoutCompleted, "expired": billing.KindCheckoutExpired}[after]
		},
	}
}

func subscriptions() machine {
	m := machine{states: []string{""}, rank: map[string]int{"": 0}, final: "ended"}
	for i, state := range []string{"incomplete", "trialing", "active", "past_due", "paused", "canceled", "ended"} {
		m.states, m.rank[state] = append(m.states, state), i+1
	}
	m.made = func(state string) object {
		s := billing.RestoreSubscription(billing.SubscriptionSnapshot{Status: billing.SubscriptionStatus(state), Quantity: 1, Remote: billing.Remote{ID: "remote", At: noon}}, 1)
		return object{func(state string, at time.Time) (bool, error) {
			fact := billing.SubscriptionFact{Status: billing.SubscriptionStatus(state), Quantity: 1}
			return s.Take(billing.Fact{ID: "remote", At: at, Subscription: &fact}, billing.PriceRef{})
		}, func() string { return string(s.Snapshot().Status) }, s.Stored}
	}
	m.kindOf = func(before, after string) event.Kind {
		switch before {
		case "":
			return billing.KindSubscriptionCreated
		case after:
			return ""
		}
		by := map[string]event.Kind{"past_due": billing.KindSubscriptionPastDue, "canceled": billing.KindSubscriptionCanceled, "ended": billing.KindSubscriptionEnded}
		if kind, is := by[after]; is {
			return kind
		}
		if before == "canceled" {
			return billing.KindSubscriptionResumed
		}
		return billing.KindSubscriptionUpdated
	}
	return m
}

func invoices() machine {
	return machine{
		states: []string{"", "open", "uncollectible", "paid", "void"},
		rank:   map[string]int{"open": 1, "uncollectible": 2, "paid": 3, "void": 4},
		made: func(state string) object {
			i := billing.RestoreInvoice(billing.InvoiceSnapshot{Status: billing.InvoiceStatus(state), Remote: billing.Remote{ID: "remote", At: noon}}, 1)
			return object{func(state string, at time.Time) (bool, error) {
				return i.Take(billing.Fact{ID: "remote", At: at, Invoice: &billing.InvoiceFact{Status: billing.InvoiceStatus(state), Currency: "EUR"}}, "EUR")
			}, func() string { return string(i.Snapshot().Status) }, i.Stored}
		},
		kindOf: func(before, after string) event.Kind {
			switch {
			case before == after:
				return ""
			case after == "paid":
				return billing.KindInvoicePaid
			case before != "":
				return billing.KindInvoiceUpdated
			}
			return ""
		},
	}
}

func payments() machine {
	return machine{
		states: []string{"", "pending", "failed", "succeeded"},
		rank:   map[string]int{"pending": 1, "failed": 2, "succeeded": 3},
		made: func(state string) object {
			p := billing.RestorePayment(billing.PaymentSnapshot{Status: billing.PaymentStatus(state), Remote: billing.Remote{ID: "remote", At: noon}}, 1)
			return object{func(state string, at time.Time) (bool, error) {
				return p.Take(billing.Fact{ID: "remote", At: at, Payment: &billing.PaymentFact{Status: billing.PaymentStatus(state), Amount: euros(100)}}, "EUR")
			}, func() string { return string(p.Snapshot().Status) }, p.Stored}
		},
		kindOf: func(before, after string) event.Kind {
			if after == "failed" && before != "failed" {
				return billing.KindPaymentFailed
			}
			return ""
		},
	}
}

func refunds() machine {
	return machine{
		states: []string{"", "pending", "succeeded", "failed"},
		rank:   map[string]int{"pending": 1, "succeeded": 2, "failed": 3},
		made: func(state string) object {
			r := billing.RestoreRefund(billing.RefundSnapshot{Status: billing.RefundStatus(state), Remote: billing.Remote{ID: "remote", At: noon}}, 1)
			return object{func(state string, at time.Time) (bool, error) {
				return r.Take(billing.Fact{ID: "remote", At: at, Refund: &billing.RefundFact{Status: billing.RefundStatus(state), Amount: euros(100)}}, "EUR")
			}, func() string { return string(r.Snapshot().Status) }, r.Stored}
		},
		kindOf: func(before, after string) event.Kind {
			if before == after {
				return ""
			}
			return map[string]event.Kind{"succeeded": billing.KindRefundSucceeded, "failed": billing.KindRefundFailed}[after]
		},
	}
}

// Every fact in every state, of an earlier, the same and a later time: facts may be repeated and come in any order.
func TestFactsInAnyOrder(t *testing.T) {
	t.Parallel()
	for kind, m := range map[string]machine{
		"checkout": checkouts(), "subscription": subscriptions(), "invoice": invoices(), "payment": payments(), "refund": refunds(),
	} {
		for _, before := range m.states {
			for _, after := range m.states {
				if after == "" {
					continue // no fact is without a state
				}
				for when, at := range map[string]time.Time{"earlier": noon.Add(-time.Second), "at once": noon, "later": noon.Add(time.Second)} {
					left := m.final == "" || before != m.final
					want := left && (when == "later" || when == "at once" && m.rank[after] > m.rank[before])
					checkFact(t, kind, m, before, after, when, at, want)
				}
			}
		}
	}
}

func checkFact(t *testing.T, kind string, m machine, before, after, when string, at time.Time, want bool) {
	t.Helper()
	o := m.made(before)
	got, err := o.take(after, at)
	if err != nil || got != want {
		t.Errorf("a %s that is %q and %s %q: got %v, %v, want %v", kind, before, when, after, got, err, want)
	}
	state, events := before, []event.Kind(nil)
	if want {
		state = after
		if kind := m.kindOf(before, after); kind != "" {
			events = []event.Kind{kind}
		}
	}
	if got := o.state(); got != state {
		t.Errorf("a %s that is %q and %s %q: got %q, want %q", kind, before, when, after, got, state)
	}
	if got := kinds(t, o.stored()); !slices.Equal(got, events) {
		t.Errorf("a %s that is %q and %s %q: got events %v, want %v", kind, before, when, after, got, events)
	}
}

// kinds returns the kinds of events, each of which is in the catalog.
func kinds(t *testing.T, raised []event.Data) []event.Kind {
	t.Helper()
	var list []event.Kind
	for _, data := range raised {
		list = append(list, data.Kind())
		if !slices.ContainsFunc(billing.Events(), func(d event.Definition) bool { return d.Example.Kind() == data.Kind() }) {
			t.Errorf("got an event %s, want one of the catalog", data.Kind())
		}
	}
	return list
}

// Every dispute after every other, of one time and of a later one, with the event that tells of it.
func TestDisputes(t *testing.T) {
	t.Parallel()
	all := []billing.Dispute{"", billing.DisputeOpen, billing.DisputeWon, billing.DisputeLost}
	for had, before := range all {
		for has, after := range all {
			for later, at := range map[bool]time.Time{false: noon, true: noon.Add(time.Second)} {
				p := billing.RestorePayment(billing.PaymentSnapshot{Status: billing.PaymentSucceeded, Amount: euros(100), Dispute: before, Remote: billing.Remote{ID: "remote", At: noon}}, 1)
				fact := billing.PaymentFact{Status: billing.PaymentSucceeded, Amount: euros(100), Dispute: after}
				want := later || has > had
				if got, err := p.Take(billing.Fact{ID: "remote", At: at, Payment: &fact}, "EUR"); err != nil || got != want {
					t.Errorf("the dispute %q after %q, later %v: got %v, %v, want %v", after, before, later, got, err, want)
				}
				var events []event.Kind
				if want && after != before {
					events = []event.Kind{billing.KindPaymentDisputed}
				}
				if got := kinds(t, p.Stored()); !slices.Equal(got, events) {
					t.Errorf("the dispute %q after %q, later %v: got events %v, want %v", after, before, later, got, events)
				}
			}
		}
	}
}

// Amounts that cannot be true are refused, and change nothing.
func TestImpossibleAmountsAreRefused(t *testing.T) {
	t.Parallel()
	invoice := func(f billing.InvoiceFact) error {
		f.Status = billing.InvoicePaid
		_, err := billing.Bill("bin_1", billing.Sale{}, noon).Take(billing.Fact{ID: "remote", At: noon, Invoice: &f}, "EUR")
		return err
	}
	payment := func(amount, due money.Amount) error {
		_, err := billing.Pay("pay_1", billing.Sale{}, noon).Take(billing.Fact{ID: "remote", At: noon, Payment: &billing.PaymentFact{Status: billing.PaymentSucceeded, Amount: amount, Due: due}}, "EUR")
		return err
	}
	refund := func(amount money.Amount) error {
		_, err := billing.Given("rfd_1", billing.Sale{}, noon).Take(billing.Fact{ID: "remote", At: noon, Refund: &billing.RefundFact{Status: billing.RefundSucceeded, Amount: amount}}, "EUR")
		return err
	}
	for name, c := range map[string]struct{ got, want error }{
		"an invoice that adds up":           {invoice(billing.InvoiceFact{Currency: "EUR", Subtotal: 100, Discount: 20, Tax: 15, Total: 95}), nil},
		"an invoice of another currency":    {invoice(billing.InvoiceFact{Currency: "USD", Subtotal: 100, Total: 100}), billing.ErrLie},
		"an invoice that does not add up":   {invoice(billing.InvoiceFact{Currency: "EUR", Subtotal: 100, Total: 99}), billing.ErrLie},
		"an invoice with a tax below zero":  {invoice(billing.InvoiceFact{Currency: "EUR", Subtotal: 100, Tax: -1, Total: 99}), billing.ErrLie},
		"an invoice with a discount below":  {invoice(billing.InvoiceFact{Currency: "EUR", Subtotal: 100, Discount: -1, Total: 101}), billing.ErrLie},
		"an invoice with a total below":     {invoice(billing.InvoiceFact{Currency: "EUR", Subtotal: 100, Discount: 101, Total: -1}), billing.ErrLie},
		"an invoice with a subtotal below":  {invoice(billing.InvoiceFact{Currency: "EUR", Subtotal: -1, Total: -1}), billing.ErrLie},
		"an invoice beyond what is exact":   {invoice(billing.InvoiceFact{Currency: "EUR", Subtotal: money.Most + 1, Total: money.Most + 1}), billing.ErrLie},
		"a payment":                         {payment(euros(100), euros(100)), nil},
		"a payment of more than was due":    {payment(euros(101), euros(100)), nil},
		"a payment without what was due":    {payment(euros(100), money.Amount{}), nil},
		"a payment of less than was due":    {payment(euros(99), euros(100)), billing.ErrLie},
		"a payment of another currency":     {payment(money.Of(100, "USD"), money.Of(100, "USD")), billing.ErrLie},
		"a payment below zero":              {payment(euros(-1), money.Amount{}), billing.ErrLie},
		"a payment beyond what is exact":    {payment(euros(money.Most+1), money.Amount{}), billing.ErrLie},
		"a refund":                          {refund(euros(100)), nil},
		"a refund of another currency":      {refund(money.Of(100, "USD")), billing.ErrLie},
		"a refund below zero":               {refund(euros(-1)), billing.ErrLie},
		"a refund of more than can be told": {refund(euros(money.Most + 1)), billing.ErrLie},
	} {
		if !errors.Is(c.got, c.want) {
			t.Errorf("%s: got %v, want %v", name, c.got, c.want)
		}
	}
}

// A fact is of the object that it names; a canceled subscription alone may go on as another.
func TestFactsOfOthers(t *testing.T) {
	t.Parallel()
	open := billing.CheckoutFact{Status: billing.CheckoutOpen}
	for id, want := range map[string]error{"": nil, "remote": nil, "other": billing.ErrLie} {
		c := billing.RestoreCheckout(billing.CheckoutSnapshot{Status: billing.CheckoutPending, Remote: billing.Remote{ID: id}}, 1)
		if _, err := c.Take(billing.Fact{ID: "remote", At: noon, Checkout: &open}, ""); !errors.Is(err, want) {
			t.Errorf("a fact of remote about a checkout of %q: got %v, want %v", id, err, want)
		}
	}
	for _, status := range billing.SubscriptionStatuses() {
		s := billing.RestoreSubscription(billing.SubscriptionSnapshot{Status: status, Remote: billing.Remote{ID: "remote", At: noon}}, 1)
		want := billing.ErrLie
		if status == billing.Canceled || status == billing.Ended {
			want = nil
		}
		taken, err := s.Take(billing.Fact{ID: "other", At: noon.Add(1), Subscription: &billing.SubscriptionFact{Status: billing.Active}}, billing.PriceRef{})
		if (want == nil) != (err == nil) || err != nil && !errors.Is(err, want) {
			t.Errorf("a fact of another subscription while it is %s: got %v, want %v", status, err, want)
		}
		if got, want := taken, status == billing.Canceled; got != want {
			t.Errorf("a fact of another subscription while it is %s: taken is %v, want %v", status, got, want)
		}
	}
}

package mollie_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/adapters/payment"
	"gatehouse.internal/adapters/payment/mollie"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/money"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/ports/outbound/commerce"
	fakemollie "gatehouse.internal/test/fake/upstream/mollie"
)

// clock is moved by the test.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }

// shop sells by a Mollie of its own, beginning with the last day of a long month.
type shop struct {
	*mollie.Mollie

	t      *testing.T
	server *fakemollie.Server
	clock  *clock
}

const host = "https://auth.example.com"

func open(t *testing.T) *shop {
	t.Helper()
	s := &shop{t: t, server: fakemollie.Start(t), clock: &clock{now: time.Date(2026, time.January, 31, 22, 30, 0, 0, time.UTC)}}
	s.server.Now = s.clock.Now
	o := payment.Options{Processor: mollie.Name, Mode: billing.Test, Host: host, Clock: s.clock}
	for _, one := range s.server.Environment() {
		switch name, value, _ := strings.Cut(one, "="); name {
		case "MOLLIE_BASE_URL":
			o.BaseURL = value
		case "MOLLIE_SECRET_KEY":
			o.SecretKey = secret.New(value)
		}
	}
	s.Mollie = mollie.New(o)
	return s
}

// order is a sale of a price.
func order(checkout billing.CheckoutID, price billing.PriceSnapshot, quantity int64, trial int) commerce.CheckoutOrder {
	subtotal, _ := price.Upfront(quantity)
	return commerce.CheckoutOrder{
		Checkout: billing.CheckoutSnapshot{
			Sale: billing.Sale{CheckoutID: checkout, CustomerID: "cus_1"}, Quantity: quantity, Subtotal: subtotal, TrialDays: trial,
			SuccessURL: "https://app.example.com/done", CancelURL: "https://app.example.com/",
		},
		Price: price, Product: "Table", PriceID: "pri_1", Name: "Ada", Email: "ada@example.com",
	}
}

func monthly() billing.PriceSnapshot {
	return billing.PriceSnapshot{Unit: money.Of(500, "EUR"), Interval: billing.Month, Model: billing.PerSeat}
}

// bought makes a page, lets somebody pay there, and completes the sale.
func (s *shop) bought(of commerce.CheckoutOrder) (page string) {
	s.t.Helper()
	made, err := s.CreateCheckout(s.t.Context(), of, "int_"+of.Checkout.CheckoutID.String())
	if err != nil {
		s.t.Fatal(err)
	}
	of.Checkout.Remote.ID = made.ID
	s.server.Act(made.Checkout.URL, "pay")
	if _, err := s.Complete(s.t.Context(), of, of.Checkout.CheckoutID.String()); err != nil {
		s.t.Fatal(err)
	}
	return made.Checkout.URL
}

// subscription is the subscription of a sale as it is now.
func (s *shop) subscription(page string) billing.Fact {
	s.t.Helper()
	facts, err := s.Fetch(s.t.Context(), page[strings.LastIndex(page, "/")+1:])
	if err != nil || len(facts) < 2 || facts[1].Subscription == nil {
		s.t.Fatalf("the sale is %+v, %v", facts, err)
	}
	return facts[1]
}

func (s *shop) expect(when, page string, want billing.SubscriptionStatus, start, end string) {
	s.t.Helper()
	got := s.subscription(page).Subscription
	if got.Status != want || got.PeriodStart.Format(time.DateTime) != start || got.PeriodEnd.Format(time.DateTime) != end {
		s.t.Errorf("%s: %s from %v to %v, want %s from %s to %s", when, got.Status, got.PeriodStart, got.PeriodEnd, want, start, end)
	}
}

// A subscription is what its charges make it: periods end when the next one is charged, at the
// time of the day at which all began.
func TestStatesOfSubscriptions(t *testing.T) {
	t.Parallel()
	s := open(t)
	page := s.bought(order("chk_1", monthly(), 2, 0))
	s.expect("at first", page, billing.Active, "2026-01-31 22:30:00", "2026-02-28 22:30:00")
	s.clock.now = s.clock.now.AddDate(0, 0, 29)
	s.server.Act(page, "fail-renewal")
	s.expect("after a charge that failed", page, billing.PastDue, "2026-03-01 22:30:00", "2026-03-28 22:30:00")
	s.server.Act(page, "pay-due")
	s.expect("charged by hand", page, billing.Active, "2026-03-01 22:30:00", "2026-03-28 22:30:00")
	s.server.Act(page, "suspend")
	s.expect("without a mandate", page, billing.Active, "2026-03-01 22:30:00", "2026-03-28 22:30:00")
	s.clock.now = s.clock.now.AddDate(0, 0, 28)
	s.expect("without a mandate, later", page, billing.PastDue, "2026-03-28 22:30:00", "2026-04-28 22:30:00")
	tried := s.bought(order("chk_2", monthly(), 1, 10))
	s.expect("in the trial", tried, billing.Trialing, "2026-03-29 22:30:00", "2026-04-08 22:30:00")
	if got := s.subscription(tried).Subscription.TrialEnd; got.Format(time.DateOnly) != "2026-04-08" {
		t.Errorf("the trial ends at %v", got)
	}
	s.server.Act(tried, "end")
	s.expect("canceled in the trial", tried, billing.Canceled, "2026-03-29 22:30:00", "2026-04-08 22:30:00")
	s.clock.now = s.clock.now.AddDate(0, 0, 10)
	s.expect("after a trial that was canceled", tried, billing.Ended, "2026-03-29 22:30:00", "2026-04-08 22:30:00")
}

// Who cancels keeps what was paid, and may resume until then; after a charge that failed
// nothing is left.
func TestCancelAndResume(t *testing.T) {
	t.Parallel()
	s := open(t)
	page := s.bought(order("chk_1", monthly(), 1, 0))
	id := s.subscription(page).ID
	for range 2 {
		fact, err := s.CancelSubscription(t.Context(), id, true, "int_2")
		if err != nil || fact.Subscription.Status != billing.Canceled || fact.Subscription.PeriodEnd.Format(time.DateOnly) != "2026-02-28" {
			t.Errorf("canceled: %+v, %v", fact.Subscription, err)
		}
	}
	s.clock.now = s.clock.now.AddDate(0, 0, 28)
	resumed, err := s.ResumeSubscription(t.Context(), id, "int_3")
	if err != nil || resumed.Subscription.Status != billing.Active {
		t.Fatalf("resumed: %+v, %v", resumed.Subscription, err)
	}
	again, err := s.ResumeSubscription(t.Context(), id, "int_4")
	if err != nil || again.ID != resumed.ID || resumed.ID == id {
		t.Errorf("%s is resumed as %s, and as %s, %v", id, resumed.ID, again.ID, err)
	}
	s.expect("resumed", page, billing.Active, "2026-01-31 22:30:00", "2026-03-01 22:30:00")
	s.server.Act(page, "renew")
	s.expect("renewed", page, billing.Active, "2026-03-01 00:00:00", "2026-04-01 22:30:00")
	s.clock.now = s.clock.now.AddDate(0, 2, 0)
	s.server.Act(page, "fail-renewal")
	s.server.Act(page, "end")
	if got := s.subscription(page).Subscription; got.Status != billing.Ended || got.EndedAt.Before(got.PeriodEnd) {
		t.Errorf("canceled after a charge that failed: %+v", got)
	}
	other := s.bought(order("chk_2", monthly(), 1, 0))
	ended, err := s.CancelSubscription(t.Context(), s.subscription(other).ID, false, "int_5")
	if err != nil || ended.Subscription.Status != billing.Ended || !ended.Subscription.EndedAt.Equal(s.clock.now) {
		t.Errorf("ended: %+v, %v", ended.Subscription, err)
	}
}

// A subscription is made once, whatever became of the answer; none before a payment, or for one
// that is another than was agreed.
func TestCompletesOnce(t *testing.T) {
	t.Parallel()
	s := open(t)
	of := order("chk_1", monthly(), 3, 0)
	made, err := s.CreateCheckout(t.Context(), of, "int_1")
	if err != nil {
		t.Fatal(err)
	}
	of.Checkout.Remote.ID = made.ID
	facts, err := s.Complete(t.Context(), of, "chk_1")
	if err != nil || len(facts) != 1 || facts[0].Checkout.Agreed || facts[0].Checkout.Status != billing.CheckoutOpen {
		t.Errorf("before the payment: %+v, %v", facts, err)
	}
	s.server.Act(made.Checkout.URL, "pay")
	facts, err = s.Fetch(t.Context(), made.ID)
	if err != nil || !facts[0].Checkout.Agreed || facts[0].Checkout.Status != billing.CheckoutOpen {
		t.Errorf("after the payment: %+v, %v", facts, err)
	}
	seen := map[string]bool{}
	for range 3 {
		s.server.Forget()
		if facts, err = s.Complete(t.Context(), of, "chk_1"); err != nil || facts[0].Checkout.Status != billing.CheckoutCompleted {
			t.Fatalf("completed: %+v, %v", facts, err)
		}
		seen[facts[1].ID] = true
	}
	if len(seen) != 1 {
		t.Errorf("the subscriptions are %v", seen)
	}
}

// A change is charged from the next period on.
func TestChanges(t *testing.T) {
	t.Parallel()
	s := open(t)
	page := s.bought(order("chk_1", monthly(), 1, 0))
	of := billing.SubscriptionSnapshot{Remote: billing.Remote{ID: s.subscription(page).ID}}
	yearly := billing.PriceSnapshot{Unit: money.Of(9000, "EUR"), Interval: billing.Year, Model: billing.PerSeat}
	change := commerce.SubscriptionChange{Subscription: of, Price: yearly, PriceID: "pri_2", Quantity: 2, Proration: billing.ProrateNone}
	facts, err := s.UpdateSubscription(t.Context(), change, "int_2")
	if err != nil || facts[0].Subscription.PriceID != "pri_2" || facts[0].Subscription.Quantity != 2 || facts[0].Subscription.PeriodEnd.Format(time.DateOnly) != "2026-02-28" {
		t.Fatalf("changed: %+v, %v", facts, err)
	}
	s.clock.now = s.clock.now.AddDate(0, 1, 0)
	s.server.Act(page, "renew")
	if got := s.subscription(page).Subscription; got.PeriodEnd.Format(time.DateOnly) != "2027-02-28" {
		t.Errorf("the year is %+v", got)
	}
	all, err := s.Fetch(t.Context(), page[strings.LastIndex(page, "/")+1:])
	if err != nil || len(all) != 6 || all[2].Invoice == nil || all[2].Invoice.Total != 18000 || all[2].Invoice.PeriodEnd.Format(time.DateOnly) != "2027-03-03" || all[3].Payment.InvoiceID != all[2].ID {
		t.Errorf("the year is %+v, %v", all, err)
	}
	s.server.Act(page, "end")
	if _, err := s.UpdateSubscription(t.Context(), change, "int_3"); !errors.Is(err, billing.ErrRefused) {
		t.Errorf("a change of what is canceled: %v", err)
	}
}

// Currencies without a minor unit are charged whole, and those that Mollie has not are refused.
func TestCurrencies(t *testing.T) {
	t.Parallel()
	s := open(t)
	for currency, want := range map[money.Currency]int64{"JPY": 1250, "ISK": 1250, "HUF": 1250, "EUR": 1250} {
		once := billing.PriceSnapshot{Unit: money.Of(want, currency), Interval: billing.Once, Model: billing.Flat}
		made, err := s.CreateCheckout(t.Context(), order("chk_"+billing.CheckoutID(currency), once, 1, 0), "int_"+string(currency))
		if err != nil || made.Checkout.Subtotal != money.Of(want, currency) {
			t.Fatalf("%s: %+v, %v", currency, made.Checkout, err)
		}
		s.server.Act(made.Checkout.URL, "pay")
		back := billing.RefundSnapshot{Sale: billing.Sale{CheckoutID: "chk"}, ID: "rfd_" + billing.RefundID(currency), Payment: made.ID, Amount: money.Of(want-1, currency)}
		fact, err := s.Refund(t.Context(), back, "int_r"+string(currency))
		if err != nil || fact.Refund.Amount != back.Amount || fact.Refund.RefundID != back.ID || fact.Refund.Status != billing.RefundPending {
			t.Errorf("%s goes back: %+v, %v", currency, fact.Refund, err)
		}
	}
	dinar := billing.PriceSnapshot{Unit: money.Of(1250, "KWD"), Interval: billing.Once, Model: billing.Flat}
	if _, err := s.CreateCheckout(t.Context(), order("chk_1", dinar, 1, 0), "int_1"); !errors.Is(err, billing.ErrRefused) {
		t.Errorf("a currency that Mollie has not: %v", err)
	}
}

// Two refunds that are alike are not one: the second waits until Mollie takes it.
func TestRefundsThatAreAlike(t *testing.T) {
	t.Parallel()
	s := open(t)
	once := billing.PriceSnapshot{Unit: money.Of(900, "EUR"), Interval: billing.Once, Model: billing.Flat}
	made, err := s.CreateCheckout(t.Context(), order("chk_1", once, 1, 0), "int_1")
	if err != nil {
		t.Fatal(err)
	}
	s.server.Act(made.Checkout.URL, "pay")
	for n, want := range []error{nil, billing.ErrWaiting} {
		back := billing.RefundSnapshot{ID: billing.RefundID(fmt.Sprint("rfd_", n)), Payment: made.ID, Amount: money.Of(300, "EUR")}
		if _, err := s.Refund(t.Context(), back, fmt.Sprint("int_", n)); !errors.Is(err, want) {
			t.Errorf("refund %d: %v, want %v", n, err, want)
		}
	}
	s.clock.now = s.clock.now.Add(time.Hour)
	if _, err := s.Refund(t.Context(), billing.RefundSnapshot{ID: "rfd_1", Payment: made.ID, Amount: money.Of(300, "EUR")}, "int_1"); err != nil {
		t.Errorf("later: %v", err)
	}
	if _, err := s.Refund(t.Context(), billing.RefundSnapshot{ID: "rfd_2", Payment: made.ID, Amount: money.Of(301, "EUR")}, "int_9"); !errors.Is(err, billing.ErrRefused) {
		t.Errorf("more than is left: %v", err)
	}
	if got := s.server.Refunds(); got != 600 {
		t.Errorf("%d went back, want 600", got)
	}
}

// One state has one name, whoever tells of it and when, and another state has another.
func TestOneStateIsOneEvent(t *testing.T) {
	t.Parallel()
	s := open(t)
	page := s.bought(order("chk_1", monthly(), 1, 0))
	s.server.Act(page, "renew")
	names := map[string]int{}
	read := func() {
		s.clock.now = s.clock.now.Add(time.Second)
		body := fakemollie.Hook(page[strings.LastIndex(page, "/")+1:])
		received, err := s.Read(t.Context(), nil, body, s.clock.now)
		if err != nil || len(received) != 1 || received[0].Type != "payment.paid" || !received[0].Facts[0].At.Equal(s.clock.now) {
			t.Fatalf("told is %+v, %v", received, err)
		}
		names[received[0].EventID]++
	}
	read()
	read()
	s.server.Act(page, "dispute")
	read()
	s.server.Act(page, "win")
	read()
	if len(names) != 3 {
		t.Errorf("three states are %v", names)
	}
}

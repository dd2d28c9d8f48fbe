package paypal_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"gatehouse.internal/adapters/payment"
	"gatehouse.internal/adapters/payment/paypal"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/money"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/ports/outbound/commerce"
	fakepaypal "gatehouse.internal/test/fake/upstream/paypal"
)

// clock is moved by the test.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }

// shop sells by a PayPal of its own.
type shop struct {
	*paypal.PayPal

	t      *testing.T
	server *fakepaypal.Server
	clock  *clock
}

func open(t *testing.T) *shop {
	t.Helper()
	s := &shop{t: t, server: fakepaypal.Start(t), clock: &clock{now: time.Date(2026, time.January, 31, 22, 30, 0, 0, time.UTC)}}
	s.server.Now = s.clock.Now
	o := payment.Options{Processor: paypal.Name, Mode: billing.Test, Clock: s.clock}
	for _, one := range s.server.Environment() {
		switch name, value, _ := strings.Cut(one, "="); name {
		case "PAYPAL_BASE_URL":
			o.BaseURL = value
		case "PAYPAL_SECRET_KEY":
			o.SecretKey = secret.New(value)
		case "PAYPAL_WEBHOOK_SECRET":
			o.WebhookSecret = secret.New(value)
		}
	}
	s.PayPal = paypal.New(o)
	return s
}

// begin makes a page for a price.
func (s *shop) begin(price billing.PriceSnapshot, quantity int64, trial int) billing.Fact {
	s.t.Helper()
	subtotal, err := price.Upfront(quantity)
	if err != nil {
		s.t.Fatal(err)
	}
	id, err := s.EnsurePrice(s.t.Context(), commerce.PriceOrder{Price: price, Product: "Table"}, "pri_1")
	if err != nil {
		s.t.Fatal(err)
	}
	made, err := s.CreateCheckout(s.t.Context(), commerce.CheckoutOrder{
		Checkout: billing.CheckoutSnapshot{
			Sale: billing.Sale{CheckoutID: "chk_1"}, Quantity: quantity, Subtotal: subtotal, TrialDays: trial, SuccessURL: "https://app.example.com/done", CreatedAt: s.clock.now,
		},
		Price: price, Product: strings.Repeat("Ä", 200), PriceID: id, Email: "ada@example.com",
	}, "int_1")
	if err != nil || made.Checkout.Status != billing.CheckoutOpen || made.Checkout.PriceID != id || made.Checkout.Quantity != quantity {
		s.t.Fatalf("the checkout is %+v, %v", made.Checkout, err)
	}
	return made
}

func monthly() billing.PriceSnapshot {
	return billing.PriceSnapshot{ProductID: "prd_1", Unit: money.Of(500, "EUR"), Interval: billing.Month, Model: billing.PerSeat}
}

// subscribed is the subscription of a sale as it is now.
func (s *shop) subscribed(id string) *billing.SubscriptionFact {
	s.t.Helper()
	facts, err := s.Fetch(s.t.Context(), id)
	if err != nil || len(facts) < 2 || facts[1].Subscription == nil {
		s.t.Fatalf("the sale is %+v, %v", facts, err)
	}
	return facts[1].Subscription
}

// A subscription that ends with its period is suspended until then, can be resumed, and is
// canceled at PayPal once it is over; one that its buyer cancels there cannot.
func TestCancelAndResume(t *testing.T) {
	t.Parallel()
	s := open(t)
	made := s.begin(monthly(), 3, 0)
	s.server.Act(made.Checkout.URL, "pay")
	for range 2 {
		fact, err := s.CancelSubscription(t.Context(), made.ID, true, "")
		if err != nil || fact.Subscription.Status != billing.Canceled || fact.Subscription.PeriodEnd.Format(time.DateOnly) != "2026-02-28" {
			t.Fatalf("canceled: %+v, %v", fact.Subscription, err)
		}
	}
	for range 2 {
		fact, err := s.ResumeSubscription(t.Context(), made.ID, "")
		if err != nil || fact.Subscription.Status != billing.Active || fact.Subscription.Quantity != 3 {
			t.Fatalf("resumed: %+v, %v", fact.Subscription, err)
		}
	}
	s.server.Act(made.Checkout.URL, "pause")
	if got := s.subscribed(made.ID); got.Status != billing.Paused {
		t.Errorf("suspended by the seller: %+v", got)
	}
	if _, err := s.ResumeSubscription(t.Context(), made.ID, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := s.CancelSubscription(t.Context(), made.ID, true, ""); err != nil {
		t.Fatal(err)
	}
	s.clock.now = s.clock.now.AddDate(0, 0, 29)
	if got := s.subscribed(made.ID); got.Status != billing.Ended {
		t.Errorf("after its period: %+v", got)
	}
	if _, err := s.ResumeSubscription(t.Context(), made.ID, ""); !errors.Is(err, billing.ErrRefused) {
		t.Errorf("what is canceled at PayPal is resumed: %v", err)
	}
}

// A trial is a subscription that starts later: nothing is charged before. An approval alone
// gives nothing, and is completed.
func TestTrialsAndApprovals(t *testing.T) {
	t.Parallel()
	s := open(t)
	made := s.begin(monthly(), 2, 14)
	s.server.Act(made.Checkout.URL, "approve")
	facts, err := s.Fetch(t.Context(), made.ID)
	if err != nil || len(facts) != 1 || !facts[0].Checkout.Agreed || facts[0].Checkout.Subtotal != money.Of(1000, "EUR") {
		t.Fatalf("approved: %+v, %v", facts, err)
	}
	for range 2 {
		of := commerce.CheckoutOrder{Checkout: billing.CheckoutSnapshot{Remote: billing.Remote{ID: made.ID}}}
		facts, err = s.Complete(t.Context(), of, "int_2")
		if err != nil || len(facts) != 2 || facts[0].Checkout.Status != billing.CheckoutCompleted || facts[1].Subscription.Status != billing.Trialing {
			t.Fatalf("completed: %+v, %v", facts, err)
		}
	}
	if got := s.subscribed(made.ID); got.TrialEnd.Format(time.DateOnly) != "2026-02-14" || !got.PeriodEnd.Equal(got.TrialEnd) {
		t.Errorf("in the trial: %+v", got)
	}
}

// A plan is made once for a price, whatever became of the answer; PayPal is asked for another
// token where it no longer takes the one before.
func TestPlansAreMadeOnce(t *testing.T) {
	t.Parallel()
	s := open(t)
	of := commerce.PriceOrder{Price: monthly(), Product: "Table"}
	seen := map[string]bool{}
	for range 3 {
		id, err := s.EnsurePrice(t.Context(), of, "pri_1")
		if err != nil {
			t.Fatal(err)
		}
		seen[id] = true
		s.server.Forget()
	}
	if len(seen) != 1 {
		t.Errorf("the plans are %v", seen)
	}
	s.server.Revoke()
	if _, err := s.EnsurePrice(t.Context(), of, "pri_2"); err == nil || errors.Is(err, billing.ErrRefused) {
		t.Errorf("with a token that is not taken: %v", err)
	}
	if _, err := s.EnsurePrice(t.Context(), of, "pri_2"); err != nil {
		t.Errorf("with another token: %v", err)
	}
}

// Amounts are written as PayPal takes them, or refused before it is asked.
func TestCurrencies(t *testing.T) {
	t.Parallel()
	s := open(t)
	for _, one := range []struct {
		sum  money.Amount
		good bool
	}{
		{money.Of(1250, "EUR"), true}, {money.Of(1250, "JPY"), true}, {money.Of(125000, "HUF"), true}, {money.Of(125050, "HUF"), false}, {money.Of(1250, "KWD"), false},
	} {
		made, err := s.CreateCheckout(t.Context(), commerce.CheckoutOrder{
			Checkout: billing.CheckoutSnapshot{Sale: billing.Sale{CheckoutID: "chk_1"}, Quantity: 1, Subtotal: one.sum, SuccessURL: "https://app.example.com/done"},
			Price:    billing.PriceSnapshot{Interval: billing.Once}, PriceID: "pri_1",
		}, "int_"+one.sum.String())
		if (err == nil) != one.good || (err != nil && !errors.Is(err, billing.ErrRefused)) || (one.good && made.Checkout.Subtotal != one.sum) {
			t.Errorf("%s: %+v, %v", one.sum, made.Checkout, err)
		}
	}
}

// A hook is right for one body, webhook, time and certificate, which comes from PayPal's host
// and is for this.
func TestSignaturesOfHooks(t *testing.T) {
	t.Parallel()
	s := open(t)
	body := []byte(`{"id":"WH-1","event_type":"CUSTOMER.PAYOUT","resource":{}}`)
	for name, c := range map[string]struct {
		change func(by *fakepaypal.Signing)
		body   []byte
		right  bool
	}{
		"right":                  {func(*fakepaypal.Signing) {}, body, true},
		"by the other name":      {func(by *fakepaypal.Signing) { by.Address = strings.Replace(by.Address, "//api.", "//api-m.", 1) }, body, true},
		"almost old":             {func(by *fakepaypal.Signing) { by.At = by.At.Add(-billing.SignatureAge) }, body, true},
		"old":                    {func(by *fakepaypal.Signing) { by.At = by.At.Add(-billing.SignatureAge - time.Second) }, body, false},
		"of the future":          {func(by *fakepaypal.Signing) { by.At = by.At.Add(billing.SignatureAge + time.Second) }, body, false},
		"for another webhook":    {func(by *fakepaypal.Signing) { by.Webhook = "8XL" }, body, false},
		"no event":               {func(*fakepaypal.Signing) {}, []byte("[]"), false},
		"of another certificate": {func(by *fakepaypal.Signing) { by.Certificate = "CERT-2" }, body, false},
		"certified for another": {func(by *fakepaypal.Signing) {
			by.Certificate, by.Address = "CERT-2", strings.Replace(by.Address, "CERT-1", "CERT-2", 1)
		}, body, false},
		"a certificate of nobody": {func(by *fakepaypal.Signing) { by.Address += "0" }, body, false},
		"from another host": {func(by *fakepaypal.Signing) {
			by.Address = strings.Replace(by.Address, ".paypal.com", ".paypal.com.example", 1)
		}, body, false},
		"from the other mode":      {func(by *fakepaypal.Signing) { by.Address = strings.Replace(by.Address, ".sandbox", "", 1) }, body, false},
		"from another port":        {func(by *fakepaypal.Signing) { by.Address = strings.Replace(by.Address, ".com/", ".com:8443/", 1) }, body, false},
		"not over TLS":             {func(by *fakepaypal.Signing) { by.Address = strings.Replace(by.Address, "https", "http", 1) }, body, false},
		"from another place there": {func(by *fakepaypal.Signing) { by.Address = strings.Replace(by.Address, "certs/", "certs/../", 1) }, body, false},
		"with a question":          {func(by *fakepaypal.Signing) { by.Address += "?a=b" }, body, false},
		"as somebody":              {func(by *fakepaypal.Signing) { by.Address = strings.Replace(by.Address, "//", "//a@", 1) }, body, false},
	} {
		by := fakepaypal.Usual(s.clock.now)
		c.change(&by)
		received, err := s.Read(t.Context(), by.Sign(c.body), c.body, s.clock.now)
		if c.right != (err == nil) || (err != nil && !errors.Is(err, billing.ErrSignature)) || (c.right && (len(received) != 1 || received[0].EventID != "WH-1" || received[0].Facts != nil)) {
			t.Errorf("%s: %+v, %v", name, received, err)
		}
	}
	header := fakepaypal.Usual(s.clock.now).Sign(body)
	header.Set(paypal.AlgorithmHeader, "SHA1withRSA")
	for name, with := range map[string]http.Header{"another algorithm": header, "nothing": {}} {
		if _, err := s.Read(t.Context(), with, body, s.clock.now); !errors.Is(err, billing.ErrSignature) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Refunds of a subscription, which PayPal tells of and does not list, are known by their hook,
// and are asked for no more once their key may be forgotten.
func TestRefundsOfSubscriptions(t *testing.T) {
	t.Parallel()
	s := open(t)
	made := s.begin(monthly(), 2, 0)
	s.server.Act(made.Checkout.URL, "pay")
	facts, err := s.Fetch(t.Context(), made.ID)
	if err != nil || len(facts) != 4 || facts[3].Payment.Status != billing.PaymentSucceeded {
		t.Fatalf("the sale is %+v, %v", facts, err)
	}
	of := billing.RefundSnapshot{
		Sale: billing.Sale{CheckoutID: "chk_1"}, ID: "rfd_1", Payment: facts[3].ID, Amount: money.Of(300, "EUR"), CreatedAt: s.clock.now,
	}
	s.server.Hooks()
	var given billing.Fact
	for range 2 {
		if given, err = s.Refund(t.Context(), of, "int_3"); err != nil || given.Refund.Status != billing.RefundSucceeded || given.Refund.RefundID != of.ID {
			t.Fatalf("refunded: %+v, %v", given.Refund, err)
		}
	}
	if s.server.Refunds() != 300 {
		t.Errorf("%d went back", s.server.Refunds())
	}
	bodies := s.server.Hooks()
	if len(bodies) != 1 {
		t.Fatalf("%d events are told", len(bodies))
	}
	received, err := s.Read(t.Context(), fakepaypal.Usual(s.clock.now).Sign(bodies[0]), bodies[0], s.clock.now)
	if err != nil || len(received) != 1 || len(received[0].Facts) != 1 || received[0].Facts[0].Named == nil {
		t.Fatalf("told: %+v, %v", received, err)
	}
	seen, err := s.Look(t.Context(), received[0].Facts[0].ID, *received[0].Facts[0].Named)
	if err != nil || len(seen) == 0 {
		t.Fatalf("seen: %+v, %v", seen, err)
	}
	last := seen[len(seen)-1]
	if last.ID != given.ID || last.Refund.PaymentID != of.Payment || last.Refund.RefundID != of.ID || last.Refund.Amount != of.Amount {
		t.Errorf("told: %+v of %s", last.Refund, last.ID)
	}
	s.clock.now = of.CreatedAt.AddDate(0, 0, 45)
	if _, err := s.Refund(t.Context(), of, "int_3"); !errors.Is(err, billing.ErrWaiting) {
		t.Errorf("after the key may be forgotten: %v", err)
	}
}

// A certificate that names PayPal counts by its chain: one of its maker's own is taken from the
// stand-in of a development instance alone.
func TestOwnRoots(t *testing.T) {
	t.Parallel()
	s := open(t)
	answer, err := http.Get(s.server.HTTP.URL + "/v1/notifications/certs/CERT-1")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	chain, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := paypal.Trusted(chain, true, s.clock.now); err != nil {
		t.Errorf("the chain of the stand-in: %v", err)
	}
	if _, err := paypal.Trusted(chain, false, s.clock.now); !errors.Is(err, billing.ErrSignature) {
		t.Errorf("the same in earnest: %v, want %v", err, billing.ErrSignature)
	}
}

// PayPal is asked for a certificate once, however many hooks wait for it, and seldom for those
// that forged hooks name; meanwhile hooks by a certificate that is known are taken.
func TestForgedHooksAskForFewCertificates(t *testing.T) {
	t.Parallel()
	s := open(t)
	body := []byte(`{"id":"WH-1","event_type":"CUSTOMER.PAYOUT","resource":{}}`)
	read := func(by fakepaypal.Signing) error {
		_, err := s.Read(t.Context(), by.Sign(body), body, s.clock.now)
		return err
	}
	var waiting sync.WaitGroup
	for range 20 {
		waiting.Go(func() {
			if err := read(fakepaypal.Usual(s.clock.now)); err != nil {
				t.Error(err)
			}
		})
	}
	waiting.Wait()
	if n := s.server.Calls(); n != 1 {
		t.Errorf("20 hooks ask for their certificate %d times", n)
	}
	for minute := 1; minute <= 2; minute++ {
		for n := range 50 {
			forged := fakepaypal.Usual(s.clock.now)
			forged.Address += fmt.Sprint("0", n)
			if err := read(forged); !errors.Is(err, billing.ErrSignature) {
				t.Errorf("a certificate of nobody: %v", err)
			}
		}
		if n := s.server.Calls(); n != 10*minute {
			t.Errorf("PayPal was asked %d times within %d minutes", n, minute)
		}
		if err := read(fakepaypal.Usual(s.clock.now)); err != nil {
			t.Error(err)
		}
		s.clock.now = s.clock.now.Add(time.Minute)
	}
}

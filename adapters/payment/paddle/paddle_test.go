package paddle_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/adapters/payment"
	"gatehouse.internal/adapters/payment/paddle"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/money"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/ports/outbound/commerce"
	fakepaddle "gatehouse.internal/test/fake/upstream/paddle"
)

// clock is moved by the test.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }

const key = "pdl_sdbx_apikey_01gatehouse"

func against(address string, by *clock) *paddle.Paddle {
	return paddle.New(payment.Options{
		Processor: paddle.Name, Mode: billing.Test, SecretKey: secret.New(key), WebhookSecret: secret.New("pdl_ntfset_of_the_destination"), BaseURL: address,
		Host: "https://auth.example.com", Clock: by,
	})
}

// shop sells by a Paddle of its own.
type shop struct {
	*paddle.Paddle

	t      *testing.T
	server *fakepaddle.Server
	clock  *clock
}

func open(t *testing.T) *shop {
	t.Helper()
	s := &shop{t: t, server: fakepaddle.Start(t), clock: &clock{now: time.Date(2026, time.January, 31, 22, 30, 0, 0, time.UTC)}}
	s.server.Now = s.clock.Now
	s.Paddle = against(s.server.URL(), s.clock)
	return s
}

// once is a price with the longest label that there is.
func once(unit money.Amount) billing.PriceSnapshot {
	return billing.PriceSnapshot{ProductID: "prd_1", Unit: unit, Interval: billing.Once, Model: billing.Flat, Nickname: strings.Repeat("ä", 255)}
}

// bought makes a page for a price and lets somebody pay there.
func (s *shop) bought(price billing.PriceSnapshot) billing.Fact {
	s.t.Helper()
	id, err := s.EnsurePrice(s.t.Context(), commerce.PriceOrder{Price: price, Product: "T"}, "pri_1")
	if err != nil {
		s.t.Fatal(err)
	}
	of := billing.CheckoutSnapshot{Sale: billing.Sale{CheckoutID: "chk_1"}, Quantity: 1, Subtotal: price.Unit, CreatedAt: s.clock.now}
	made, err := s.CreateCheckout(s.t.Context(), commerce.CheckoutOrder{Checkout: of, Price: price, Product: "T", PriceID: id}, "k")
	if err != nil {
		s.t.Fatal(err)
	}
	s.act(made.Checkout.URL, "pay")
	return made
}

func (s *shop) act(page, name string) {
	s.clock.now = s.clock.now.Add(time.Second)
	s.server.Act(page, name)
}

// Amounts are in the minor units of ISO 4217, and a currency that Paddle does not charge in is
// refused before it is asked.
func TestCurrencies(t *testing.T) {
	t.Parallel()
	for currency, minor := range map[money.Currency]int64{"EUR": 1250, "JPY": 1250, "KRW": 99_000, "CLP": 5000, "HUF": 125_000, "USD": money.Most} {
		s := open(t)
		made := s.bought(once(money.Of(minor, currency)))
		facts, err := s.Fetch(t.Context(), made.ID)
		if err != nil || len(facts) != 3 || facts[0].Checkout.Subtotal != money.Of(minor, currency) || facts[2].Payment.Amount != money.Of(minor, currency) ||
			facts[1].Invoice.Currency != currency || facts[1].Invoice.Total != minor {
			t.Errorf("%d %s is %+v, %v", minor, currency, facts, err)
		}
	}
	s := open(t)
	for _, currency := range []money.Currency{"KWD", "TND", "ISK", "UGX", "MGA"} {
		_, err := s.EnsurePrice(t.Context(), commerce.PriceOrder{Price: once(money.Of(1250, currency)), Product: "T"}, "pri_1")
		if !errors.Is(err, billing.ErrRefused) || s.server.Calls() != 0 {
			t.Errorf("%s: %v, %d calls", currency, err, s.server.Calls())
		}
	}
}

// Lists are read to their end, each page after the last of the one before; what an error says
// has no key in it.
func TestListsAndErrors(t *testing.T) {
	t.Parallel()
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Method+" "+r.FormValue("after"))
		switch {
		case r.Method == http.MethodPost:
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"error":{"type":"request_error","code":"bad_request","detail":"no such product"},"meta":{"request_id":"r1"}}`)
		case r.FormValue("after") == "":
			_, _ = io.WriteString(w, `{"data":[{"id":"pro_1","custom_data":{"of":["others"]}},{"id":"pro_2"}],"meta":{"pagination":{"has_more":true,"next":"https://elsewhere.example/products?after=pro_2"}}}`)
		case r.FormValue("after") == "pro_2":
			_, _ = io.WriteString(w, `{"data":[{"id":"pro_3","custom_data":{"product_id":7}}],"meta":{"pagination":{"has_more":true,"next":"https://elsewhere.example/products?after=pro_3"}}}`)
		default:
			_, _ = io.WriteString(w, `{"data":[{"id":"pro_4","custom_data":{"product_id":"prd_1"},"prices":[{"id":"pri_t","custom_data":{"price_id":"pri_1","stands_for":"x"}},`+
				`{"id":"pri_r","custom_data":{"price_id":"pri_1"}}]}],"meta":{"pagination":{"has_more":true}}}`)
		}
	}))
	defer server.Close()
	p := against(server.URL, &clock{})
	order := commerce.PriceOrder{Price: once(money.Of(500, "EUR")), Product: "Table"}
	if id, err := p.EnsurePrice(t.Context(), order, "pri_1"); err != nil || id != "pri_r" || fmt.Sprint(asked) != "[GET  GET pro_2 GET pro_3]" {
		t.Errorf("on the third page is %q, %v; asked was %q", id, err, asked)
	}
	_, err := p.EnsurePrice(t.Context(), order, "pri_2")
	if !errors.Is(err, billing.ErrRefused) || !strings.Contains(err.Error(), "no such product, request r1") || strings.Contains(err.Error(), key) {
		t.Errorf("a refusal is %v", err)
	}
}

// Of a payment with tax goes back what was asked for, tax included, and never more than is
// left.
func TestRefundsWithTax(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.server.Tax(20)
	made := s.bought(once(money.Of(1000, "EUR")))
	facts, err := s.Fetch(t.Context(), made.ID)
	if err != nil || facts[0].Checkout.Subtotal.Minor != 1000 || facts[1].Invoice.Tax != 200 || facts[1].Invoice.Total != 1200 || facts[2].Payment.Amount.Minor != 1200 {
		t.Fatalf("with tax: %+v, %v", facts, err)
	}
	for n, c := range []struct {
		amount int64
		want   error
	}{{700, nil}, {501, billing.ErrRefused}, {500, nil}, {1, billing.ErrRefused}} {
		back := billing.RefundSnapshot{ID: billing.RefundID(fmt.Sprint("rfd_", n)), Payment: made.ID, Amount: money.Of(c.amount, "EUR"), Reason: "too much: of it"}
		got, err := s.Refund(t.Context(), back, "k")
		if !errors.Is(err, c.want) || (err == nil && (got.Refund.Amount != back.Amount || got.Refund.RefundID != back.ID)) {
			t.Errorf("%d goes back: %+v, %v; want %v", c.amount, got.Refund, err, c.want)
		}
		if c.want != nil {
			continue
		}
		if again, err := s.Refund(t.Context(), back, "k"); err != nil || again.ID != got.ID {
			t.Errorf("%d goes back again: %s, not %s; %v", c.amount, again.ID, got.ID, err)
		}
		if _, err := s.Refund(t.Context(), billing.RefundSnapshot{ID: "rfd_x", Payment: made.ID, Amount: money.Of(1, "EUR")}, "k"); !errors.Is(err, billing.ErrWaiting) {
			t.Errorf("beside one that waits: %v", err)
		}
		s.server.Hooks()
	}
	if got := s.server.Refunds(); got != 1200 {
		t.Errorf("%d went back, want 1200", got)
	}
}

// A refund is parted among the lines, each to what is left of it with its tax; what was
// rejected left it whole.
func TestSharesOfLines(t *testing.T) {
	t.Parallel()
	const paid = `{"data":{"id":"txn_1","status":"completed","currency_code":"EUR","details":{"line_items":[{"id":"l1","totals":{"total":"1200"}},` +
		`{"id":"l2","totals":{"total":"600"}},{"id":"l3","totals":{"total":"240"}}]},"adjustments":[` +
		`{"id":"a1","action":"refund","status":"approved","items":[{"item_id":"l1","totals":{"total":"1000"}}]},` +
		`{"id":"a2","action":"refund","status":"rejected","items":[{"item_id":"l2","totals":{"total":"600"}}]},` +
		`{"id":"a3","action":"credit","status":"approved","items":[{"item_id":"l3","totals":{"total":"40"}}]},` +
		`{"id":"a4","action":"chargeback_warning","status":"approved","items":[{"item_id":"l3","totals":{"total":"240"}}]}]}}`
	for amount, want := range map[int64]string{
		150: `[{"amount":"150","item_id":"l1","type":"partial"}]`, 800: `[{"amount":"200","item_id":"l1","type":"partial"},{"item_id":"l2","type":"full"}]`,
		1000: `[{"amount":"200","item_id":"l1","type":"partial"},{"item_id":"l2","type":"full"},{"amount":"200","item_id":"l3","type":"partial"}]`, 1001: "null",
	} {
		var sent struct {
			Items   any    `json:"items"`
			TaxMode string `json:"tax_mode"`
		}
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				_ = json.NewDecoder(r.Body).Decode(&sent)
			}
			_, _ = io.WriteString(w, paid)
		}))
		_, err := against(server.URL, &clock{}).Refund(t.Context(), billing.RefundSnapshot{ID: "rfd_1", Payment: "txn_1", Amount: money.Of(amount, "EUR")}, "k")
		server.Close()
		got, _ := json.Marshal(sent.Items)
		if string(got) != want || (err != nil) != (want == "null") || (err == nil && sent.TaxMode != "internal") {
			t.Errorf("%d is parted into %s, want %s; %v", amount, got, want, err)
		}
	}
}

// A chargeback is a dispute until Paddle takes it back; another one is open again.
func TestChargebacks(t *testing.T) {
	t.Parallel()
	s := open(t)
	made := s.bought(once(money.Of(1000, "EUR")))
	for _, c := range []struct {
		act  string
		want billing.Dispute
	}{{"dispute", billing.DisputeOpen}, {"win", billing.DisputeWon}, {"dispute", billing.DisputeOpen}} {
		s.act(made.Checkout.URL, c.act)
		facts, err := s.Fetch(t.Context(), made.ID)
		if err != nil || len(facts) != 3 || facts[2].Payment.Dispute != c.want || facts[2].Payment.Status != billing.PaymentSucceeded {
			t.Errorf("after %s: %+v, %v", c.act, facts, err)
		}
	}
}

// What somebody begins by the public token of the page is no sale of ours, whatever it says.
func TestOthersPagesAreNoSales(t *testing.T) {
	t.Parallel()
	for origin, want := range map[string]int{"api": 1, "web": 0, "subscription_recurring": 0} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"data":{"id":"txn_1","status":"ready","origin":"`+origin+`","currency_code":"EUR","custom_data":{"checkout_id":"chk_1"}}}`)
		}))
		facts, err := against(server.URL, &clock{}).Fetch(t.Context(), "txn_1")
		server.Close()
		if err != nil || len(facts) != want {
			t.Errorf("from %s are %d facts, want %d; %v", origin, len(facts), want, err)
		}
	}
}

// What was made for a checkout by a call that was not answered is looked for among the newest
// transactions, as far back as the checkout is old.
func TestSearchesTransactionsSinceTheCheckout(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)
	for when, want := range map[string]string{
		"2026-03-01T11:59:30Z": "[GET GET]", // The second page has it.
		"2026-03-01T11:58:00Z": "[GET POST]",
	} {
		var asked []string
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked = append(asked, r.Method)
			answer := `{"data":[{"id":"txn_2","origin":"api","created_at":"` + when + `"}],"meta":{"pagination":{"has_more":true,"next":"https://x.example/transactions?after=txn_2"}}}`
			switch {
			case r.Method == http.MethodPost:
				answer = `{"data":{"id":"txn_3"}}`
			case r.FormValue("after") != "":
				answer = `{"data":[{"id":"txn_1","origin":"api","created_at":"2026-03-01T11:59:10Z","custom_data":{"checkout_id":"chk_1"}}],"meta":{"pagination":{}}}`
			case r.FormValue("order_by") != "created_at[DESC]" || r.FormValue("origin") != "api":
				t.Errorf("asked is %s", r.URL)
			}
			_, _ = io.WriteString(w, answer)
		}))
		of := billing.CheckoutSnapshot{Sale: billing.Sale{CheckoutID: "chk_1"}, Quantity: 1, Subtotal: money.Of(500, "EUR"), CreatedAt: now}
		order := commerce.CheckoutOrder{Checkout: of, Price: once(money.Of(500, "EUR")), Product: "T", PriceID: "pri_1"}
		if _, err := against(server.URL, &clock{}).CreateCheckout(t.Context(), order, "k"); err != nil || fmt.Sprint(asked) != want {
			t.Errorf("with one of %s is asked %q, want %s; %v", when, asked, want, err)
		}
		server.Close()
	}
}

// An answer that holds no object, and is no error, is one.
func TestAnswersWithoutAnObject(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{"", "{}", `{"data":null}`, "null", "[]", "<html>", `{"data":[`} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, answer) }))
		p := against(server.URL, &clock{})
		_, fetched := p.Fetch(t.Context(), "txn_1")
		_, ended := p.CancelSubscription(t.Context(), "sub_1", false, "k")
		_, priced := p.EnsurePrice(t.Context(), commerce.PriceOrder{Price: once(money.Of(500, "EUR"))}, "pri_1")
		_, made := p.EnsureCoupon(t.Context(), billing.CouponSnapshot{Discount: billing.Discount{PercentOff: 5}}, "cpn_1")
		server.Close()
		if fetched == nil || ended == nil || priced == nil || made == nil {
			t.Errorf("%s: %v, %v, %v, %v", answer, fetched, ended, priced, made)
		}
	}
}

package stripe_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gatehouse.internal/adapters/payment"
	"gatehouse.internal/adapters/payment/stripe"
	"gatehouse.internal/adapters/system"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/money"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/ports/outbound/commerce"
)

// mock starts stripe-mock, which refuses every request that Stripe's own description of its
// API does not allow. It has everything that is asked for; what the adapter looks for before
// it makes it is hidden, so that it is made. made returns the paths of what was.
func mock(t *testing.T) (s *stripe.Stripe, made func() []string) {
	t.Helper()
	program, err := filepath.Abs("../../../bin/stripe-mock")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	run := exec.CommandContext(ctx, program, "-http-addr", "127.0.0.1:0")
	out, err := run.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Start(); err != nil {
		t.Fatalf("start stripe-mock, which `make setup` installs: %v", err)
	}
	t.Cleanup(func() {
		cancel()
		_ = run.Wait()
	})
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if _, address, ok := strings.Cut(lines.Text(), "Listening for HTTP at address: "); ok {
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return before(t, "http://"+address)
		}
	}
	t.Fatal("stripe-mock does not say where it listens")
	return nil, nil
}

// before hides what is looked for at an address.
func before(t *testing.T, address string) (s *stripe.Stripe, made func() []string) {
	t.Helper()
	to, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var paths []string
	through := httputil.NewSingleHostReverseProxy(to)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case r.Method == http.MethodPost:
			paths = append(paths, r.URL.Path)
			through.ServeHTTP(w, r)
		case slices.Contains([]string{"/v1/prices", "/v1/billing/meters", "/v1/refunds"}, r.URL.Path):
			_, _ = io.WriteString(w, `{"object":"list","data":[],"has_more":false}`)
		case strings.HasPrefix(r.URL.Path, "/v1/coupons/"):
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, `{"error":{"type":"invalid_request_error","message":"No such coupon"}}`)
		default:
			through.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	s = stripe.New(payment.Options{
		Processor: stripe.Name, Mode: billing.Test, SecretKey: secret.New("sk_test_123"), WebhookSecret: secret.New("whsec_1"),
		BaseURL: server.URL, Clock: system.Clock{},
	})
	return s, func() []string {
		mu.Lock()
		defer mu.Unlock()
		slices.Sort(paths)
		return slices.Compact(slices.Clone(paths))
	}
}

// All that the adapter asks of Stripe is what Stripe's description of its API allows.
func TestRequestsAreThoseOfStripe(t *testing.T) {
	t.Parallel()
	s, made := mock(t)
	ctx := t.Context()
	eur := func(minor int64) money.Amount { return money.Of(minor, "EUR") }
	five := int64(5)
	prices := map[string]billing.PriceSnapshot{
		"flat":     {Unit: eur(1000), Interval: billing.Once, Model: billing.Flat, Nickname: "Plain"},
		"per seat": {Unit: eur(1000), Interval: billing.Year, Model: billing.PerSeat},
		"metered":  {Unit: eur(2), Interval: billing.Month, Model: billing.Metered, Meter: "calls"},
		"tiered": {
			Unit: eur(0), Interval: billing.Month, Model: billing.Tiered, Tiers: []billing.Tier{{UpTo: &five, UnitAmount: 100}, {UnitAmount: 50, FlatAmount: 10}},
		},
	}
	checkout := billing.CheckoutSnapshot{
		Sale: billing.Sale{CheckoutID: "chk_1"}, Quantity: 2, Subtotal: eur(2000), TrialDays: 14, SuccessURL: "https://app.example.com/done",
		CancelURL: "https://app.example.com/cancel",
	}
	calls := map[string]func() error{
		"coupon by share": func() error {
			_, err := s.EnsureCoupon(ctx, billing.CouponSnapshot{Code: "A", Discount: billing.Discount{PercentOff: 20, Duration: billing.Repeating, Months: 3}}, "cpn_1")
			return err
		},
		"cancel at the end": func() error { _, err := s.CancelSubscription(ctx, "sub_1", true, "k1"); return err },
		"cancel":            func() error { _, err := s.CancelSubscription(ctx, "sub_1", false, "k2"); return err },
		"resume":            func() error { _, err := s.ResumeSubscription(ctx, "sub_1", "k3"); return err },
		"update": func() error {
			_, err := s.UpdateSubscription(ctx, commerce.SubscriptionChange{
				Subscription: billing.SubscriptionSnapshot{Remote: billing.Remote{ID: "sub_1"}}, Price: prices["per seat"], PriceID: "price_1", Quantity: 4,
				CouponID: "cpn_1", Proration: billing.ProrateNow,
			}, "k4")
			return err
		},
		"refund": func() error {
			_, err := s.Refund(ctx, billing.RefundSnapshot{ID: "rfd_1", Sale: checkout.Sale, Payment: "pi_1", Amount: eur(100)}, "k5")
			return err
		},
		"portal": func() error {
			_, err := s.CreatePortal(ctx, commerce.PortalOrder{CustomerID: "cus_1", ReturnURL: "https://app.example.com/"}, "k6")
			return err
		},
		"customer": func() error {
			return s.UpdateCustomer(ctx, billing.CustomerSnapshot{
				ProcessorID: "cus_1", Name: "Ada", Email: "ada@example.com", TaxID: "DE123", Address: billing.Address{Line1: "Street 1", Country: "DE"},
			}, "k7")
		},
		"usage": func() error {
			return s.ReportUsage(ctx, commerce.UsageReport{CustomerID: "cus_1", Meter: "calls", Quantity: 7, At: time.Unix(1_700_000_000, 0)}, "k8")
		},
		"fetch": func() error { _, err := s.Fetch(ctx, "cs_1"); return err },
	}
	for name, of := range prices {
		calls["price "+name] = func() error {
			_, err := s.EnsurePrice(ctx, commerce.PriceOrder{Price: of, Product: "Table"}, "pri_"+name)
			return err
		}
		calls["checkout "+name] = func() error {
			order := commerce.CheckoutOrder{Checkout: checkout, Price: of, Product: "Table", PriceID: "price_1", CouponID: "cpn_1", Email: "ada@example.com"}
			_, err := s.CreateCheckout(ctx, order, "k9"+name)
			return err
		}
	}
	for name, call := range calls {
		if err := call(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, kind := range []string{"checkout.session", "subscription", "payment_intent", "refund", "dispute", "charge", "customer"} {
		body := []byte(`{"id":"evt_1","type":"x","livemode":false,"data":{"object":{"object":"` + kind + `","id":"pi_1","payment_intent":"pi_1"}}}`)
		header := http.Header{stripe.SignatureHeader: {stripe.Signed().Sign(secret.New("whsec_1"), body, time.Unix(1_700_000_000, 0))}}
		received, err := s.Read(ctx, header, body, time.Unix(1_700_000_000, 0))
		if err != nil || len(received) != 1 || (kind == "customer") != (len(received[0].Facts) == 0) {
			t.Fatalf("read an event of a %s: %+v, %v", kind, received, err)
		}
		for _, one := range received[0].Facts {
			if _, err := s.Look(ctx, one.ID, *one.Named); err != nil {
				t.Errorf("look at a %s: %v", kind, err)
			}
		}
	}
	want := []string{
		"/v1/billing/meter_events", "/v1/billing/meters", "/v1/billing_portal/sessions", "/v1/checkout/sessions", "/v1/coupons", "/v1/customers/cus_1",
		"/v1/prices", "/v1/refunds", "/v1/subscriptions/sub_1",
	}
	if got := made(); !slices.Equal(got, want) {
		t.Errorf("was made by %v, want %v", got, want)
	}
}

// Amounts are written as Stripe means them, and those that it would round are refused.
func TestAmountsOfStripe(t *testing.T) {
	t.Parallel()
	var sent string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			sent = r.FormValue("unit_amount") + " " + r.FormValue("currency")
		}
		_, _ = io.WriteString(w, `{"object":"list","data":[],"has_more":false,"id":"price_1"}`)
	}))
	defer server.Close()
	s := stripe.New(payment.Options{Processor: stripe.Name, Mode: billing.Test, SecretKey: secret.New("sk_test_123"), BaseURL: server.URL, Clock: system.Clock{}})
	for amount, want := range map[money.Amount]string{
		money.Of(12345, "EUR"): "12345 eur", money.Of(12345, "JPY"): "12345 jpy", money.Of(12345, "ISK"): "1234500 isk", money.Of(12345, "UGX"): "1234500 ugx",
		money.Of(12300, "MGA"): "123 mga", money.Of(12340, "KWD"): "12340 kwd", money.Of(12345, "KWD"): "", money.Of(12345, "MGA"): "",
		money.Of(money.Most, "EUR"): "9007199254740991 eur", money.Of(0, "USD"): "0 usd",
	} {
		sent = ""
		of := billing.PriceSnapshot{Unit: amount, Interval: billing.Once, Model: billing.Flat}
		_, err := s.EnsurePrice(t.Context(), commerce.PriceOrder{Price: of, Product: "Table"}, "pri_1")
		if sent != want || errors.Is(err, billing.ErrRefused) != (want == "") {
			t.Errorf("%v is sent as %q, want %q; %v", amount, sent, want, err)
		}
	}
}

// Lists are read to their end, page by page.
func TestListsHavePages(t *testing.T) {
	t.Parallel()
	var sent string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := `{"data":[],"has_more":false}`
		switch {
		case r.Method == http.MethodPost:
			sent, answer = r.FormValue("recurring[meter]"), `{"id":"price_1"}`
		case r.URL.Path == "/v1/billing/meters" && r.FormValue("starting_after") == "":
			answer = `{"data":[{"id":"mtr_1","event_name":"other"},{"id":"mtr_2","event_name":"another"}],"has_more":true}`
		case r.URL.Path == "/v1/billing/meters" && r.FormValue("starting_after") == "mtr_2":
			answer = `{"data":[{"id":"mtr_3","event_name":"calls"}],"has_more":true}`
		}
		_, _ = io.WriteString(w, answer)
	}))
	defer server.Close()
	s := stripe.New(payment.Options{Processor: stripe.Name, Mode: billing.Test, SecretKey: secret.New("sk_test_123"), BaseURL: server.URL, Clock: system.Clock{}})
	of := billing.PriceSnapshot{Unit: money.Of(2, "EUR"), Interval: billing.Month, Model: billing.Metered, Meter: "calls"}
	if _, err := s.EnsurePrice(t.Context(), commerce.PriceOrder{Price: of, Product: "Table"}, "pri_1"); err != nil || sent != "mtr_3" {
		t.Errorf("the meter is %q, want mtr_3; %v", sent, err)
	}
}

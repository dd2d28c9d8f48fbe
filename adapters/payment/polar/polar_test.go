package polar_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"gatehouse.internal/adapters/payment"
	"gatehouse.internal/adapters/payment/polar"
	"gatehouse.internal/adapters/system"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/money"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/ports/outbound/commerce"
	fakepolar "gatehouse.internal/test/fake/upstream/polar"
)

// against makes the adapter for an address.
func against(address string) *polar.Polar {
	return polar.New(payment.Options{
		Processor: polar.Name, Mode: billing.Test, SecretKey: secret.New("polar_oat_of_the_organization"), WebhookSecret: secret.New("polar_whs_of_the_endpoint"),
		BaseURL: address, Clock: system.Clock{},
	})
}

// started makes the adapter for a Polar of its own.
func started(t *testing.T) (*polar.Polar, *fakepolar.Server) {
	t.Helper()
	server := fakepolar.Start(t)
	for _, one := range server.Environment() {
		if address, ok := strings.CutPrefix(one, "POLAR_BASE_URL="); ok {
			return against(address), server
		}
	}
	t.Fatal("it says not where it is")
	return nil, nil
}

func eur(minor int64) money.Amount { return money.Of(minor, "EUR") }

func five() *int64 { n := int64(5); return &n }

// ordered makes a price and a checkout of it, and returns the page.
func ordered(t *testing.T, p *polar.Polar, checkout billing.CheckoutID, customer billing.CustomerID, price billing.PriceSnapshot, quantity int64) billing.Fact {
	t.Helper()
	id, err := p.EnsurePrice(t.Context(), commerce.PriceOrder{Price: price, Product: "Table"}, "pri_"+string(checkout))
	if err != nil {
		t.Fatal(err)
	}
	made, err := p.CreateCheckout(t.Context(), commerce.CheckoutOrder{
		Checkout: billing.CheckoutSnapshot{Sale: billing.Sale{CheckoutID: checkout, CustomerID: customer}, Quantity: quantity, SuccessURL: "https://app.example.com/done"},
		Price:    price, Product: "Table", PriceID: id, Email: "ada@example.com",
	}, "k1")
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// Prices of each model are made once, and cost at Polar what they cost here.
func TestPricesCostTheSame(t *testing.T) {
	t.Parallel()
	p, _ := started(t)
	for name, of := range map[string]billing.PriceSnapshot{
		"flat":     {Unit: eur(1000), Interval: billing.Once, Model: billing.Flat, Nickname: "Plain"},
		"per_seat": {Unit: eur(1000), Interval: billing.Year, Model: billing.PerSeat},
		"metered":  {Unit: eur(2), Interval: billing.Month, Model: billing.Metered, Meter: "io"},
		"tiered":   {Unit: eur(0), Interval: billing.Month, Model: billing.Tiered, Tiers: []billing.Tier{{UpTo: five(), UnitAmount: 100}, {UnitAmount: 50}}},
	} {
		quantity := int64(7)
		if of.Model == billing.Flat || of.Model == billing.Metered {
			quantity = 1
		}
		want, err := of.Upfront(quantity)
		if err != nil {
			t.Fatal(err)
		}
		made := ordered(t, p, billing.CheckoutID(name), "cus_1", of, quantity)
		if got := made.Checkout; got.Subtotal != want || got.Quantity != quantity || got.CustomerID == "" {
			t.Errorf("%s: %+v, want %v", name, got, want)
		}
		again, err := p.EnsurePrice(t.Context(), commerce.PriceOrder{Price: of, Product: "Table"}, "pri_"+name)
		if err != nil || again != made.Checkout.PriceID {
			t.Errorf("%s is made again: %s, not %s; %v", name, again, made.Checkout.PriceID, err)
		}
	}
	entering := billing.PriceSnapshot{Unit: eur(0), Interval: billing.Month, Model: billing.Tiered, Tiers: []billing.Tier{{UnitAmount: 50, FlatAmount: 10}}}
	for name, of := range map[string]billing.PriceSnapshot{
		"entering a tier": entering, "another currency": {Unit: money.Of(1000, "KWD"), Interval: billing.Once, Model: billing.Flat},
	} {
		if _, err := p.EnsurePrice(t.Context(), commerce.PriceOrder{Price: of, Product: "Table"}, "pri_"+name); !errors.Is(err, billing.ErrRefused) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Whoever has the address of somebody else neither buys nor sees as they do.
func TestCustomersAreApart(t *testing.T) {
	t.Parallel()
	p, server := started(t)
	once := billing.PriceSnapshot{Unit: eur(1000), Interval: billing.Once, Model: billing.Flat}
	seen := map[string]billing.CustomerID{}
	for customer, checkouts := range map[billing.CustomerID][]billing.CheckoutID{"cus_1": {"chk_1", "chk_2"}, "cus_2": {"chk_3"}} {
		var one string
		for _, checkout := range checkouts {
			made := ordered(t, p, checkout, customer, once, 1).Checkout
			server.Act(made.URL, "pay")
			if one != "" && made.CustomerID != one {
				t.Errorf("%s is %s, and %s", customer, one, made.CustomerID)
			}
			one = made.CustomerID
		}
		if other, taken := seen[one]; taken || one == "" {
			t.Errorf("%s and %s are %q", customer, other, one)
		}
		seen[one] = customer
		portal, err := p.CreatePortal(t.Context(), commerce.PortalOrder{CustomerID: one, ReturnURL: "https://app.example.com/"}, "k")
		if err != nil || portal.URL == "" || portal.ExpiresAt.IsZero() {
			t.Errorf("the portal of %s: %+v, %v", customer, portal, err)
		}
	}
	order := commerce.CheckoutOrder{
		Checkout: billing.CheckoutSnapshot{Sale: billing.Sale{CheckoutID: "chk_4", CustomerID: "cus_3"}, Quantity: 1, SuccessURL: "https://app.example.com/"}, Price: once,
	}
	var err error
	if order.PriceID, err = p.EnsurePrice(t.Context(), commerce.PriceOrder{Price: once, Product: "T"}, "pri_4"); err != nil {
		t.Fatal(err)
	}
	made, err := p.CreateCheckout(t.Context(), order, "k")
	if err != nil {
		t.Fatal(err)
	}
	server.Act(made.Checkout.URL, "pay")
	facts, err := p.Fetch(t.Context(), made.ID)
	if err != nil || len(facts) < 3 || facts[0].Checkout.CustomerID != "" || facts[0].Checkout.Status != billing.CheckoutCompleted {
		t.Errorf("who typed an address is taken for who has it: %+v, %v", facts[0].Checkout, err)
	}
}

// Of a payment with tax goes back what was asked for, of which Polar adds the tax; never more.
func TestRefundsWithTax(t *testing.T) {
	t.Parallel()
	for percent, amounts := range map[int64]map[int64]int64{
		0:  {1: 1, 999: 999, 1000: 1000},
		20: {1200: 1200, 600: 600, 1199: 1199, 3: 2, 2: 2, 1: 1},
		19: {1190: 1190, 119: 119, 595: 595, 1: 1},
	} {
		for asked, want := range amounts {
			p, server := started(t)
			once := billing.PriceSnapshot{Unit: eur(1000), Interval: billing.Once, Model: billing.Flat}
			made := ordered(t, p, "chk_1", "cus_1", once, 1)
			server.Tax(made.Checkout.URL, percent)
			server.Act(made.Checkout.URL, "pay")
			facts, err := p.Fetch(t.Context(), made.ID)
			if err != nil {
				t.Fatal(err)
			}
			refund := billing.RefundSnapshot{ID: "rfd_1", Sale: billing.Sale{CheckoutID: "chk_1"}, Amount: eur(asked)}
			for _, f := range facts {
				if f.Payment != nil {
					refund.Payment = f.ID
				}
				if f.Invoice != nil && (f.Invoice.Tax != 10*percent || f.Invoice.Total != 1000+10*percent || f.Invoice.Subtotal != 1000) {
					t.Errorf("the invoice is %+v", f.Invoice)
				}
			}
			for range 2 {
				got, err := p.Refund(t.Context(), refund, "k")
				if err != nil || got.Refund.Amount != eur(want) || server.Refunds() != want {
					t.Errorf("of %d with %d %% tax: %+v, %v; %d went back", asked, percent, got.Refund, err, server.Refunds())
				}
			}
		}
	}
}

// An event about an object is applied once Polar tells that state by its API too.
func TestOlderStatesAreRefused(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	modified := "2026-01-01T00:00:00Z"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		_, _ = io.WriteString(w, `{"id":"c1","modified_at":"`+modified+`","status":"expired","currency":"eur","metadata":{"checkout_id":"chk_1"}}`)
	}))
	defer server.Close()
	p, now := against(server.URL), time.Unix(1_700_000_000, 0)
	body := []byte(`{"type":"checkout.expired","data":{"id":"c1","status":"expired","modified_at":"2026-01-01T00:00:01Z","metadata":{}}}`)
	header := payment.SignStandard(secret.New("polar_whs_of_the_endpoint"), "msg_1", body, now)
	received, err := p.Read(t.Context(), header, body, now)
	if err != nil || len(received) != 1 || received[0].EventID != "msg_1" || len(received[0].Facts) != 1 || received[0].Facts[0].Named == nil {
		t.Fatalf("told is %+v, %v", received, err)
	}
	about := received[0].Facts[0]
	if facts, err := p.Look(t.Context(), about.ID, *about.Named); err == nil || errors.Is(err, billing.ErrRefused) {
		t.Errorf("an older state is taken: %+v, %v", facts, err)
	}
	mu.Lock()
	modified = "2026-01-01T00:00:01Z"
	mu.Unlock()
	facts, err := p.Look(t.Context(), about.ID, *about.Named)
	if err != nil || len(facts) != 1 || facts[0].Checkout.Status != billing.CheckoutExpired {
		t.Errorf("the state is not taken: %+v, %v", facts, err)
	}
}

// Lists are read to their end, and errors say nothing of what was sent.
func TestListsAndErrors(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := `{"items":[{"id":"p` + r.FormValue("page") + `","metadata":{"price_id":"pri_0"}}],"pagination":{"max_page":3}}`
		switch {
		case r.Method == http.MethodPost:
			w.WriteHeader(http.StatusUnprocessableEntity)
			answer = `{"error":"RequestValidationError","detail":[{"loc":["body","name"],"msg":"too short","input":"ada@example.com"}]}`
		case r.FormValue("page") == "3" && r.FormValue("metadata[price_id]") == "pri_1":
			answer = `{"items":[{"id":"p3","metadata":{"price_id":"pri_1"}}],"pagination":{"max_page":3}}`
		}
		_, _ = io.WriteString(w, answer)
	}))
	defer server.Close()
	p := against(server.URL)
	order := commerce.PriceOrder{Price: billing.PriceSnapshot{Unit: eur(2), Interval: billing.Once, Model: billing.Flat}, Product: "Table"}
	if id, err := p.EnsurePrice(t.Context(), order, "pri_1"); err != nil || id != "p3" {
		t.Errorf("on the third page is %q, %v", id, err)
	}
	_, err := p.EnsurePrice(t.Context(), order, "pri_2")
	if !errors.Is(err, billing.ErrRefused) || !strings.Contains(err.Error(), "too short") || strings.Contains(err.Error(), "ada") || strings.Contains(err.Error(), "polar_oat") {
		t.Errorf("a refusal is %v", err)
	}
}

// Uses that are told of twice count once.
func TestRepeatedUsageCountsOnce(t *testing.T) {
	t.Parallel()
	p, server := started(t)
	metered := billing.PriceSnapshot{Unit: eur(2), Interval: billing.Month, Model: billing.Metered, Meter: "calls"}
	made := ordered(t, p, "chk_1", "cus_1", metered, 1)
	server.Act(made.Checkout.URL, "pay")
	for range 2 {
		report := commerce.UsageReport{CustomerID: made.Checkout.CustomerID, Meter: "calls", Quantity: 7, At: time.Now()}
		if err := p.ReportUsage(t.Context(), report, "int_1"); err != nil {
			t.Error(err)
		}
	}
	if got := server.Used("calls"); got != 7 {
		t.Errorf("used are %d, want 7", got)
	}
}

// Of an order whose buyer told no name or address, Polar writes no document.
func TestOrdersWithoutDocument(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := `{"id":"o1","is_invoice_generated":false}`
		if r.Method == http.MethodPost {
			w.WriteHeader(http.StatusUnprocessableEntity)
			answer = `{"error":"MissingInvoiceBillingDetails","detail":"Billing name and address are required to generate an invoice for this order."}`
		}
		_, _ = io.WriteString(w, answer)
	}))
	defer server.Close()
	if _, err := against(server.URL).InvoicePDF(t.Context(), "o1"); !errors.Is(err, billing.ErrNoDocument) {
		t.Errorf("the document is %v", err)
	}
}

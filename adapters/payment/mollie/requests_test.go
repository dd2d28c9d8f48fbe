package mollie_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
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

// Lists are read to their end, by the address of the next page but at Mollie; a key is for one
// kind of call, and what an error repeats of us is not more than its words.
func TestListsAndErrors(t *testing.T) {
	t.Parallel()
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Method+" "+r.URL.RequestURI()+" "+r.Header.Get("Idempotency-Key"))
		answer := `{"_embedded":{"refunds":[{"id":"re_1"}]},"_links":{"next":{"href":"https://elsewhere.example/v2/x?from=re_2&limit=1"}}}`
		switch {
		case r.Method == http.MethodPost:
			w.WriteHeader(http.StatusUnprocessableEntity)
			answer = `{"status":422,"title":"Unprocessable Entity","detail":"The amount is higher than the maximum","field":"amount"}`
		case r.FormValue("from") == "re_2":
			answer = `{"_embedded":{"refunds":[{"id":"re_2"}]},"_links":{"next":null}}`
		}
		_, _ = io.WriteString(w, answer)
	}))
	defer server.Close()
	m := mollie.New(payment.Options{SecretKey: secret.New("test_key"), BaseURL: server.URL, Clock: &clock{}})
	_, err := m.Refund(t.Context(), billing.RefundSnapshot{ID: "rfd_1", Payment: "tr_1", Amount: money.Of(1, "EUR")}, "int_1")
	if !errors.Is(err, billing.ErrRefused) || !strings.Contains(err.Error(), "higher than the maximum") || strings.Contains(err.Error(), "test_key") {
		t.Errorf("a refusal is %v", err)
	}
	if len(asked) != 3 || !strings.Contains(asked[1], "/v2/payments/tr_1/refunds?from=re_2&limit=250") || asked[2] == asked[1] {
		t.Errorf("asked was %v", asked)
	}
	if err := m.UpdateCustomer(t.Context(), billing.CustomerSnapshot{ProcessorID: "cst_1"}, "int_2"); err != nil || len(asked) != 3 {
		t.Errorf("nothing to pass on: %v, %v", err, asked)
	}
}

// From an address that Mollie does not reach, things are sold without hooks.
func TestHooksAreSentWhereTheyArrive(t *testing.T) {
	t.Parallel()
	for at, want := range map[string]string{
		"https://auth.example.com": `"webhookUrl":"https://auth.example.com/api/billing/webhooks/mollie"`, "http://localhost:8400": "", "http://127.0.0.1:8400": "", "http://[::1]:8400": "",
	} {
		var sent string
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			sent = string(body)
			_, _ = io.WriteString(w, `{"id":"tr_1","amount":{"currency":"EUR","value":"5.00"}}`)
		}))
		m := mollie.New(payment.Options{SecretKey: secret.New("test_key"), BaseURL: server.URL, Host: at, Clock: &clock{}})
		if _, err := m.CreateCheckout(t.Context(), order("chk_1", monthly(), 1, 0), "int_1"); err != nil {
			t.Error(err)
		}
		server.Close()
		if got := strings.Contains(sent, "webhookUrl"); got != (want != "") || !strings.Contains(sent, want) {
			t.Errorf("from %s is sent %s", at, sent)
		}
	}
}

// What Mollie cannot do is said by its name.
func TestNotAble(t *testing.T) {
	t.Parallel()
	m := mollie.New(payment.Options{Clock: &clock{}})
	_, coupon := m.EnsureCoupon(t.Context(), billing.CouponSnapshot{}, "k")
	_, portal := m.CreatePortal(t.Context(), commerce.PortalOrder{}, "k")
	for want, err := range map[billing.Ability]error{
		billing.CanDiscount: coupon, billing.CanPortal: portal, billing.CanMeter: m.ReportUsage(t.Context(), commerce.UsageReport{}, "k"),
	} {
		if err == nil || !strings.Contains(err.Error(), string(want)) {
			t.Errorf("without %s: %v", want, err)
		}
	}
	if _, err := m.InvoicePDF(t.Context(), "tr_1"); !errors.Is(err, billing.ErrNoDocument) {
		t.Errorf("the document is %v", err)
	}
}

// However many hooks come, few are asked about at once; one that gives up waiting is not.
func TestHooksAreAskedAboutAFewAtOnce(t *testing.T) {
	t.Parallel()
	const few, many = 8, 30
	var asked atomic.Int32
	let := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		<-let
		w.WriteHeader(http.StatusNotFound)
	}))
	defer server.Close()
	m := mollie.New(payment.Options{SecretKey: secret.New("test_key"), BaseURL: server.URL, Clock: &clock{}})
	var all sync.WaitGroup
	for n := range many {
		all.Go(func() {
			if received, err := m.Read(t.Context(), nil, fakemollie.Hook(fmt.Sprint("tr_", n)), time.Time{}); err != nil || received != nil {
				t.Errorf("hook %d tells %v, %v", n, received, err)
			}
		})
	}
	for asked.Load() < few {
		time.Sleep(time.Millisecond)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := m.Read(ctx, nil, fakemollie.Hook("tr_late"), time.Time{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("one that gives up: %v", err)
	}
	if got := asked.Load(); got != few {
		t.Errorf("%d are asked about at once, want %d", got, few)
	}
	close(let)
	all.Wait()
	if got := asked.Load(); got != many {
		t.Errorf("%d were asked about, want %d", got, many)
	}
}

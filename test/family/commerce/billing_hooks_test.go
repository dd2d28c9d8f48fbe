package commerce_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// post sends a hook, and returns the status of the answer.
func post(h *harness.Service, processor, signature string, body []byte) int {
	request := httptest.NewRequest(http.MethodPost, "/api/billing/webhooks/"+processor, strings.NewReader(string(body)))
	request.Header.Set("Sandbox-Signature", signature)
	recorder := httptest.NewRecorder()
	h.Handler.ServeHTTP(recorder, request)
	return recorder.Code
}

// A hook that is forged, old or for somebody else is refused, and nothing of it is stored;
// one that lies about the sale gives nothing, and is shown with the reason.
func TestHooksThatAreNotTrue(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		s := open(t, database)
		id, page := s.begin(s.buyer, P{"price_id": s.once})
		shown, err := s.Sandbox.Show(t.Context(), path.Base(page))
		if err != nil {
			t.Fatal(err)
		}
		sale := shown.Sale
		sale.Facts[0].Checkout.Status = billing.CheckoutCompleted
		sale.Facts[0].At = s.Clock.Now().Add(time.Second)
		body, signature, err := s.Sandbox.Hook(&sale, "pay", time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		for name, c := range map[string]struct {
			processor, signature string
			body                 []byte
			want                 int
		}{
			"no signature":      {"sandbox", "", body, http.StatusUnauthorized},
			"another body":      {"sandbox", signature, append([]byte(" "), body...), http.StatusUnauthorized},
			"another time":      {"sandbox", "t=2" + signature[3:], body, http.StatusUnauthorized},
			"another processor": {"stripe", signature, body, http.StatusNotFound},
			"too long":          {"sandbox", signature, make([]byte, 1<<20+1), http.StatusRequestEntityTooLarge},
		} {
			if got := post(s.Service, c.processor, c.signature, c.body); got != c.want {
				t.Errorf("%s: %d, want %d", name, got, c.want)
			}
		}
		s.Clock.Advance(billing.SignatureAge + time.Second)
		if got := post(s.Service, "sandbox", signature, body); got != http.StatusUnauthorized {
			t.Errorf("an old signature: %d", got)
		}
		scraped := httptest.NewRecorder()
		s.Handler.ServeHTTP(scraped, httptest.NewRequest(http.MethodGet, "/metrics", http.NoBody))
		if want := `gatehouse_payment_hooks_refused_total{processor="sandbox"} 4`; !strings.Contains(scraped.Body.String(), want) {
			t.Errorf("the metrics do not tell %s", want)
		}
		root := s.Superadmin()
		if n := len(root.Do("BILLING.PROCESSOR_EVENT_LIST", nil).OK().List("items")); n != 0 {
			t.Errorf("%d events are stored of what was refused", n)
		}
		sale.Facts[0].Checkout.Subtotal.Minor = 1
		body, signature, _ = s.Sandbox.Hook(&sale, "pay", time.Time{})
		for range 2 { // the second time it is known
			if got := post(s.Service, "sandbox", signature, body); got != http.StatusOK {
				t.Errorf("a hook that lies: %d", got)
			}
		}
		s.Settle()
		failed := s.seller.Do("BILLING.PROCESSOR_EVENT_LIST", P{"status": "failed"}).OK().List("items")
		if len(failed) != 1 || failed[0]["reason"] != billing.ErrLie.Message {
			t.Fatalf("what failed is %v", failed)
		}
		replayed := s.seller.Do("BILLING.PROCESSOR_EVENT_REPLAY", P{"processor_event_id": failed[0]["id"]}).OK()
		if replayed.String("processor_event.status") != "failed" || replayed.Int("processor_event.attempts") != 2 {
			t.Errorf("replayed: %v", replayed.Data)
		}
		s.buyer.Do("BILLING.PROCESSOR_EVENT_REPLAY", P{"processor_event_id": failed[0]["id"]}).Fails(fault.NotFound)
		if got := s.checkout(id); got.String("checkout.status") != "open" || got.Data["license"] != nil {
			t.Errorf("a lie gives %v", got.Data)
		}
	})
}

// Facts that come in any order, repeated and in part lost, end in the state of those that
// came in order.
func TestAnyOrderEndsAlike(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		s := open(t, database)
		var want string
		for round := range 6 {
			who := s.SignUp(fmt.Sprintf("round%d@example.com", round))
			id, page := s.begin(who, P{"price_id": s.monthly, "quantity": 2})
			var hooks []func()
			s.Sandbox.Transport = keeping(func(body []byte, signature string) {
				hooks = append(hooks, func() { post(s.Service, "sandbox", signature, body) })
			})
			for _, act := range []string{"fail", "pay", "fail-renewal", "pay-due", "dispute", "win", "renew"} {
				if err := s.Sandbox.Act(t.Context(), path.Base(page), act); err != nil {
					t.Fatal(err)
				}
			}
			if round > 0 {
				hooks = append(hooks, hooks...)
				rand.Shuffle(len(hooks), func(i, j int) { hooks[i], hooks[j] = hooks[j], hooks[i] })
			}
			for _, one := range hooks {
				one()
				s.Settle()
			}
			got := who.Do("BILLING.CHECKOUT_GET", P{"checkout_id": id}).OK()
			ends := got.Data["subscription"].(P)["period_end"]
			state := fmt.Sprint(got.String("checkout.status"), got.String("subscription.status"), ends, got.String("license.status"),
				got.Data["license"].(P)["expires_at"], len(who.Do("BILLING.INVOICE_LIST", P{"status": "paid"}).OK().List("items")))
			if round == 0 {
				want = state
			} else if state != want {
				t.Errorf("in round %d the end is %s, in order %s", round, state, want)
			}
		}
	})
}

// keeping takes hooks in the place of the service.
type keeping func(body []byte, signature string)

func (k keeping) RoundTrip(r *http.Request) (*http.Response, error) {
	body := make([]byte, r.ContentLength)
	if _, err := r.Body.Read(body); err != nil && len(body) == 0 {
		return nil, err
	}
	k(body, r.Header.Get("Sandbox-Signature"))
	return httptest.NewRecorder().Result(), nil
}

// A call that nobody finished is made again under the same key, and has its effect once.
func TestCallsThatNobodyFinished(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		s := open(t, database)
		store := s.Sandbox.Store
		for name, broken := range map[string]broken{"before the call": {}, "after the call": {does: true}} {
			who := s.SignUp(strings.ReplaceAll(name, " ", "-") + "@example.com")
			broken.SandboxSales = store
			s.Sandbox.Store = &broken
			who.Do("BILLING.CHECKOUT_CREATE", P{"price_id": s.once, "success_url": done}).Fails(fault.Internal)
			s.Sandbox.Store = store
			s.Clock.Advance(2 * billing.Lease)
			s.Settle()
			id, page := s.begin(who, P{"price_id": s.once})
			s.Act(page, "pay")
			got := who.Do("BILLING.CHECKOUT_GET", P{"checkout_id": id}).OK()
			if got.String("license.status") != "active" {
				t.Errorf("%s: %v", name, got.Data)
			}
			if n := len(s.Events("checkout.created")); n != 1 && n != 2 {
				t.Errorf("%s: %d checkouts", name, n)
			}
		}
		if n := len(s.seller.Do("BILLING.PAYMENT_LIST", nil).OK().List("items")); n != 2 {
			t.Errorf("%d payments, want 2", n)
		}
		var sales int
		if err := s.Store.Database().Read.Get(&sales, `SELECT COUNT(*) FROM sandbox_sales`); err != nil || sales != 2 {
			t.Errorf("the processor knows %d sales, %v; want 2", sales, err)
		}
	})
}

// broken fails calls to the processor, before or after they have their effect.
type broken struct {
	SandboxSales

	does bool
}

// SandboxSales is what the sandbox stores sales by.
type SandboxSales interface {
	Get(ctx context.Context, id string) (content string, version int64, err error)
	Put(ctx context.Context, id, content string, version int64) (bool, error)
}

func (b *broken) Put(ctx context.Context, id, content string, version int64) (bool, error) {
	if b.does {
		if _, err := b.SandboxSales.Put(ctx, id, content, version); err != nil {
			return false, err
		}
	}
	return false, errors.New("the line is cut")
}

// The hooks of the sandbox go over HTTP to the service itself.
func TestTheSandboxSpeaksHTTP(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, harness.SQLite(t), "SERVICE_HOST=http://"+listener.Addr().String())
	server := &http.Server{Handler: s.Handler, ReadHeaderTimeout: time.Second}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	id, page := s.begin(s.buyer, P{"price_id": s.once})
	if err := s.Sandbox.Act(t.Context(), path.Base(page), "pay"); err != nil {
		t.Fatal(err)
	}
	s.Settle()
	if got := s.checkout(id); got.String("license.status") != "active" {
		t.Errorf("after the payment: %v", got.Data)
	}
	listed := s.seller.Do("BILLING.PROCESSOR_LIST", nil).OK().List("items")
	if last := listed[len(listed)-1]; last["processor"] != "sandbox" || last["configured"] != true || last["mode"] != "test" || last["last_event_at"] == nil {
		t.Errorf("the sandbox is %v", last)
	}
	var others []any
	for _, one := range listed[:len(listed)-1] {
		others = append(others, one["processor"])
		if _, there := one["mode"]; there || one["configured"] != false || len(one["abilities"].([]any)) == 0 || one["last_event_at"] != nil {
			t.Errorf("not configured, and shown is %v", one)
		}
	}
	if want := []any{"mollie", "paddle", "paypal", "polar", "stripe"}; !slices.Equal(others, want) {
		t.Errorf("the processors are %v, want %v", others, want)
	}
}

package stripe_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"gatehouse.internal/adapters/payment"
	"gatehouse.internal/adapters/payment/stripe"
	"gatehouse.internal/adapters/system"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/money"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/ports/outbound/commerce"
)

// An answer that is none of the API, or holds nothing, makes nothing up and breaks nothing.
func TestAnswersOfNothing(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{"", "{}", "null", "[]", "<html>", `{"data":null}`, `{"data":[`} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, answer) }))
		s := stripe.New(payment.Options{Processor: stripe.Name, Mode: billing.Test, SecretKey: secret.New("sk_test_1"), BaseURL: server.URL, Clock: system.Clock{}})
		facts, err := s.Fetch(t.Context(), "cs_1")
		if len(facts) > 0 {
			t.Errorf("%q is the sale %+v, %v", answer, facts, err)
		}
		for _, kind := range []string{"subscription", "payment_intent"} {
			if facts, err := s.Look(t.Context(), "pi_1", billing.ObjectRef{Kind: kind}); len(facts) > 0 {
				t.Errorf("%q is the sale of a %s %+v, %v", answer, kind, facts, err)
			}
		}
		price := billing.PriceSnapshot{Unit: money.Of(5, "EUR"), Interval: billing.Month, Model: billing.Metered, Meter: "calls"}
		if id, _ := s.EnsurePrice(t.Context(), commerce.PriceOrder{Price: price}, "pri_1"); id != "" {
			t.Errorf("%q is the price %s", answer, id)
		}
		if fact, _ := s.Refund(t.Context(), billing.RefundSnapshot{ID: "rfd_1", Payment: "pi_1", Amount: money.Of(5, "EUR")}, "k"); fact.ID != "" {
			t.Errorf("%q is the refund %+v", answer, fact)
		}
		server.Close()
	}
}

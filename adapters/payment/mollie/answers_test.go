package mollie_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"gatehouse.internal/adapters/payment"
	"gatehouse.internal/adapters/payment/mollie"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/money"
	"gatehouse.internal/domain/secret"
)

// An answer that is none of the API, or holds nothing, makes nothing up and breaks nothing.
func TestAnswersOfNothing(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{
		"", "{}", "null", "[]", "<html>", `{"_embedded":null}`, `{"_embedded":{"payments":[null],"subscriptions":[null],"refunds":[null]}}`, `{"_embedded":{`,
		`{"id":"tr_1","amount":{"currency":"EUR","value":"5.0"},"metadata":["of others"]}`, `{"id":"tr_1","metadata":"chk_1"}`,
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, answer) }))
		m := mollie.New(payment.Options{SecretKey: secret.New("test_1"), BaseURL: server.URL, Clock: &clock{}})
		if facts, err := m.Fetch(t.Context(), "tr_1"); len(facts) > 0 {
			t.Errorf("%q is the sale %+v, %v", answer, facts, err)
		}
		if fact, err := m.CancelSubscription(t.Context(), "cst_1/sub_1", true, "k"); err == nil && fact.CheckoutID != "" {
			t.Errorf("%q is the subscription %+v", answer, fact)
		}
		if fact, err := m.Refund(t.Context(), billing.RefundSnapshot{ID: "rfd_1", Payment: "tr_1", Amount: money.Of(5, "EUR")}, "k"); err == nil && fact.Refund.Amount.Minor != 0 {
			t.Errorf("%q is the refund %+v", answer, fact.Refund)
		}
		server.Close()
	}
}

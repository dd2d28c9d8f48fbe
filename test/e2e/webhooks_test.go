package e2e_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
)

// TestEveryPageFits for webhooks, until a real receiver has refused the first message.
func TestEveryPageOfWebhooksFits(t *testing.T) {
	onIts(t, sqlite(), func(t *testing.T, on store) {
		if *screens != "" {
			if err := os.MkdirAll(*screens, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		to := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "the queue of orders is full", http.StatusServiceUnavailable)
		}))
		t.Cleanup(to.Close)
		at := house(t, on)
		w := newTab(t, at)
		w.register(newcomer()).press("Webhooks").at("/account/webhooks").sees("There are none yet.").picture("webhooks-empty")
		w.press("New webhook").picture("webhook-new")
		w.fill("Address", "http://169.254.169.254/hooks").press("Make the webhook").picture("webhook-refused")
		w.fill("Address", to.URL+"/hooks").fill("What it is for", "Orders").press("Make the webhook").sees("whsec_").sees("not shown again").picture("webhook-made")
		w.press("Send a test").sees("The receiver answered 503").sees("the queue of orders is full").picture("webhook-tested")
	})
}

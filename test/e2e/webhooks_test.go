package e2e_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestEveryPageOfWebhooksFits goes through the pages of webhooks, with a real receiver that fails first.
func TestEveryPageOfWebhooksFits(t *testing.T) {
	onIts(t, sqlite(), func(t *testing.T, on store) {
		if *screens != "" {
			if err := os.MkdirAll(*screens, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		var well atomic.Bool
		to := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if !well.Load() {
				http.Error(w, "the queue of orders is full", http.StatusServiceUnavailable)
			}
		}))
		t.Cleanup(to.Close)
		at := house(t, on)
		w, p := newTab(t, at), newcomer()
		w.register(p).open("/account/workspaces").press("Webhooks").at("/account/webhooks").sees("There are none yet.").picture("webhooks-empty")
		w.press("New webhook").picture("webhook-new")
		w.fill("Address", "http://169.254.169.254/hooks").press("Make the webhook").picture("webhook-refused")
		w.fill("Address", to.URL+"/hooks").fill("What it is for", "Orders").press("Make the webhook").sees("whsec_").sees("not shown again").picture("webhook-made")
		w.press("Send a test").sees("The receiver answered 503").sees("the queue of orders is full").picture("webhook-tested")
		at.as(at.again(p), "ROLE.CREATE", P{"name": "Reader", "permissions": []string{"flows:read"}}).ok()
		w.open("/account/webhooks").press("Open "+to.URL+"/hooks").eventually("the failure", func() (bool, error) {
			w.open(w.address())
			return strings.Contains(w.text(), "in a row") && strings.Contains(w.text(), "role.created"), nil
		})
		w.picture("webhook-failing")
		webhook := w.address()
		w.open(w.attribute(`main a[aria-label^="Open the delivery of role.created"]`, "href")).sees("Answered 503.").sees("the queue of orders is full").sees("Reader").picture("delivery-failed")
		w.open(webhook).press("Switch off").picture("webhook-off")
		w.press("Switch off").sees("The webhook is off.").press("Switch on").sees("The webhook is on.")
		well.Store(true)
		w.press("Deliveries").picture("deliveries")
		w.open("/account/webhooks").picture("webhooks")
		w.open(webhook).press("Change").picture("webhook-change")
		w.tick("Every event").click("Choose some").do(chromedp.Click(`input[value="role.*"]`))
		w.press("Save").sees("The webhook was changed.").sees("role.*")
		w.press("New secret").picture("webhook-secret")
		w.press("Make a new secret").sees("whsec_").press("Delete").picture("webhook-delete")
		w.press("Delete").sees("The webhook was deleted.")
	})
}

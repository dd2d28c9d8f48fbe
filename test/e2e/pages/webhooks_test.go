package pages_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"

	"gatehouse.internal/test/e2e/browser"
	"gatehouse.internal/test/e2e/instance"
)

// TestEveryPageOfWebhooksFits goes through the pages of webhooks, with a real receiver that fails first.
func TestEveryPageOfWebhooksFits(t *testing.T) {
	instance.OnIts(t, instance.SQLite(), func(t *testing.T, on instance.Store) {
		if *browser.Screens != "" {
			if err := os.MkdirAll(*browser.Screens, 0o755); err != nil {
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
		at := browser.House(t, on)
		w, p := browser.NewTab(t, at), instance.Newcomer()
		w.Register(p).Open("/account/workspaces").Press("Webhooks").At("/account/webhooks").Sees("There are none yet.").Picture("webhooks-empty")
		w.Press("New webhook").Picture("webhook-new")
		w.Fill("Address", "http://169.254.169.254/hooks").Press("Make the webhook").Picture("webhook-refused")
		w.Fill("Address", to.URL+"/hooks").Fill("What it is for", "Orders").Press("Make the webhook").Sees("whsec_").Sees("not shown again").Picture("webhook-made")
		w.Press("Send a test").Sees("The receiver answered 503").Sees("the queue of orders is full").Picture("webhook-tested")
		at.As(at.Again(p), "ROLE.CREATE", P{"name": "Reader", "permissions": []string{"flows:read"}}).OK()
		w.Open("/account/webhooks").Press("Open "+to.URL+"/hooks").Eventually("the failure", func() (bool, error) {
			w.Open(w.Address())
			return strings.Contains(w.Text(), "in a row") && strings.Contains(w.Text(), "role.created"), nil
		})
		w.Picture("webhook-failing")
		webhook := w.Address()
		w.Open(w.Attribute(`main a[aria-label^="Open the delivery of role.created"]`, "href")).Sees("Answered 503.").Sees("the queue of orders is full").Sees("Reader").Picture("delivery-failed")
		w.Open(webhook).Press("Switch off").Picture("webhook-off")
		w.Press("Switch off").Sees("The webhook is off.").Press("Switch on").Sees("The webhook is on.")
		well.Store(true)
		w.Press("Deliveries").Picture("deliveries")
		w.Open("/account/webhooks").Picture("webhooks")
		w.Open(webhook).Press("Change").Picture("webhook-change")
		w.Tick("Every event").Click("Choose some").Do(chromedp.Click(`input[value="role.*"]`))
		w.Press("Save").Sees("The webhook was changed.").Sees("role.*")
		w.Press("New secret").Picture("webhook-secret")
		w.Press("Make a new secret").Sees("whsec_").Press("Delete").Picture("webhook-delete")
		w.Press("Delete").Sees("The webhook was deleted.")
	})
}

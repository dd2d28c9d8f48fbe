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
		w.Register(p).Open("/account/workspaces").Press("Webhooks").At("/account/webhooks").Sees("No webhooks yet.").Picture("webhooks-empty")
		w.Press("Create webhook").Picture("webhook-new")
		w.Fill("URL", "http://169.254.169.254/hooks").Press("Create webhook").Picture("webhook-refused")
		w.Fill("URL", to.URL+"/hooks").Fill("Description", "Orders").Press("Create webhook").Sees("whsec_").Sees("won't be shown again").Picture("webhook-made")
		w.Press("Send test").Sees("The endpoint responded with status 503").Sees("the queue of orders is full").Picture("webhook-tested")
		at.As(at.Again(p), "ROLE.CREATE", P{"name": "Reader", "permissions": []string{"flows:read"}}).OK()
		w.Open("/account/webhooks").Press("Open "+to.URL+"/hooks").Eventually("the failure", func() (bool, error) {
			w.Open(w.Address())
			return strings.Contains(w.Text(), "in a row") && strings.Contains(w.Text(), "role.created"), nil
		})
		w.Picture("webhook-failing")
		webhook := w.Address()
		w.Open(w.Attribute(`main a[aria-label$="of role.created"]`, "href")).Sees("Status 503.").Sees("the queue of orders is full").Sees("Reader").Picture("delivery-failed")
		w.Open(webhook).Press("Disable").Picture("webhook-off")
		w.Press("Disable webhook").Sees("The webhook is disabled.").Press("Enable").Sees("The webhook is enabled.")
		well.Store(true)
		w.Press("Deliveries").Picture("deliveries")
		w.Open("/account/webhooks").Picture("webhooks")
		w.Open(webhook).Press("Change").Picture("webhook-change")
		w.Tick("All events").Click("Select events").Do(chromedp.Click(`input[value="role.*"]`))
		w.Press("Save").Sees("The webhook was updated.").Sees("role.*")
		w.Press("Rotate secret").Picture("webhook-secret")
		w.Press("Rotate secret").Sees("whsec_").Press("Delete").Picture("webhook-delete")
		w.Press("Delete webhook").Sees("The webhook was deleted.")
	})
}

package pages_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse.internal/test/harness"
)

const hooksPage = "/account/webhooks"

var (
	secretShown  = regexp.MustCompile(`id="made">(whsec_[^<]+)<`)
	openDelivery = regexp.MustCompile(`href="(/account/webhooks/deliveries/dlv_[^"]+)"`)
)

// receiver starts a server that responds to every message with a status and a text, and
// keeps the last headers.
func receiver(t *testing.T, status *atomic.Int32, sent *atomic.Value, said string) *httptest.Server {
	t.Helper()
	to := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent.Store(r.Header)
		w.WriteHeader(int(status.Load()))
		_, _ = w.Write([]byte(said))
	}))
	t.Cleanup(to.Close)
	return to
}

func TestWebhookPages(t *testing.T) {
	t.Parallel()
	h := service(t)
	var status atomic.Int32
	status.Store(http.StatusInternalServerError)
	var sent atomic.Value
	to := receiver(t, &status, &sent, "<b>no</b> room")
	ada := visit(t, h).signUp("ada@example.com")
	ada.get(hooksPage).shows(http.StatusOK, "No webhooks yet", "Create webhook")
	ada.get(hooksPage+"/new").shows(http.StatusOK, "All events", "A custom role was defined.")
	ada.fill(hooksPage+"/new", "url=gopher://example.com", "events=*").shows(http.StatusUnprocessableEntity, "Error: New webhook", "gopher://example.com")
	ada.fill(hooksPage+"/new", "url="+to.URL).shows(http.StatusUnprocessableEntity, "Select at least one")
	ada.fill(hooksPage+"/new", "url="+to.URL, "events=role.*", "rate_limit=many").shows(http.StatusUnprocessableEntity, "rate_limit-error")
	ada.fill(hooksPage+"/new", "url="+to.URL, "events=role.*", "headers=X-Team").shows(http.StatusUnprocessableEntity, "a name, a colon and a value")
	ada.fill(hooksPage+"/new", "url="+to.URL, "events=role.*", "headers=Host: example.com").shows(http.StatusUnprocessableEntity, "Is reserved, because the service sets it.", "Host: example.com")
	ada.fill(hooksPage+"/new", "url="+to.URL, "events=role.*", "description=Orders <b>", "rate_limit=5", "headers=X-Team: blue\r\n\r\nX-Key:a:b ")
	page := ada.page.to
	ada.follow().shows(http.StatusOK, to.URL, "Orders <b>", "role.*", "5 messages per second", "be shown again", "No deliveries")
	secret := ada.found(secretShown)
	ada.lacks("Orders <b>")
	ada.get(page).shows(http.StatusOK).lacks(secret, "be shown again")
	of := "webhook_id=" + strings.TrimPrefix(page, hooksPage+"/")
	ada.fill(hooksPage+"/test", of, "type=user.created").shows(http.StatusOK, "The endpoint responded with status 500", "<b>no</b> room").lacks("<b>no</b>")
	ada.fill(hooksPage+"/test", of, "type=no.such").shows(http.StatusUnprocessableEntity, "Is not a known event type.")

	actor := h.Login("ada@example.com", harness.Password)
	actor.Do("ROLE.CREATE", harness.P{"name": "Reader", "permissions": []string{"flows:read"}}).OK()
	h.SendWebhooks()
	one := ada.get(page).shows(http.StatusOK, "role.created", "failed, will retry", "1 to be retried", "in a row").found(openDelivery)
	ada.get(hooksPage).shows(http.StatusOK, to.URL, "Failing", "1 attempt failed in a row")
	ada.get(one).shows(http.StatusOK, "Status 500", "<b>no</b> room", "The next attempt is in ", "Reader", to.URL).lacks("<b>no</b>", "Resend")
	ada.get(hooksPage+"/deliveries?status=failed").shows(http.StatusOK, "role.created")
	ada.get(hooksPage+"/deliveries?status=dead&"+of).shows(http.StatusOK, "No deliveries with this status.").lacks("role.created")

	outage := hooksPage + "/recover"
	ada.fill(outage, of, "days=31").shows(http.StatusUnprocessableEntity, "Enter a number from 1 to 30.")
	h.Clock.Advance(time.Second)
	ada.fill(outage, of, "days=1", "missing=yes").goes(page).follow().shows(http.StatusOK, "Missed messages will be resent")
	h.RunJobs()
	if n := h.SendWebhooks(); n != 1 {
		t.Errorf("%d attempts after the recovery", n)
	}

	ada.get(hooksPage+"/off/"+strings.TrimPrefix(of, "webhook_id=")).shows(http.StatusOK, to.URL, "dead letter")
	ada.fill(hooksPage+"/off", of).goes(page).follow().shows(http.StatusOK, "The webhook is disabled.", "Disabled manually.", "dead letter", "Disabled")
	h.Clock.Advance(6 * time.Minute)
	h.SendWebhooks()
	replay := "delivery_id=" + one[strings.LastIndex(one, "/")+1:]
	ada.get(one).shows(http.StatusOK, "Resend")
	ada.fill(hooksPage+"/deliveries/replay", replay).shows(http.StatusUnprocessableEntity, "receives no deliveries", "Attempts")
	ada.fill(hooksPage+"/on", of).goes(page).follow().shows(http.StatusOK, "The webhook is enabled.")
	status.Store(http.StatusOK)
	ada.fill(hooksPage+"/deliveries/replay", replay).goes(one).follow().shows(http.StatusOK, "The message will be sent again.", "pending")
	h.SendWebhooks()
	ada.get(one).shows(http.StatusOK, "delivered", "Status 500", "Status 200", "Delivered", "Resend")

	change := hooksPage + "/change/" + strings.TrimPrefix(of, "webhook_id=")
	ada.get(change).shows(http.StatusOK, to.URL, "Save").lacks("Create webhook")
	ada.get(change).shows(http.StatusOK, "Set: X-Key, X-Team").lacks("blue")
	ada.fill(hooksPage+"/change", of, "url="+to.URL+"/two", "events=*", "description=", "rate_limit=").goes(page).follow().
		shows(http.StatusOK, "The webhook was updated.", to.URL+"/two", "All events", "X-Key, X-Team").lacks("per second", "Orders")
	ada.fill(hooksPage+"/change", of, "url="+to.URL, "events=*", "headers=X-Other: red").goes(page).follow().shows(http.StatusOK, "X-Other").lacks("X-Team")
	actor.Do("WEBHOOK.TEST", harness.P{"webhook_id": strings.TrimPrefix(of, "webhook_id=")}).OK()
	if got := sent.Load().(http.Header); got.Get("X-Other") != "red" || got.Get("X-Key") != "" {
		t.Errorf("sent with %v", got)
	}
	ada.fill(hooksPage+"/change", of, "url="+to.URL, "events=*", "headerless=yes").goes(page).follow().shows(http.StatusOK, "All events").lacks("X-Other")
	ada.get(hooksPage+"/rotate/"+strings.TrimPrefix(of, "webhook_id=")).shows(http.StatusOK, "For 24 hours")
	if fresh := ada.fill(hooksPage+"/rotate", of).goes(page).follow().found(secretShown); fresh == secret {
		t.Error("the secret is the one before")
	}

	eve := visit(t, h).signUp("eve@example.com")
	eve.get(page).shows(http.StatusNotFound)
	eve.get(one).shows(http.StatusNotFound)
	eve.get(hooksPage).shows(http.StatusOK, "No webhooks yet")

	status.Store(http.StatusGone)
	actor.Do("ROLE.CREATE", harness.P{"name": "Writer", "permissions": []string{"flows:read"}}).OK()
	h.SendWebhooks()
	ada.get(hooksPage+"/discard/"+strings.TrimPrefix(of, "webhook_id=")).shows(http.StatusOK, to.URL, "permanently deletes all dead letters")
	ada.get(hooksPage+"/deliveries?status=dead").shows(http.StatusOK, "role.created", "dead letter")
	ada.fill(hooksPage+"/discard", of).goes(page).follow().shows(http.StatusOK, "Discarded ")
	ada.get(hooksPage+"/deliveries?status=dead").shows(http.StatusOK, "No deliveries with this status.").lacks("role.created")
	ada.get(hooksPage+"/delete/"+strings.TrimPrefix(of, "webhook_id=")).shows(http.StatusOK, "Past deliveries stay listed")
	ada.fill(hooksPage+"/delete", of).goes(hooksPage).follow().shows(http.StatusOK, "The webhook was deleted.", "No webhooks yet")
	ada.get(one).shows(http.StatusOK, "A deleted endpoint")
	ada.get(hooksPage+"/deliveries").shows(http.StatusOK, "role.created")
}

// A member without permission sees no webhooks, and no actions.
func TestWebhookPagesOfAMember(t *testing.T) {
	t.Parallel()
	h := service(t)
	ada := h.SignUp("ada@example.com")
	bob := visit(t, h).signUp("bob@example.com")
	acme := ada.Do("TEAM.CREATE", harness.P{"name": "Acme"}).OK().String("organization.id")
	whom := h.Login("bob@example.com", harness.Password).UserID
	h.Superadmin().Do("TEAM.MEMBER_ADD", harness.P{"org_id": acme, "user_id": whom, "role": "member"}).OK()
	bob.get("/account/workspaces").fill("/account/workspaces/switch", "to="+acme, "return_to="+hooksPage).goes(hooksPage).follow().
		shows(http.StatusOK, "have permission to see webhooks").lacks("Create webhook", hooksPage+"/deliveries")
	bob.get(hooksPage + "/new").shows(http.StatusNotFound)
	bob.get(hooksPage + "/deliveries").shows(http.StatusForbidden)
	bob.fill(hooksPage+"/new", "url=https://example.com/hooks", "events=*").shows(http.StatusUnprocessableEntity)
}

package operations_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/test/harness"
)

func TestFailingForDays(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada := h.SignUp("ada@example.com")
	to := receive(t)
	to.answers(status(500))
	id := register(ada, to.URL).String("webhook.id")
	mailsAbout := func(about string) (n int) {
		h.DeliverMail()
		for _, one := range h.Mail("ada@example.com") {
			if strings.Contains(one.Subject, about) {
				n++
			}
		}
		return n
	}
	webhookRole(ada, "First")
	h.SendWebhooks()
	for range 3 {
		h.Clock.Advance(12 * time.Hour)
		webhookRole(h.Login("ada@example.com", harness.Password), "More "+h.Clock.Now().Format(time.Kitchen+time.DateOnly))
		h.SendWebhooks()
	}
	if n := mailsAbout("is failing"); n != 1 {
		t.Errorf("after a day the owner was notified %d times", n)
	}
	h.Clock.Advance(3*24*time.Hour + 12*time.Hour - time.Minute)
	ada = h.Login("ada@example.com", harness.Password)
	h.SendWebhooks()
	if !ada.Do("WEBHOOK.GET", P{"webhook_id": id}).OK().Bool("webhook.enabled") {
		t.Error("it is switched off early")
	}
	h.Clock.Advance(6 * time.Minute)
	h.SendWebhooks()
	if got := ada.Do("WEBHOOK.GET", P{"webhook_id": id}).OK(); got.String("webhook.disabled_reason") != "failing" {
		t.Errorf("after five days %v", got.Data)
	}
	if n := mailsAbout("was disabled"); n != 1 {
		t.Errorf("at the end the owner was notified %d times", n)
	}
	// What was still to be attempted ends as a dead letter; switched on, it is attempted again.
	h.Clock.Advance(2 * time.Hour)
	h.SendWebhooks()
	ada = h.Login("ada@example.com", harness.Password)
	if dead := ada.Do("WEBHOOK.DEAD_LETTER_LIST", nil).OK().List("items"); len(dead) != 4 {
		t.Errorf("dead letters %v", dead)
	}
	to.answers(nil)
	to.taken()
	ada.Do("WEBHOOK.UPDATE", P{"webhook_id": id, "enabled": true}).OK()
	webhookRole(ada, "Second")
	if h.SendWebhooks(); len(to.taken()) != 1 {
		t.Error("switched on, it is not told")
	}
	if n := ada.Do("WEBHOOK.DEAD_LETTER_DISCARD", P{"webhook_id": id}).OK().Int("discarded"); n != 4 {
		t.Errorf("%d discarded", n)
	}
	if left := ada.Do("WEBHOOK.DEAD_LETTER_LIST", nil).OK().List("items"); len(left) != 0 {
		t.Errorf("left %v", left)
	}
}

// Many dead letters go in parts, each with an event of its own.
func TestDiscardInParts(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada, to := h.SignUp("ada@example.com"), receive(t)
		to.answers(status(http.StatusGone))
		id := register(ada, to.URL).String("webhook.id")
		webhookRole(ada, "First")
		h.SendWebhooks()
		const more = 1100
		database := h.Store.Database().Write
		_, err := database.ExecContext(t.Context(), database.Rebind(`
			WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
			INSERT INTO webhook_deliveries (id, endpoint_id, org_id, event_id, kind, status, attempts, round, status_code, error, duration_ms, created_at)
			SELECT d.id || n.i, d.endpoint_id, d.org_id, d.event_id || n.i, d.kind, 'dead', 1, 1, 410, '', 0, d.created_at FROM webhook_deliveries d, n`), more)
		if err != nil {
			t.Fatal(err)
		}
		if n := ada.Do("WEBHOOK.DEAD_LETTER_DISCARD", P{"webhook_id": id}).OK().Int("discarded"); n != more+1 {
			t.Errorf("%d discarded, want %d", n, more+1)
		}
		reported := 0
		for _, one := range h.Events("webhook_delivery.discarded") {
			var of struct{ Count int }
			if err := json.Unmarshal(one.Data, &of); err != nil || of.Count > 500 {
				t.Errorf("told %s (%v)", one.Data, err)
			}
			reported += of.Count
		}
		if reported != more+1 {
			t.Errorf("events tell of %d", reported)
		}
		if left := ada.Do("WEBHOOK.DEAD_LETTER_LIST", nil).OK().List("items"); len(left) != 0 {
			t.Errorf("%d left", len(left))
		}
	})
}

// A delivery that dies is an event, but for the deliveries of such events: a receiver that takes
// nothing would cause one after the other. Deliveries that end with their endpoint share one event.
func TestDeadDeliveriesAreEvents(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada, to := h.SignUp("ada@example.com"), receive(t)
		to.answers(status(http.StatusInternalServerError))
		id := ada.Do("WEBHOOK.CREATE", P{"url": to.URL, "events": []string{"role.created", "webhook_delivery.dead"}}).OK().String("webhook.id")
		deaths := func(want int) []P {
			t.Helper()
			found := ada.Do("EVENT.LIST", P{"types": []string{"webhook_delivery.dead"}}).OK().List("items")
			if len(found) != want {
				t.Fatalf("%d events webhook_delivery.dead, want %d: %v", len(found), want, found)
			}
			return found
		}
		exhaust := func() {
			for range 6 {
				h.SendWebhooks()
				h.Clock.Advance(time.Hour)
			}
			ada = h.Login("ada@example.com", harness.Password)
		}
		webhookRole(ada, "First")
		exhaust()
		exhausted := deaths(1)[0]["data"].(P)
		if exhausted["reason"] != "exhausted" || exhausted["count"] != 1.0 || exhausted["webhook_id"] != id || exhausted["event_type"] != "role.created" {
			t.Errorf("webhook_delivery.dead says %v", exhausted)
		}
		exhaust() // the delivery of that event dies as well
		deaths(1)
		webhookRole(ada, "Second")
		webhookRole(ada, "Third")
		h.SendWebhooks()
		ada.Do("WEBHOOK.UPDATE", P{"webhook_id": id, "enabled": false}).OK()
		h.Clock.Advance(2 * time.Minute)
		h.SendWebhooks()
		ended := deaths(2)[1]["data"].(P)
		if ended["reason"] != "disabled" || ended["count"] != 2.0 || ended["delivery_id"] != nil {
			t.Errorf("webhook_delivery.dead says %v", ended)
		}
	})
}

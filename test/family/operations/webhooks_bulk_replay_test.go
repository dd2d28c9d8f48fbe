package operations_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/test/harness"
)

// After an outage one command recovers what was missed: by a member who holds the permission
// in the workspace, by a key and by an app of theirs.
func TestBulkReplay(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada := h.SignUp("ada@example.com")
		h.SignUp("bob@example.com")
		to := receive(t)
		id := register(ada, to.URL).String("webhook.id")
		begin := h.Clock.Now()
		h.Clock.Advance(time.Second)
		to.answers(status(http.StatusBadGateway))
		webhookRole(ada, "First")
		webhookRole(ada, "Second")
		for range 8 { // until both are dead
			h.SendWebhooks()
			h.Clock.Advance(time.Hour)
		}
		ada = h.Login("ada@example.com", harness.Password)
		ada.Do("WEBHOOK.UPDATE", P{"webhook_id": id, "enabled": false}).OK()
		webhookRole(ada, "Unheard")
		h.SendWebhooks()
		ada.Do("WEBHOOK.BULK_REPLAY", P{"webhook_id": id, "from": begin}).Fails(fault.Validation)
		ada.Do("WEBHOOK.UPDATE", P{"webhook_id": id, "enabled": true}).OK()
		h.Clock.Advance(time.Second)
		to.answers(nil)
		before := ids(to.taken())
		h.Login("bob@example.com", harness.Password).Do("WEBHOOK.BULK_REPLAY", P{"webhook_id": id, "from": begin}).Fails(fault.NotFound)
		ada.Do("WEBHOOK.BULK_REPLAY", P{"webhook_id": id, "from": h.Clock.Now(), "to": begin}).Fails(fault.Validation)

		key := h.With(ada.Do("API_KEY.CREATE", P{"name": "key", "scopes": []string{"webhooks:write", "jobs:read"}}).OK().String("key"))
		job := key.Do("WEBHOOK.BULK_REPLAY", P{"webhook_id": id, "from": begin}).OK().String("job_id")
		h.RunJobs()
		if ended := ada.Do("JOB.GET", P{"job_id": job}).OK(); ended.String("job.status") != "succeeded" || ended.Int("job.done") != 2 {
			t.Fatalf("the job ended as %v", ended.Data)
		}
		h.SendWebhooks()
		if got := ids(to.taken()); len(got) != 2 || !slices.Contains(before, got[0]) || !slices.Contains(before, got[1]) {
			t.Errorf("came %v, before %v", got, before)
		}
		job = ada.Do("WEBHOOK.BULK_REPLAY", P{"webhook_id": id, "from": begin, "include_missing": true}).OK().String("job_id")
		h.RunJobs()
		h.SendWebhooks()
		ended := ada.Do("JOB.GET", P{"job_id": job}).OK()
		if got := ids(to.taken()); ended.Int("job.done") != 1 || len(got) != 1 || slices.Contains(before, got[0]) {
			t.Errorf("came %v, done %v", got, ended.Data)
		}
		if events := h.Events("webhook_delivery.replayed"); len(events) != 2 || events[0].Origin.Command != "WEBHOOK.BULK_REPLAY" {
			t.Errorf("told %v", events)
		}
	})
}

// Who lost the permission since does nothing any more.
func TestBulkReplayAsksForItsMaker(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		root, ada := h.Superadmin(), h.SignUp("ada@example.com")
		id := register(ada, receive(t).URL).String("webhook.id")
		made := root.Do("USER.CREATE", P{"email": "eve@example.com", "password": harness.Password, "org_id": ada.OrgID, "role": role.Admin}).OK()
		eve := h.With(h.Anonymous().Do("AUTH.LOGIN", P{"email": "eve@example.com", "password": harness.Password, "org_id": ada.OrgID}).OK().String("access_token"))
		start := func() string {
			return eve.Do("WEBHOOK.BULK_REPLAY", P{"webhook_id": id, "from": h.Clock.Now().Add(-time.Hour)}).OK().String("job_id")
		}
		ended := func(job string) string { return root.Do("JOB.GET", P{"job_id": job}).OK().String("job.status") }
		job := start()
		h.RunJobs()
		if got := ended(job); got != "succeeded" {
			t.Errorf("of an admin: %s", got)
		}
		job = start()
		ada.Do("USER.UNSET_ROLE", P{"user_id": made.String("user.id"), "role": role.Admin}).OK()
		h.RunJobs()
		if got := ended(job); got != "failed" {
			t.Errorf("of a member: %s", got)
		}
	})
}

// ids are the webhook-id of messages.
func ids(all []message) []string {
	found := make([]string, len(all))
	for i, one := range all {
		found[i] = one.header.Get("Webhook-Id")
	}
	return found
}

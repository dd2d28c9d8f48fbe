package relay_test

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	webhookstore "gatehouse.internal/adapters/sqlstore/webhooks"
	"gatehouse.internal/ports/outbound/webhooks"
	"gatehouse.internal/test/harness"
)

// Webhooks that took all they may in a second hold up none that comes after them in the turn.
func TestPacedEndpointsDelayNobody(t *testing.T) {
	t.Parallel()
	const paced, events = 60, 3
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		h := harness.On(t, database)
		ada := h.SignUp("ada@example.com")
		slowly, to := receive(t, nil), receive(t, nil)
		for range paced {
			register(ada, slowly.URL, P{"rate_limit": 1})
		}
		register(ada, to.URL)
		roles(ada, events)
		h.SendWebhooks()
		if slowly.count() != paced || to.count() != events {
			t.Errorf("within a second %d messages to the paced ones, %d to the other", slowly.count(), to.count())
		}
	})
}

// A webhook that is switched off while messages are being sent to it: these end by what the
// receiver answers, and what waits for a further attempt is a dead letter at once.
func TestSwitchedOffWhileDelivering(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		h := harness.On(t, database)
		ada := h.SignUp("ada@example.com")
		var id any
		var turn atomic.Int32
		to := receive(t, func(*http.Request) {
			switch turn.Add(1) {
			case 1:
				panic(http.ErrAbortHandler)
			case 2:
				ada.Do("WEBHOOK.UPDATE", P{"webhook_id": id, "enabled": false}).OK()
				if n := h.SendWebhooks(); n != 0 {
					t.Errorf("%d attempts after it was switched off", n)
				}
			}
		})
		register(ada, to.URL)
		id = ada.Do("WEBHOOK.LIST", nil).OK().List("items")[0]["id"]
		roles(ada, 1)
		if n := h.SendWebhooks(); n != 1 {
			t.Fatalf("%d attempts", n)
		}
		ada.Do("ROLE.CREATE", P{"name": "Sent", "permissions": []string{"flows:read"}}).OK()
		if n := h.SendWebhooks(); n != 1 || to.count() != 1 {
			t.Errorf("%d attempts, %d messages", n, to.count())
		}
		statuses := map[any]any{}
		for _, d := range ada.Do("WEBHOOK.DELIVERY_LIST", nil).OK().List("items") {
			statuses[d["status"]] = d["error"]
		}
		if len(statuses) != 2 || statuses["succeeded"] != nil || statuses["dead"] != "the webhook endpoint was disabled" {
			t.Errorf("deliveries end as %v", statuses)
		}
		ada.Do("WEBHOOK.UPDATE", P{"webhook_id": id, "enabled": true}).OK()
		h.Clock.Advance(time.Second)
		ada.Do("WEBHOOK.BULK_REPLAY", P{"webhook_id": id, "from": h.Clock.Now().Add(-time.Hour)}).OK()
		h.RunJobs()
		if n := h.SendWebhooks(); n != 1 || to.count() != 2 {
			t.Errorf("%d attempts after the replay, %d messages", n, to.count())
		}
	})
}

// What an outage left dead is told again once by a job, while two replicas work: one of them
// carries the job out, both send, and each message comes once and under the identifier it had.
func TestBulkReplayBesideAnotherReplica(t *testing.T) {
	t.Parallel()
	const many = 30
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		first, second := harness.On(t, database), harness.On(t, database)
		var up atomic.Bool
		to := receive(t, func(*http.Request) {
			if !up.Load() {
				panic(http.ErrAbortHandler)
			}
		})
		ada := first.SignUp("ada@example.com")
		register(ada, to.URL)
		id := ada.Do("WEBHOOK.LIST", nil).OK().List("items")[0]["id"]
		roles(ada, many)
		for range 3 { // at most ten are under way at once
			first.SendWebhooks()
		}
		ada.Do("WEBHOOK.UPDATE", P{"webhook_id": id, "enabled": false}).OK()
		first.SendWebhooks()
		was := map[string]bool{}
		for _, d := range ada.Do("WEBHOOK.DEAD_LETTER_LIST", P{"limit": 100}).OK().List("items") {
			was[d["id"].(string)] = true
		}
		up.Store(true)
		ada.Do("WEBHOOK.UPDATE", P{"webhook_id": id, "enabled": true}).OK()
		first.Clock.Advance(time.Second)
		second.Clock.Advance(time.Second)
		working(first, t)
		working(second, t)
		ada.Do("WEBHOOK.BULK_REPLAY", P{"webhook_id": id, "from": first.Clock.Now().Add(-time.Hour)}).OK()
		var jobs sync.WaitGroup
		for _, h := range []*harness.Service{first, second} {
			jobs.Go(h.RunJobs)
		}
		jobs.Wait()
		eventually(t, "everything delivered", func() bool { return to.count() == many })
		to.mu.Lock()
		defer to.mu.Unlock()
		for id, n := range to.got {
			if n != 1 || !was[id] {
				t.Errorf("%s came %d times, and was dead before: %t", id, n, was[id])
			}
		}
	})
}

// Receivers that fail, and then hang, more of them than a replica sends messages at once, leave
// room for one that is well.
func TestHangingEndpointsDelayNobody(t *testing.T) {
	t.Parallel()
	const hanging, owners = 90, 3
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		h := harness.On(t, database)
		hang := make(chan struct{})
		var failed atomic.Int32
		bad := receive(t, func(*http.Request) {
			if failed.Add(1) <= hanging {
				panic(http.ErrAbortHandler)
			}
			<-hang
		})
		release := sync.OnceFunc(func() { close(hang) })
		t.Cleanup(release)
		var who []*harness.Actor
		for i := range owners {
			who = append(who, h.SignUp(fmt.Sprintf("owner%d@example.com", i)))
			for range hanging / owners {
				register(who[i], bad.URL)
			}
			roles(who[i], 1)
		}
		if n := h.SendWebhooks(); n != hanging {
			t.Fatalf("%d attempts", n)
		}
		h.Clock.Advance(time.Minute)
		well := receive(t, nil)
		register(who[0], well.URL)
		began := time.Now()
		stop := working(h, t)
		eventually(t, "half of what hangs", func() bool { return failed.Load() >= hanging+32 })
		who[0].Do("ROLE.CREATE", P{"name": "Well", "permissions": []string{"flows:read"}}).OK()
		eventually(t, "what is for the one that is well", func() bool { return well.count() == 1 })
		if took := time.Since(began); took > 8*time.Second {
			t.Errorf("it waited %s", took)
		}
		release()
		stop()
	})
}

// Webhooks that have all they may under way, more than are looked at at once, hide none behind
// them, wherever the turn of a replica begins.
func TestBusyEndpointsHideNone(t *testing.T) {
	t.Parallel()
	const first, all = 50, 60
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		h := harness.On(t, database)
		ada, bob := h.SignUp("ada@example.com"), h.SignUp("bob@example.com")
		to := receive(t, nil)
		for i := range all {
			register([]*harness.Actor{ada, bob}[i%2], to.URL)
		}
		for _, one := range []*harness.Actor{ada, bob} {
			roles(one, 2)
		}
		if err := webhookstore.Feed(h.Store).Place(t.Context()); err != nil {
			t.Fatal(err)
		}
		claims := webhookstore.Claims(h.Store)
		for _, want := range []int{first, all - first, 0} {
			claimed, err := claims.Claim(t.Context(), webhooks.ClaimOrder{Most: first, InFlight: 1, Now: h.Clock.Now()})
			if err != nil || len(claimed) != want {
				t.Errorf("claimed %d, %v, want %d", len(claimed), err, want)
			}
		}
	})
}

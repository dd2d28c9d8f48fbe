package relay_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	webhookstore "gatehouse.internal/adapters/sqlstore/webhooks"
	"gatehouse.internal/domain/webhook"
	"gatehouse.internal/ports/outbound/webhooks"
	"gatehouse.internal/test/harness"
)

type P = harness.P

// receiver counts messages by their identifier.
type receiver struct {
	*httptest.Server

	mu  sync.Mutex
	got map[string]int
}

func receive(t *testing.T, before func(*http.Request)) *receiver {
	t.Helper()
	r := &receiver{got: map[string]int{}}
	r.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
		if before != nil {
			before(request)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.got[request.Header.Get("Webhook-Id")]++
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.got)
}

func register(who *harness.Actor, url string, more ...P) {
	params := P{"url": url, "events": []string{"role.created"}}
	for _, one := range more {
		for name, value := range one {
			params[name] = value
		}
	}
	who.Do("WEBHOOK.CREATE", params).OK()
}

func roles(who *harness.Actor, most int) {
	for i := range most {
		who.Do("ROLE.CREATE", P{"name": fmt.Sprint("Role ", i), "permissions": []string{"flows:read"}}).OK()
	}
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for range 1000 {
		if holds() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("%s does not come about", what)
}

// A replica that claimed deliveries and died is followed by another, once its lease has ended
// and not before; what it still has to say of them counts no more.
func TestTakeOver(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		dying, other := harness.On(t, database), harness.On(t, database)
		to := receive(t, nil)
		ada := dying.SignUp("ada@example.com")
		register(ada, to.URL)
		roles(ada, 3)
		feed, claims := webhookstore.Feed(dying.Store), webhookstore.Claims(dying.Store)
		if err := feed.Place(t.Context()); err != nil {
			t.Fatal(err)
		}
		held, err := claims.Claim(t.Context(), webhooks.ClaimOrder{Most: 10, InFlight: 10, Now: dying.Clock.Now()})
		if err != nil || len(held) != 3 {
			t.Fatalf("claimed %d, %v", len(held), err)
		}
		other.Clock.Advance(webhook.Lease - 5*time.Second)
		if n := other.SendWebhooks(); n != 0 {
			t.Errorf("%d attempts before the lease has ended", n)
		}
		other.Clock.Advance(10 * time.Second)
		if n := other.SendWebhooks(); n != 3 || to.count() != 3 {
			t.Errorf("%d attempts after it, %d messages", n, to.count())
		}
		late := held[0]
		failed := webhook.Attempt{At: dying.Clock.Now(), StatusCode: 500}
		late.Note(failed, 0, dying.Clock.Now())
		if _, err := claims.Finish(t.Context(), late, failed); err != nil {
			t.Error(err)
		}
		for _, d := range ada.Do("WEBHOOK.DELIVERY_LIST", nil).OK().List("items") {
			if d["status"] != "succeeded" || d["attempts"] != 1.0 {
				t.Errorf("a delivery is %v", d)
			}
		}
		if to.got[late.ID.String()] != 1 {
			t.Errorf("webhook-ids %v, want %s", to.got, late.ID)
		}
	})
}

// Replicas that work at once send each message once while none of them dies, and end what is
// under way when they stop.
func TestReplicasShare(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		first, second := harness.On(t, database), harness.On(t, database)
		to := receive(t, func(*http.Request) { time.Sleep(5 * time.Millisecond) })
		ada := first.SignUp("ada@example.com")
		register(ada, to.URL)
		ctx, stop := context.WithCancel(t.Context())
		var working sync.WaitGroup
		for _, h := range []*harness.Service{first, second} {
			working.Go(func() { h.Relay.Run(ctx) })
		}
		const many = 30
		roles(ada, many)
		eventually(t, "everything delivered", func() bool { return to.count() == many })
		stop()
		working.Wait()
		for id, n := range to.got {
			if n != 1 {
				t.Errorf("%s came %d times", id, n)
			}
		}
		if got := ada.Do("WEBHOOK.STATS_GET", nil).OK(); got.Int("succeeded") != many {
			t.Errorf("stats %v", got.Data)
		}
	})
}

func TestRateLimit(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		h := harness.On(t, database)
		to := receive(t, nil)
		ada := h.SignUp("ada@example.com")
		register(ada, to.URL, P{"rate_limit": 2})
		roles(ada, 5)
		var sent []int
		for range 4 {
			sent = append(sent, h.SendWebhooks())
			h.Clock.Advance(time.Second)
		}
		if !slices.Equal(sent, []int{2, 2, 1, 0}) {
			t.Errorf("sent %v a second", sent)
		}
	})
}

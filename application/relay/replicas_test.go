package relay_test

import (
	"bufio"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"gatehouse.internal/test/harness"
)

// Replicas that carry on streams and the chain at once ship every event once and in order, and
// close every block once.
func TestReplicasShipAndSealAtOnce(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		first, second := harness.On(t, database), harness.On(t, database)
		var mu sync.Mutex
		var came []string
		to := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			for lines := bufio.NewScanner(r.Body); lines.Scan(); {
				var one struct {
					Data struct{ Name string }
				}
				_ = json.Unmarshal(lines.Bytes(), &one)
				came = append(came, one.Data.Name)
			}
		}))
		t.Cleanup(to.Close)
		ada := first.SignUp("ada@example.com")
		ada.Do("AUDIT.STREAM_CREATE", P{"name": "siem", "kind": "http", "url": to.URL, "secret": "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD", "filter": P{"types": []string{"role.created"}}}).OK()
		const rounds = 5
		var want []string
		for round := range rounds {
			for _, name := range []string{"a", "b", "c"} {
				name += string(rune('0' + round))
				ada.Do("ROLE.CREATE", P{"name": name, "permissions": []string{"flows:read"}}).OK()
				want = append(want, name)
			}
			var working sync.WaitGroup
			for _, replica := range []*harness.Service{first, second} {
				replica.Clock.Advance(2 * time.Minute)
				working.Go(func() {
					if _, err := replica.Relay.Pass(t.Context()); err != nil {
						t.Error(err)
					}
				})
				working.Go(func() {
					if _, err := replica.Relay.Stream(t.Context()); err != nil {
						t.Error(err)
					}
				})
				working.Go(func() {
					if err := replica.Relay.Seal(t.Context()); err != nil {
						t.Error(err)
					}
				})
			}
			working.Wait()
		}
		for range 2 {
			first.SendWebhooks()
			first.Clock.Advance(2 * time.Minute)
			if _, err := first.Relay.Stream(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := first.Relay.Seal(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(came, want) {
			t.Errorf("came %v, want %v", came, want)
		}
		if found := first.Superadmin().Do("AUDIT.VERIFY", nil).OK(); !found.Bool("intact") {
			t.Errorf("the chain: %v", found.Data)
		}
	})
}

// A collector that hangs holds up no other stream.
func TestHangingCollectorDelaysNobody(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		h := harness.On(t, database)
		hanging := make(chan struct{})
		asked, well := make(chan struct{}, 10), receive(t, nil)
		dead := receive(t, func(*http.Request) {
			asked <- struct{}{}
			<-hanging
		})
		release := sync.OnceFunc(func() { close(hanging) })
		t.Cleanup(release)
		ada := h.SignUp("ada@example.com")
		for _, url := range []string{dead.URL, well.URL} {
			ada.Do("AUDIT.STREAM_CREATE", P{"name": "siem", "kind": "http", "url": url, "secret": "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"}).OK()
		}
		stop := working(h, t)
		eventually(t, "the first batches", func() bool {
			h.Clock.Advance(100 * time.Millisecond) // what is placed after the first look is sent at a later one
			return len(asked) > 0 && well.count() > 0
		})
		before, began := well.count(), time.Now()
		roles(ada, 1)
		eventually(t, "another batch", func() bool {
			h.Clock.Advance(100 * time.Millisecond)
			return well.count() > before
		})
		if took := time.Since(began); took > 8*time.Second {
			t.Errorf("it waited %s", took)
		}
		release()
		stop()
	})
}

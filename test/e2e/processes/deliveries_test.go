package processes_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"gatehouse.internal/test/e2e/instance"
)

// kills is how long replicas are killed under load; a minute is what it is to stand.
var kills = flag.Duration("kills", 8*time.Second, "how long TestKillsLoseNoEvent kills replicas under load")

// sendWithin is how long the replicas have in the end to send what is left.
const sendWithin = 10 * time.Minute

// ear is a receiver that keeps which message told of which event.
type ear struct {
	*httptest.Server

	t       *testing.T
	library *standardwebhooks.Webhook

	mu sync.Mutex
	// bodies are those of messages by their webhook-id, told the webhook-ids by events.
	bodies, messages map[string]string
	doubles          int
}

// most is how long the receiver takes for a message at most.
const most = 10 * time.Millisecond

func hear(t *testing.T) *ear {
	t.Helper()
	e := &ear{t: t, bodies: map[string]string{}, messages: map[string]string{}}
	e.Server = httptest.NewServer(http.HandlerFunc(e.take))
	t.Cleanup(e.Close)
	return e
}

func (e *ear) take(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // its sender was killed
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.library.Verify(body, r.Header); err != nil {
		e.t.Errorf("a message does not verify: %v", err)
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	time.Sleep(rand.N(most)) // with the lock: some are under way whenever a kill comes
	var event struct{ ID string }
	_ = json.Unmarshal(body, &event)
	id := r.Header.Get("Webhook-Id")
	before, again := e.bodies[id]
	if again {
		e.doubles++
	}
	if earlier, known := e.messages[event.ID]; again && before != string(body) || known && earlier != id {
		e.t.Errorf("the message %s of %s came as %s before, as %q: now %q", id, event.ID, earlier, before, body)
	}
	e.bodies[id], e.messages[event.ID] = string(body), id
}

func (e *ear) count() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.messages)
}

// Replicas are killed, and started again, every few seconds while people work: each event that
// was committed reaches its receiver at least once and under one webhook-id, and none is
// invented.
func TestKillsLoseNoEvent(t *testing.T) {
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		s := instance.Open(t, on, "WEBHOOK_ALLOW_HTTP=true", "WEBHOOK_ALLOW_PRIVATE=true")
		admin, to := s.First().Admin(), hear(t)
		s.First().Wide(admin)
		made := s.First().As(admin, "WEBHOOK.CREATE", P{"url": to.URL, "events": []string{"user.updated"}}).OK()
		var err error
		if to.library, err = standardwebhooks.NewWebhook(made.Text("signing_secret")); err != nil {
			t.Fatal(err)
		}
		running := make([]atomic.Pointer[instance.Replica], len(s.Replicas))
		for i, r := range s.Replicas {
			running[i].Store(r)
		}
		acknowledged := renameWhileKilled(s, running)
		committed := committed(s, admin)
		if len(committed) < acknowledged || acknowledged == 0 {
			t.Errorf("%d events are committed of %d that were acknowledged", len(committed), acknowledged)
		}
		ended := time.Now()
		// What a killed replica had claimed is nobody else's for its lease, which would be waited for.
		s.Exec(`UPDATE webhook_deliveries SET due_at = created_at WHERE status = 'delivering'`)
		for to.count() < len(committed) && time.Since(ended) < sendWithin {
			time.Sleep(100 * time.Millisecond)
		}
		to.mu.Lock()
		defer to.mu.Unlock()
		for id := range committed {
			if to.messages[id] == "" {
				t.Errorf("%s does not arrive", id)
			}
		}
		for id := range to.messages {
			if !committed[id] {
				t.Errorf("%s arrives and was never committed", id)
			}
		}
		t.Logf("%d acknowledged, %d committed, %d received, %d of them twice, the last %s after the load", acknowledged, len(committed), len(to.messages), to.doubles, time.Since(ended).Round(time.Second))
	})
}

// renameWhileKilled has people change their names at all replicas while these are killed, and
// returns how many changes were acknowledged.
func renameWhileKilled(s *instance.Site, running []atomic.Pointer[instance.Replica]) int {
	s.T.Helper()
	const workers = 4
	var acknowledged atomic.Int32
	var stop atomic.Bool
	var working sync.WaitGroup
	for i := range workers {
		who := s.Any(i).SignUp()
		working.Go(func() {
			for n := i; !stop.Load(); n++ {
				answer := running[n%len(running)].Load().As(who, "USER.UPDATE", P{"display_name": fmt.Sprint("Name ", n)})
				switch answer.Code() {
				case "OK":
					acknowledged.Add(1)
				case "": // the replica is gone
				default:
					s.T.Errorf("answered %s", answer.Body)
					return
				}
				time.Sleep(breath)
			}
		})
	}
	for began := time.Now(); time.Since(began) < *kills; {
		time.Sleep(time.Second + rand.N(3*time.Second))
		at := rand.N(len(running))
		running[at].Load().Kill()
		s.Replicas[at] = instance.Launch(s.T, s.Secrets, s.Directory, s.Environment, "serve")
		running[at].Store(s.Replicas[at])
	}
	stop.Store(true)
	working.Wait()
	return int(acknowledged.Load())
}

// committed are the events that the feed tells of, which are as many as are stored.
func committed(s *instance.Site, admin instance.Person) map[string]bool {
	s.T.Helper()
	found := map[string]bool{}
	for params := (P{"types": []string{"user.updated"}, "limit": 200}); ; {
		page := s.First().As(admin, "EVENT.LIST", params).OK()
		for _, one := range page.Items() {
			found[one["id"].(string)] = true
		}
		next := page.Value("next_cursor")
		if next == nil {
			break
		}
		params["cursor"] = next
	}
	var stored int
	if s.Query(`SELECT count(*) FROM events WHERE kind = 'user.updated'`, &stored); stored != len(found) {
		s.T.Errorf("the feed tells of %d events, %d are stored", len(found), stored)
	}
	return found
}

package operations_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/webhook"
	"gatehouse.internal/test/harness"
)

// receiver is a server that keeps what it gets, and answers what the test wants.
type receiver struct {
	*httptest.Server

	mu     sync.Mutex
	got    []message
	answer http.HandlerFunc
}

type message struct {
	header http.Header
	body   []byte
}

func receive(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		r.mu.Lock()
		r.got = append(r.got, message{request.Header, body})
		answer := r.answer
		r.mu.Unlock()
		if answer != nil {
			answer(w, request)
		}
	}))
	t.Cleanup(r.Close)
	return r
}

// answers sets what the receiver answers from now on.
func (r *receiver) answers(answer http.HandlerFunc) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = answer
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

// taken returns what came since the last call.
func (r *receiver) taken() []message {
	r.mu.Lock()
	defer r.mu.Unlock()
	got := r.got
	r.got = nil
	return got
}

func webhookRole(who *harness.Actor, name string) {
	who.Do("ROLE.CREATE", P{"name": name, "permissions": []string{"flows:read"}}).OK()
}

func register(who *harness.Actor, url string, more ...P) *harness.Reply {
	params := P{"url": url, "events": []string{"role.*"}}
	for _, one := range more {
		for name, value := range one {
			params[name] = value
		}
	}
	return who.Do("WEBHOOK.CREATE", params).OK()
}

// verify checks a message by the stock library, whose tolerance is that of the real clock.
func verify(t *testing.T, secret string, m message) error {
	t.Helper()
	library, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	return library.VerifyIgnoringTimestamp(m.body, m.header)
}

func TestDeliveries(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada, bob := h.SignUp("ada@example.com"), h.SignUp("bob@example.com")
		to := receive(t)
		made := register(ada, to.URL+"/hooks", P{"headers": P{"X-Team": "blue"}, "description": "Orders"})
		id, secret := made.String("webhook.id"), made.String("signing_secret")
		if made.String("secret") != secret || !strings.HasPrefix(secret, "whsec_") || made.String("webhook.scope") != "workspace" {
			t.Errorf("made %v", made.Data)
		}
		webhookRole(ada, "Reader")
		webhookRole(bob, "Other")
		if n := h.SendWebhooks(); n != 1 {
			t.Fatalf("%d attempts", n)
		}
		got := to.taken()
		if len(got) != 1 {
			t.Fatalf("got %d messages", len(got))
		}
		var body struct {
			ID, Type, Timestamp string
			Data                map[string]any
		}
		if err := json.Unmarshal(got[0].body, &body); err != nil || body.Type != "role.created" || body.Data["name"] != "Reader" {
			t.Errorf("body %s, %v", got[0].body, err)
		}
		if err := verify(t, secret, got[0]); err != nil {
			t.Errorf("the signature does not verify: %v", err)
		}
		header := got[0].header
		if header.Get("X-Team") != "blue" || header.Get("Content-Type") != "application/json" || !strings.HasPrefix(header.Get("User-Agent"), "Gatehouse-Webhooks/") {
			t.Errorf("header %v", header)
		}
		if h.SendWebhooks() != 0 {
			t.Error("a delivery that succeeded is sent again")
		}
		listed := ada.Do("WEBHOOK.DELIVERY_LIST", P{"webhook_id": id}).OK().List("items")
		if len(listed) != 1 || listed[0]["id"] != header.Get("Webhook-Id") || listed[0]["status"] != "succeeded" || listed[0]["event_id"] != body.ID {
			t.Fatalf("deliveries %v", listed)
		}
		one := ada.Do("WEBHOOK.DELIVERY_GET", P{"delivery_id": listed[0]["id"]}).OK()
		if attempts := one.List("attempts"); len(attempts) != 1 || attempts[0]["status_code"] != 200.0 || one.String("payload.id") != body.ID {
			t.Errorf("delivery %v", one.Data)
		}
		whole := ada.Do("EVENT.GET", P{"event_id": body.ID}).OK()
		if items := whole.List("deliveries"); len(items) != 1 || items[0]["webhook_id"] != id {
			t.Errorf("event %v", whole.Data)
		}
		stats := ada.Do("WEBHOOK.STATS_GET", P{"webhook_id": id}).OK()
		if stats.Int("succeeded") != 1 || stats.Int("dead") != 0 {
			t.Errorf("stats %v", stats.Data)
		}

		// A replay is the same message again.
		ada.Do("WEBHOOK.REPLAY", P{"delivery_id": listed[0]["id"]}).OK()
		h.SendWebhooks()
		again := to.taken()
		if len(again) != 1 || again[0].header.Get("Webhook-Id") != header.Get("Webhook-Id") || string(again[0].body) != string(got[0].body) {
			t.Errorf("replayed %v", again)
		}

		// Nobody else sees anything of it.
		for name, params := range map[string]P{
			"WEBHOOK.GET": {"webhook_id": id}, "WEBHOOK.UPDATE": {"webhook_id": id, "enabled": false}, "WEBHOOK.DELETE": {"webhook_id": id},
			"WEBHOOK.ROTATE_SECRET": {"webhook_id": id}, "WEBHOOK.TEST": {"webhook_id": id}, "WEBHOOK.DELIVERY_LIST": {"webhook_id": id},
			"WEBHOOK.DELIVERY_GET": {"delivery_id": listed[0]["id"]}, "WEBHOOK.REPLAY": {"delivery_id": listed[0]["id"]},
			"WEBHOOK.STATS_GET": {"webhook_id": id}, "WEBHOOK.DEAD_LETTER_LIST": {"webhook_id": id}, "WEBHOOK.DEAD_LETTER_DISCARD": {"webhook_id": id},
			"EVENT.GET": {"event_id": body.ID},
		} {
			bob.Do(name, params).Fails(fault.NotFound)
		}
	})
}

// An empty list of kinds is none, and not all of them.
func TestEmptyLists(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada := h.SignUp("ada@example.com")
	ada.Do("WEBHOOK.CREATE", P{"url": "https://hooks.example.com/", "events": []string{}}).Fails(fault.Validation).Field("/events")
	ada.Do("EVENT.LIST", P{"types": []string{}}).Fails(fault.Validation).Field("/types")
	ada.Do("FLOW.EXPORT", P{"names": []string{}}).Fails(fault.Validation).Field("/names")
	if made := ada.Do("WEBHOOK.CREATE", P{"url": "https://hooks.example.com/"}).OK(); len(made.Strings("webhook.events")) != 1 || made.Strings("webhook.events")[0] != "*" {
		t.Errorf("without kinds: %v", made.Data)
	}
}

func TestScopes(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root, ada := h.Superadmin(), h.SignUp("ada@example.com")
	all, own := receive(t), receive(t)
	if made := register(root, all.URL); made.String("webhook.scope") != "instance" {
		t.Errorf("made %v", made.Data)
	}
	register(root, own.URL, P{"scope": "workspace"})
	register(root, own.URL, P{"org_id": ada.OrgID})
	webhookRole(ada, "Reader")
	h.SendWebhooks()
	if n, m := len(all.taken()), len(own.taken()); n != 1 || m != 1 {
		t.Errorf("the instance got %d, the workspaces %d", n, m)
	}
	ada.Do("WEBHOOK.CREATE", P{"url": all.URL, "scope": "instance"}).Fails(fault.Denied)
	if listed := root.Do("WEBHOOK.LIST", nil).OK().List("items"); len(listed) != 1 {
		t.Errorf("of the instance %v", listed)
	}
	if listed := ada.Do("WEBHOOK.LIST", P{"enabled": true}).OK().List("items"); len(listed) != 1 {
		t.Errorf("of the workspace %v", listed)
	}
}

func TestRetries(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada := h.SignUp("ada@example.com")
		to := receive(t)
		id := register(ada, to.URL).String("webhook.id")
		to.answers(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = io.WriteString(w, "out of \x00order")
		})
		webhookRole(ada, "Reader")
		for i, pause := range []time.Duration{0, 30 * time.Second, 5 * time.Minute, 30 * time.Minute, time.Hour} {
			if pause > 0 {
				h.Clock.Advance(pause * 9 / 10)
				h.Clock.Advance(-time.Second)
				if h.SendWebhooks() != 0 {
					t.Errorf("attempt %d comes early", i+1)
				}
				h.Clock.Advance(time.Second + pause/10)
			}
			if h.SendWebhooks() != 1 {
				t.Errorf("attempt %d does not come", i+1)
			}
		}
		h.Clock.Advance(24 * time.Hour)
		if h.SendWebhooks() != 0 {
			t.Error("there is a sixth attempt")
		}
		ada = h.Login("ada@example.com", harness.Password)
		dead := ada.Do("WEBHOOK.DEAD_LETTER_LIST", nil).OK().List("items")
		if len(dead) != 1 || dead[0]["attempts"] != 5.0 || dead[0]["status"] != "dead" {
			t.Fatalf("dead letters %v", dead)
		}
		got := ada.Do("WEBHOOK.DELIVERY_GET", P{"delivery_id": dead[0]["id"]}).OK().List("attempts")
		if len(got) != 5 || got[4]["response_excerpt"] != "out of \uFFFDorder" || got[4]["status_code"] != 500.0 {
			t.Errorf("attempts %v", got)
		}
		if streak := ada.Do("WEBHOOK.GET", P{"webhook_id": id}).OK().Int("webhook.failure_streak"); streak != 5 {
			t.Errorf("streak %d", streak)
		}
		ids := map[string]bool{}
		for _, m := range to.taken() {
			ids[m.header.Get("Webhook-Id")] = true
		}
		if len(ids) != 1 {
			t.Errorf("webhook-ids %v", ids)
		}
		to.answers(nil)
		ada.Do("WEBHOOK.REPLAY", P{"delivery_id": dead[0]["id"]}).OK()
		ada.Do("WEBHOOK.REPLAY", P{"delivery_id": dead[0]["id"]}).Fails(fault.Validation)
		h.SendWebhooks()
		if shown := ada.Do("WEBHOOK.GET", P{"webhook_id": id}).OK(); shown.Int("webhook.failure_streak") != 0 || len(to.taken()) != 1 {
			t.Errorf("after the replay %v", shown.Data)
		}
		if n := ada.Do("WEBHOOK.DEAD_LETTER_DISCARD", nil).OK().Int("discarded"); n != 0 {
			t.Errorf("%d discarded", n)
		}
	})
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada := h.SignUp("ada@example.com")
		to := receive(t)
		last := func() P { return ada.Do("WEBHOOK.DELIVERY_LIST", P{"limit": 1}).OK().List("items")[0] }
		wait := func() time.Duration {
			next, err := time.Parse(time.RFC3339Nano, last()["next_attempt_at"].(string))
			if err != nil {
				t.Fatal(err)
			}
			return next.Sub(h.Clock.Now())
		}
		id := register(ada, to.URL).String("webhook.id")
		say := func(code int, header, value string) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set(header, value)
				w.WriteHeader(code)
			}
		}
		n := 0
		send := func(answer http.HandlerFunc) {
			t.Helper()
			to.answers(answer)
			n++
			webhookRole(ada, fmt.Sprint("Role", n))
			h.SendWebhooks()
			to.taken()
		}
		send(say(429, "Retry-After", "600"))
		if got := wait(); got != 10*time.Minute {
			t.Errorf("after 429 the next attempt is in %s", got)
		}
		send(say(503, "Retry-After", "999999999"))
		if got := wait(); got != time.Hour {
			t.Errorf("after 503 the next attempt is in %s", got)
		}
		send(say(302, "Location", to.URL+"/elsewhere"))
		if got := last(); got["status"] != "failed" || got["status_code"] != 302.0 {
			t.Errorf("after a redirect %v", got)
		}
		send(func(w http.ResponseWriter, _ *http.Request) {
			block := []byte(strings.Repeat("a", 1<<20))
			for range 100 {
				if _, err := w.Write(block); err != nil {
					return
				}
			}
		})
		if got := last(); got["status"] != "succeeded" {
			t.Errorf("after 100 MB %v", got)
		}
		send(func(w http.ResponseWriter, _ *http.Request) {
			connection, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				_, _ = io.WriteString(connection, "garbage\r\n\r\n")
				_ = connection.Close()
			}
		})
		if got := last(); got["status"] != "failed" || got["status_code"] != nil {
			t.Errorf("after garbage %v", got)
		}
		send(status(http.StatusGone))
		if got := last(); got["status"] != "dead" {
			t.Errorf("after 410 %v", got)
		}
		if got := ada.Do("WEBHOOK.GET", P{"webhook_id": id}).OK(); got.Bool("webhook.enabled") || got.String("webhook.disabled_reason") != "gone" {
			t.Errorf("after 410 %v", got.Data)
		}
		if events := h.Events(webhook.KindAutoDisabled); len(events) != 1 || events[0].OrgID != ada.OrgID {
			t.Errorf("events %v", events)
		}
		webhookRole(ada, "Unheard")
		if h.SendWebhooks(); len(to.taken()) != 0 {
			t.Error("a webhook that is switched off is told")
		}
	})
}

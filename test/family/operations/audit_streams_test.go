package operations_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/fake/collector"
	"gatehouse.internal/test/harness"
)

// siem is a collector of the kind http.
type siem struct {
	*httptest.Server

	mu     sync.Mutex
	status int
	bodies []string
	heads  []http.Header
}

func newSIEM(t *testing.T) *siem {
	t.Helper()
	c := &siem{status: http.StatusOK}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.bodies, c.heads = append(c.bodies, string(body)), append(c.heads, r.Header)
		w.WriteHeader(c.status)
	}))
	t.Cleanup(c.Close)
	return c
}

// types are those of the events that came, in their order.
func (c *siem) types() (types []string) {
	for _, body := range c.bodies {
		lines := bufio.NewScanner(strings.NewReader(body))
		for lines.Scan() {
			var one struct{ Type string }
			_ = json.Unmarshal(lines.Bytes(), &one)
			types = append(types, one.Type)
		}
	}
	return types
}

// stream carries the feed and the streams on.
func stream(t *testing.T, h *harness.Service) {
	t.Helper()
	h.SendWebhooks()
	for more := true; more; {
		var err error
		if more, err = h.Relay.Stream(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	h.Clock.Advance(2 * time.Second)
}

// What happens is sent in order, signed, and again until it is taken.
func TestStream(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		alice, bob := h.SignUp("alice@example.com"), h.SignUp("bob@example.com")
		c := newSIEM(t)
		const secret = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
		made := alice.Do("AUDIT.STREAM_CREATE", P{"name": "siem", "kind": "http", "url": c.URL, "secret": secret, "filter": P{"types": []string{"role.*"}}}).OK()
		id := made.String("stream.id")
		stream(t, h)
		role := alice.Do("ROLE.CREATE", P{"name": "one", "permissions": []string{"apps:read"}}).OK().String("role.id")
		alice.Do("APP.REGISTER", P{"name": "Shop", "slug": "shop"}).OK()
		bob.Do("ROLE.CREATE", P{"name": "other", "permissions": []string{"apps:read"}}).OK()
		alice.Do("ROLE.DELETE", P{"role_id": role}).OK()
		c.status = http.StatusServiceUnavailable
		stream(t, h)
		listed := alice.Do("AUDIT.STREAM_LIST", nil).OK().List("items")
		if len(listed) != 1 || listed[0]["last_error"] != "the receiver responded with HTTP status 503" || listed[0]["lag_seconds"].(float64) < 1 {
			t.Errorf("while it fails: %v", listed)
		}
		stream(t, h) // within the pause
		if len(c.bodies) != 1 {
			t.Errorf("%d attempts", len(c.bodies))
		}
		c.status = http.StatusOK
		h.Clock.Advance(time.Minute)
		stream(t, h)
		if got := c.types(); len(c.bodies) != 2 || c.bodies[0] != c.bodies[1] || !slices.Equal(got[2:], []string{"role.created", "role.deleted"}) {
			t.Errorf("came %v in %d batches", got, len(c.bodies))
		}
		if c.heads[0].Get("Webhook-Id") != c.heads[1].Get("Webhook-Id") {
			t.Error("the batch has another id the second time")
		}
		verifier, err := standardwebhooks.NewWebhook(secret)
		if err == nil {
			err = verifier.VerifyIgnoringTimestamp([]byte(c.bodies[1]), c.heads[1])
		}
		if err != nil {
			t.Error(err)
		}
		if s := alice.Do("AUDIT.STREAM_LIST", nil).OK().List("items")[0]; s["last_error"] != nil || s["lag_seconds"] != 0.0 || s["last_sent_at"] == nil {
			t.Errorf("after it: %v", s)
		}
		if text := fmt.Sprint(changes(alice, P{"resource_type": "audit_stream"}), made.Data); strings.Contains(text, "C2FVsBQ") {
			t.Errorf("the secret is shown: %s", text)
		}
		bob.Do("AUDIT.STREAM_UPDATE", P{"stream_id": id, "enabled": false}).Fails(fault.NotFound)
		bob.Do("AUDIT.STREAM_DELETE", P{"stream_id": id}).Fails(fault.NotFound)
		alice.Do("AUDIT.STREAM_UPDATE", P{"stream_id": id, "enabled": false}).OK()
		alice.Do("ROLE.CREATE", P{"name": "two", "permissions": []string{"apps:read"}}).OK()
		stream(t, h)
		if len(c.bodies) != 2 {
			t.Error("a stream that is switched off sends")
		}
		alice.Do("AUDIT.STREAM_UPDATE", P{"stream_id": id, "enabled": true, "filter": P{}}).OK()
		stream(t, h)
		if got := c.types(); !slices.Contains(got[4:], "role.created") || !slices.Contains(got[4:], "audit_stream.updated") {
			t.Errorf("switched on again: %v", got)
		}
		alice.Do("AUDIT.STREAM_DELETE", P{"stream_id": id}).OK()
		sent := len(c.bodies)
		stream(t, h)
		if len(c.bodies) != sent {
			t.Error("a deleted stream sends")
		}
	})
}

// After an hour of failure that is told, once; the instance's stream has the events of all.
func TestStreamThatFails(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		root := h.Superadmin()
		splunk := collector.NewHEC(t, "b0221cd8-c4b4-465a-9a3c-273e3a75aa29")
		root.Do("AUDIT.STREAM_CREATE", P{"name": "splunk", "kind": "splunk_hec", "url": splunk.URL + "/services/collector/event", "secret": splunk.Token}).OK()
		splunk.Busy(true)
		h.SignUp("alice@example.com")
		for range 20 {
			stream(t, h)
			h.Clock.Advance(11 * time.Minute)
		}
		if events := h.Events("audit_stream.failed"); len(events) != 1 || !bytes.Contains(events[0].Data, []byte("503")) {
			t.Errorf("told %v", events)
		}
		splunk.Busy(false)
		stream(t, h)
		var all []string
		for _, one := range splunk.Events() {
			var inner struct{ Type string }
			_ = json.Unmarshal(one.Event, &inner)
			all = append(all, inner.Type)
		}
		if at := slices.Index(all, "user.created"); at < 0 || slices.Index(all, "audit_stream.failed") < at {
			t.Errorf("came %v", all)
		}
		if again := h.Superadmin().Do("AUDIT.STREAM_LIST", nil).OK().List("items")[0]; again["failing_since"] != nil {
			t.Errorf("taken again: %v", again)
		}
	})
}

func TestStreamIsTried(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		alice := h.SignUp("alice@example.com")
		receiver := collector.NewSyslog(t, nil)
		id := alice.Do("AUDIT.STREAM_CREATE", P{"name": "log", "kind": "syslog", "url": "syslog+tcp://" + receiver.Address()}).OK().String("stream.id")
		if tried := alice.Do("AUDIT.STREAM_TEST", P{"stream_id": id}).OK(); !tried.Bool("delivered") || tried.Has("error") {
			t.Errorf("tried: %v", tried.Data)
		}
		got, broken := receiver.Messages()
		if len(got) != 1 || len(broken) != 0 || !strings.Contains(got[0].Text, "AUDIT.STREAM_TEST") {
			t.Errorf("came %v, %v", got, broken)
		}
		receiver.Refuse(true)
		if tried := alice.Do("AUDIT.STREAM_TEST", P{"stream_id": id}).OK(); tried.Bool("delivered") || tried.String("error") == "" {
			t.Errorf("refused: %v", tried.Data)
		}
		for _, bad := range []P{
			{"name": "x", "kind": "http", "url": "https://siem.example.com"}, // without a secret
			{"name": "x", "kind": "syslog", "url": "https://siem.example.com"},
			{"name": "x", "kind": "http", "url": "https://169.254.169.254/", "secret": "a secret of mine"},
			{"name": "x", "kind": "syslog", "url": "syslog+tls://[fe80::1]:6514"},
			{"name": "x", "kind": "http", "url": "https://siem.example.com", "secret": "a secret of mine", "filter": P{"types": []string{"role.creatd"}}},
		} {
			alice.Do("AUDIT.STREAM_CREATE", bad).Fails(fault.Validation)
		}
		for range 9 {
			alice.Do("AUDIT.STREAM_CREATE", P{"name": "log", "kind": "syslog", "url": "syslog+tcp://" + receiver.Address()}).OK()
		}
		alice.Do("AUDIT.STREAM_CREATE", P{"name": "log", "kind": "syslog", "url": "syslog+tcp://" + receiver.Address()}).Fails(fault.Validation)
		h.SignUp("bob@example.com").Do("AUDIT.STREAM_TEST", P{"stream_id": id}).Fails(fault.NotFound)
	})
}

package cli_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// received is a received message.
type received struct {
	header http.Header
	body   string
}

// TestListen forwards two events, the first to a failing receiver, after a rate-limited
// poll; the standardwebhooks library verifies them with the printed secret.
func TestListen(t *testing.T) {
	t.Parallel()
	got := make(chan received, 2)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if len(got) == 0 {
			w.WriteHeader(http.StatusInternalServerError)
		}
		got <- received{r.Header, string(body)}
	}))
	t.Cleanup(receiver.Close)
	event := func(id string) string {
		return `{"id":"` + id + `","type":"role.created","timestamp":"2026-01-02T03:04:05Z","org_id":"org_1","data":{"a":1}}`
	}
	url, asked := telling(t, tooMany,
		envelope(`{"items":[`+event("evt_1")+`],"next_cursor":"more"}`),
		envelope(`{"items":[`+event("evt_2")+`],"next_cursor":null}`),
		`{"ok":false,"command":"X","data":null,"error":{"code":"TOKEN_INVALID","message":"it has ended"}}`)
	s := session{}
	end := s.run(t, "listen", "--forward-to", receiver.URL+"/hooks", "--events", "role.*,user.created", "--url", url, "--token", "t")
	if end.code != 1 || !strings.Contains(end.err, "too many calls") || !strings.Contains(end.err, "it has ended") ||
		!strings.Contains(end.out, "evt_1 role.created the receiver responded with 500") || !strings.Contains(end.out, "evt_2 role.created forwarded") {
		t.Fatalf("listen = %+v", end)
	}
	first, _, _ := strings.Cut(end.out, "\n")
	library, err := standardwebhooks.NewWebhook(strings.TrimPrefix(first, "signing secret: "))
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"evt_1", "evt_2"} {
		m := <-got
		if err := library.Verify([]byte(m.body), m.header); err != nil || m.header.Get("webhook-id") != id {
			t.Errorf("%s: %v, %v", id, err, m.header)
		}
		if want := `{"id":"` + id + `","type":"role.created","timestamp":"2026-01-02T03:04:05Z","data":{"a":1}}`; m.body != want {
			t.Errorf("body %s, want %s", m.body, want)
		}
	}
	bodies := asked()
	if !strings.Contains(bodies[0], `"types":["role.*","user.created"]`) || !strings.Contains(bodies[0], `"from":`) ||
		!strings.Contains(bodies[2], `"cursor":"more"`) || !strings.Contains(bodies[3], `"after":"evt_2","wait_seconds":25`) {
		t.Errorf("asked %q", bodies)
	}
}

// An interrupt is not an error.
func TestListenInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := (session{ctx: ctx}).run(t, "listen", "--forward-to", "http://127.0.0.1:1"); got.code != 0 || got.err != "" {
		t.Errorf("listen = %+v", got)
	}
	if got := (session{}).run(t, "listen", "--forward-to", "localhost:3000"); got.code != 2 {
		t.Errorf("listen = %+v", got)
	}
}

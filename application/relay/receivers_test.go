package relay_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"gatehouse.internal/adapters/fetch"
	"gatehouse.internal/test/harness"
)

// Receivers whose TLS is worth nothing get no message: one that nobody vouches for, one that
// speaks none, and one that hangs up in the middle of the handshake.
func TestBrokenTLS(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		h := harness.On(t, database)
		ada := h.SignUp("ada@example.com")
		asked := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("got %s %s", r.Method, r.URL) })
		untrusted := httptest.NewTLSServer(asked)
		t.Cleanup(untrusted.Close)
		silent := httptest.NewServer(asked)
		t.Cleanup(silent.Close)
		register(ada, untrusted.URL)
		register(ada, "https://"+silent.Listener.Addr().String())
		register(ada, "https://"+greeting(t, "\x16\x03\x03\x00\x04\xff\xff\xff\xff"))
		register(ada, "https://"+greeting(t, ""))
		roles(ada, 1)
		if n := h.SendWebhooks(); n != 4 {
			t.Errorf("%d attempts", n)
		}
		var said []string
		for _, d := range ada.Do("WEBHOOK.DELIVERY_LIST", nil).OK().List("items") {
			if d["status"] != "failed" || d["status_code"] != nil {
				t.Errorf("a delivery is %v", d)
			}
			said = append(said, d["error"].(string))
		}
		if all := strings.Join(said, "\n"); strings.Count(all, "certificate of the receiver is not trusted") != 1 || strings.Count(all, "connection to the receiver failed") != 3 {
			t.Errorf("said %q", said)
		}
	})
}

// greeting is a server that answers whatever comes first with some bytes, and hangs up.
func greeting(t *testing.T, bytes string) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = connection.Read(make([]byte, 512))
			_, _ = connection.Write([]byte(bytes))
			_ = connection.Close()
		}
	}()
	return listener.Addr().String()
}

// A name that leads to a receiver at the first look-up, and at the second to where a cloud keeps
// its metadata, is not followed there: the delivery fails, and says so to its owner.
func TestReboundName(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		h := harness.On(t, database)
		turns := [][4]byte{{127, 0, 0, 1}, {169, 254, 169, 254}}
		var mu sync.Mutex
		h.DNS.Twist(func(answer dnsmessage.Message) []dnsmessage.Message {
			mu.Lock()
			defer mu.Unlock()
			answer.RCode = dnsmessage.RCodeSuccess
			if asked := answer.Questions[0]; asked.Type == dnsmessage.TypeA {
				answer.Answers = []dnsmessage.Resource{{
					Header: dnsmessage.ResourceHeader{Name: asked.Name, Class: dnsmessage.ClassINET}, Body: &dnsmessage.AResource{A: turns[0]},
				}}
				turns = turns[min(1, len(turns)-1):]
			}
			return []dnsmessage.Message{answer}
		})
		sender := fetch.NewSender(fetch.SenderOptions{Through: fetch.Private, HTTP: true, Resolver: &net.Resolver{
			PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
				var dialer net.Dialer
				return dialer.DialContext(ctx, "udp", h.DNS.Address())
			},
		}})
		h.Relay.Sender = sender
		to := receive(t, nil)
		_, port, err := net.SplitHostPort(to.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		ada := h.SignUp("ada@example.com")
		register(ada, "http://rebound.example.com:"+port)
		last := func() P {
			ada.Do("ROLE.CREATE", P{"name": "Role " + time.Now().String(), "permissions": []string{"flows:read"}}).OK()
			h.SendWebhooks()
			sender.Close()
			return ada.Do("WEBHOOK.DELIVERY_LIST", P{"limit": 1}).OK().List("items")[0]
		}
		if d := last(); d["status"] != "succeeded" || to.count() != 1 {
			t.Errorf("at the first look-up a delivery is %v", d)
		}
		if d := last(); d["status"] != "failed" || d["error"] != "the URL points to this machine or a private network" || to.count() != 1 {
			t.Errorf("at the second look-up a delivery is %v", d)
		}
	})
}

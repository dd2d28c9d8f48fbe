package fetch_test

import (
	"context"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"gatehouse.internal/adapters/fetch"
	"gatehouse.internal/domain/webhook"
)

// malicious are hosts that lead inward, in every form that some resolver or library takes.
func malicious() []string {
	return append(inward(), "LOCALHOST", "localhost.", "a.localhost", "127.1", "127.0.1", "127.0.0.0x1", "0177.0.0.1", "017700000001", "0x7f.0.0.1",
		"2852039166", "0xa9fea9fe", "0251.0376.0251.0376", "169.254.169.254.", "10.0.0.1.", "[::ffff:a9fe:a9fe]", "[::ffff:0:127.0.0.1]",
		"[64:ff9b::a9fe:a9fe]", "[64:ff9b:1::7f00:1]", "[2002:a9fe:a9fe::]", "[2001:0:7f00:1::]", "[fe80::1%25eth0]", "[::1%25lo]", "[::127.0.0.1]",
		"intranet", "printer.local", "metadata.google.internal", "router.home.arpa",
		"\uff11\uff12\uff17.0.0.1", "127.0.0.\u2460", "169.254.169\u3002254", "a.\u24db\u24de\u24d2\u24d0\u24db\u24d7\u24de\u24e2\u24e3")
}

func TestSenderChecks(t *testing.T) {
	t.Parallel()
	strict := fetch.NewSender(fetch.SenderOptions{})
	var bad []string
	for _, host := range malicious() {
		bad = append(bad, "https://"+host+"/hooks", "https://"+host+":8443/")
	}
	bad = append(bad, "", "http://example.com/", "ftp://example.com/", "file:///etc/passwd", "gopher://example.com/", "https://", "https:example.com", "//example.com",
		"https://example.com@127.0.0.1/", "https://user:pass@example.com/", "https://example.com#@127.0.0.1/", "https://exa mple.com",
		"https://example.com:22/", "https://example.com:25/", "https://example.com:0/", "https://example.com:1023/", "https://example.com:99999/", "javascript:alert(1)",
		"https://127.0.0.1\\@example.com/", "https://[::1", "https://%31%32%37.0.0.1/")
	for _, address := range bad {
		if err := strict.Check(address); err == nil {
			t.Errorf("Check(%q) passes", address)
		}
		if made := strict.Send(t.Context(), webhook.Snapshot{URL: address}, webhook.Message{ID: "dlv"}, time.Now()); made.Error == "" || made.StatusCode != 0 {
			t.Errorf("Send(%q) = %+v", address, made)
		}
	}
	for _, address := range []string{
		"https://example.com", "https://example.com/hooks?a=b", "https://example.com:443/", "https://example.com:80/", "https://example.com:8443/",
		"https://203.0.114.1/", "https://[2606:4700::1111]/", "https://example.com./",
	} {
		if err := strict.Check(address); err != nil {
			t.Errorf("Check(%q) = %v", address, err)
		}
	}
	developing := fetch.NewSender(fetch.SenderOptions{Through: fetch.Private, HTTP: true})
	for _, address := range []string{"http://localhost:3000/", "http://127.0.0.1:3000/", "http://10.0.0.1/", "http://[::1]:3000/", "http://receiver:8080/"} {
		if err := developing.Check(address); err != nil {
			t.Errorf("in development Check(%q) = %v", address, err)
		}
	}
	for _, address := range []string{"http://169.254.169.254/", "http://[fe80::1]/", "http://0x7f000001/", "http://localhost:22/"} {
		if err := developing.Check(address); err == nil {
			t.Errorf("in development Check(%q) passes", address)
		}
	}
}

// What a name stands for is looked at when it is dialed, in every form of an inward address
// that a resolver may answer.
func TestSenderGuardsTheDial(t *testing.T) {
	t.Parallel()
	asked := false
	server := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	t.Cleanup(server.Close)
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for _, address := range []string{
		"127.0.0.1", "127.9.9.9", "0.0.0.0", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "224.0.0.1", "255.255.255.255",
		"::1", "::", "fe80::1", "fd00::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:0:127.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::7f00:1", "2002:7f00:1::", "2001:0:7f00:1::",
	} {
		sender := fetch.NewSender(fetch.SenderOptions{Resolver: answering(t, address)})
		made := sender.Send(t.Context(), webhook.Snapshot{URL: "https://rebound.example.com:" + port}, webhook.Message{ID: "dlv"}, time.Now())
		if asked || !strings.Contains(made.Error, "private network") {
			t.Errorf("%s: Send() = %+v, asked %v", address, made, asked)
		}
	}
}

// A name that stood for an address that is let through, and at the second look-up for one of
// the metadata of clouds, is refused then: no look-up is trusted for the next connection.
func TestSenderIsNotRebound(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(server.Close)
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	sender := fetch.NewSender(fetch.SenderOptions{Through: fetch.Loopback, HTTP: true, Resolver: answering(t, "127.0.0.1", "169.254.169.254")})
	send := func() webhook.Attempt {
		defer sender.Close()
		return sender.Send(t.Context(), webhook.Snapshot{URL: "http://rebound.example.com:" + port}, webhook.Message{ID: "dlv"}, time.Now())
	}
	if made := send(); made.StatusCode != http.StatusOK {
		t.Fatalf("at the first look-up: %+v", made)
	}
	if made := send(); made.StatusCode != 0 || !strings.Contains(made.Error, "private network") {
		t.Errorf("at the second look-up: %+v", made)
	}
}

// answering is a resolver whose server says of each name that it stands for one address after
// the other, and for the last from then on.
func answering(t *testing.T, addresses ...string) *net.Resolver {
	t.Helper()
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	go func() {
		packet := make([]byte, 1500)
		for {
			n, from, err := server.ReadFrom(packet)
			if err != nil {
				return
			}
			var asked dnsmessage.Message
			if asked.Unpack(packet[:n]) != nil || len(asked.Questions) == 0 {
				continue
			}
			asked.Response, asked.Additionals = true, nil
			if body, kind := resource(addresses[0]); asked.Questions[0].Type == kind {
				asked.Answers = []dnsmessage.Resource{{
					Header: dnsmessage.ResourceHeader{Name: asked.Questions[0].Name, Class: dnsmessage.ClassINET, TTL: 1}, Body: body,
				}}
				addresses = addresses[min(1, len(addresses)-1):]
			}
			if answer, err := asked.Pack(); err == nil {
				_, _ = server.WriteTo(answer, from)
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var dialer net.Dialer
		return dialer.DialContext(ctx, "udp", server.LocalAddr().String())
	}}
}

// resource is the record of an address.
func resource(address string) (dnsmessage.ResourceBody, dnsmessage.Type) {
	ip := netip.MustParseAddr(address)
	if ip.Is4() {
		return &dnsmessage.AResource{A: ip.As4()}, dnsmessage.TypeA
	}
	return &dnsmessage.AAAAResource{AAAA: ip.As16()}, dnsmessage.TypeAAAA
}

func TestSender(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		answer http.HandlerFunc
		code   int
		says   string
	}{
		"taken":       {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusAccepted) }, 202, ""},
		"a redirect":  {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", http.StatusFound) }, 302, ""},
		"it hangs":    {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, 0, "did not respond in time"},
		"it is ended": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, 0, "connection to the receiver failed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.ReadAll(r.Body)
				if r.URL.Path == "/elsewhere" {
					t.Error("the redirect is followed")
				}
				test.answer(w, r)
			}))
			t.Cleanup(server.Close)
			sender := fetch.NewSender(fetch.SenderOptions{Through: fetch.Loopback, HTTP: true, Timeout: 300 * time.Millisecond})
			t.Cleanup(sender.Close)
			to := webhook.Snapshot{URL: server.URL, Secrets: []webhook.Secret{{Key: []byte("key")}}}
			made := sender.Send(t.Context(), to, webhook.Message{ID: "dlv", Body: []byte("{}")}, time.Now())
			if made.StatusCode != test.code || !strings.Contains(made.Error, test.says) || (test.says == "") != (made.Error == "") {
				t.Errorf("Send() = %+v", made)
			}
		})
	}
}

func TestSenderTrustsNobodyElse(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("an untrusted server was asked") }))
	t.Cleanup(server.Close)
	sender := fetch.NewSender(fetch.SenderOptions{Through: fetch.Loopback, Roots: x509.NewCertPool()})
	made := sender.Send(t.Context(), webhook.Snapshot{URL: server.URL}, webhook.Message{ID: "dlv"}, time.Now())
	if !strings.Contains(made.Error, "certificate") {
		t.Errorf("Send() = %+v", made)
	}
}

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
		"intranet", "printer.local", "metadata.google.internal", "router.home.arpa")
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

// A name that stood for a public address when it was saved, and now for one of this machine,
// is refused where it is dialed: the resolver is asked then, and what it says is looked at.
func TestSenderGuardsTheDial(t *testing.T) {
	t.Parallel()
	asked := false
	server := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	t.Cleanup(server.Close)
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	sender := fetch.NewSender(fetch.SenderOptions{Resolver: answering(t, "127.0.0.1")})
	made := sender.Send(t.Context(), webhook.Snapshot{URL: "https://rebound.example.com:" + port}, webhook.Message{ID: "dlv"}, time.Now())
	if asked || !strings.Contains(made.Error, "private network") {
		t.Errorf("Send() = %+v, asked %v", made, asked)
	}
}

// answering is a resolver whose server says of each name that it stands for an address.
func answering(t *testing.T, address string) *net.Resolver {
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
			if asked.Questions[0].Type == dnsmessage.TypeA {
				asked.Answers = []dnsmessage.Resource{{
					Header: dnsmessage.ResourceHeader{Name: asked.Questions[0].Name, Class: dnsmessage.ClassINET, TTL: 1},
					Body:   &dnsmessage.AResource{A: netip.MustParseAddr(address).As4()},
				}}
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

func TestSender(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		answer http.HandlerFunc
		code   int
		says   string
	}{
		"taken":       {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusAccepted) }, 202, ""},
		"a redirect":  {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", http.StatusFound) }, 302, ""},
		"it hangs":    {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, 0, "did not answer in time"},
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

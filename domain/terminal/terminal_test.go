package terminal_test

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"gatehouse.internal/domain/terminal"
)

func request() terminal.Request {
	return terminal.Request{Challenge: strings.Repeat("c", 43), Machine: "laptop.example", Return: "http://127.0.0.1:8123", State: strings.Repeat("s", 43)}
}

func TestRequestsAreReadAsSent(t *testing.T) {
	t.Parallel()
	copied := request()
	copied.Return, copied.State = "", ""
	six := request()
	six.Return = "http://[::1]:65535"
	for _, r := range []terminal.Request{request(), copied, six} {
		if got, err := terminal.Read(r.Values()); err != nil || got != r {
			t.Errorf("Read(%+v) = %+v, %v", r, got, err)
		}
	}
	if got := six.Back("a b"); got != "http://[::1]:65535/?code=a+b&state="+six.State {
		t.Errorf("Back() = %s", got)
	}
	if got := six.Back(""); got != "http://[::1]:65535/?error=access_denied&state="+six.State {
		t.Errorf("Back() of a refusal = %s", got)
	}
}

// The code goes to loopback and nowhere else.
func TestOnlyLoopbackGetsTheCode(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"https://127.0.0.1:8123", "http://localhost:8123", "http://127.0.0.1", "http://127.0.0.1:0", "http://127.0.0.1:65536", "http://127.0.0.1:08123",
		"http://127.0.0.1:8123/", "http://127.0.0.1:8123/x", "http://127.0.0.1:8123@evil.example", "http://evil.example:8123", "http://127.0.0.1.evil.example:8123",
		"http://127.0.0.2:8123", "http://0.0.0.0:8123", "http://[::]:8123", "http://[::ffff:127.0.0.1]:8123", "http://2130706433:8123", "http://127.1:8123",
		"http://a@127.0.0.1:8123", "http://127.0.0.1:8123#x", "http://127.0.0.1:8123?x", "http://127.0.0.1:8123\n", "\nhttp://127.0.0.1:8123", "//127.0.0.1:8123",
		"javascript:alert(1)", "HTTP://127.0.0.1:8123", "http:/\\127.0.0.1:8123", "http://127.0.0.1\\@evil.example:8123",
	} {
		r := request()
		r.Return = address
		if _, err := terminal.Read(r.Values()); !errors.Is(err, terminal.ErrRequest) {
			t.Errorf("Read() took the address %q", address)
		}
	}
}

func TestMalformedRequests(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(url.Values){
		"no challenge":         func(v url.Values) { v.Del("code_challenge") },
		"a short challenge":    func(v url.Values) { v.Set("code_challenge", strings.Repeat("c", 42)) },
		"another alphabet":     func(v url.Values) { v.Set("code_challenge", strings.Repeat("+", 43)) },
		"no machine":           func(v url.Values) { v.Del("machine") },
		"a machine that talks": func(v url.Values) { v.Set("machine", "yours, go on") },
		"a long machine":       func(v url.Values) { v.Set("machine", strings.Repeat("m", 65)) },
		"no state":             func(v url.Values) { v.Del("state") },
		"a short state":        func(v url.Values) { v.Set("state", "1") },
		"a state alone":        func(v url.Values) { v.Del("redirect_uri") },
		"two addresses":        func(v url.Values) { v.Add("redirect_uri", "http://127.0.0.1:1") },
		"two challenges":       func(v url.Values) { v.Add("code_challenge", strings.Repeat("d", 43)) },
	} {
		sent := request().Values()
		change(sent)
		if _, err := terminal.Read(sent); !errors.Is(err, terminal.ErrRequest) {
			t.Errorf("Read() took %s", name)
		}
	}
}

func TestWordsFollowFromTheChallenge(t *testing.T) {
	t.Parallel()
	one, other := request(), request()
	other.Challenge = strings.Repeat("d", 43)
	again := request()
	again.Machine, again.State = "other", strings.Repeat("t", 43)
	if one.Words() != again.Words() || one.Words() == other.Words() || len(one.Words()) != len("ABCD-EFGH") {
		t.Errorf("words = %s, %s and %s", one.Words(), again.Words(), other.Words())
	}
}

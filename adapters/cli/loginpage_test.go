package cli_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"gatehouse.internal/domain/terminal"
)

// page is a service whose page of the sign-in on the command line was opened.
type page struct {
	url string

	guard   sync.Mutex
	answers map[string]string
	calls   []string
	// verifier is the one that was sent, asked what the page was opened with.
	verifier string
	asked    terminal.Request
}

func newPage(t *testing.T, answers map[string]string) *page {
	t.Helper()
	p := &page{answers: answers}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var call struct {
			Command string            `json:"command"`
			Params  map[string]string `json:"params"`
		}
		_ = json.Unmarshal(body, &call)
		p.guard.Lock()
		defer p.guard.Unlock()
		if verifier := call.Params["code_verifier"]; verifier != "" {
			p.verifier = verifier
		}
		text := strings.TrimSpace(call.Command + " " + call.Params["token"] + call.Params["session_id"] + " " + call.Params["org_id"])
		if token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "); token != "" {
			text += " by " + token
		}
		p.calls = append(p.calls, text)
		answer := p.answers[text]
		if rest, stale := strings.CutPrefix(answer, "stale "); stale {
			w.Header().Set("WWW-Authenticate", `Bearer, error="insufficient_user_authentication", max_age=900`)
			answer = rest
		}
		if answer == "" {
			answer = no("AUTH_ERROR", "unexpected: "+text)
		}
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(server.Close)
	p.url = server.URL
	return p
}

// open reads the request of an address that was opened.
func (p *page) open(t *testing.T, address string) terminal.Request {
	t.Helper()
	path, query, _ := strings.Cut(address, "?")
	values, err := url.ParseQuery(query)
	if err != nil || path != p.url+terminal.Path {
		t.Errorf("opened %s, %v", address, err)
	}
	if p.asked, err = terminal.Read(values); err != nil {
		t.Errorf("opened %s: %v", address, err)
	}
	return p.asked
}

// hands hands over a code, or a refusal if it is empty, after requests that must be refused.
func (p *page) hands(t *testing.T, code string) func(address string) {
	return func(address string) {
		asked := p.open(t, address)
		forged := asked
		forged.State = strings.Repeat("x", len(asked.State))
		go func() {
			for _, c := range []struct {
				address string
				status  int
			}{{forged.Back("stolen"), 400}, {asked.Return + "/", 400}, {asked.Return + "/?state=" + asked.State, 400}, {asked.Back(code), 200}} {
				response, err := http.Get(c.address)
				if err != nil {
					t.Errorf("GET %s: %v", c.address, err)
					return
				}
				_ = response.Body.Close()
				if response.StatusCode != c.status || !strings.Contains(response.Header.Get("Content-Security-Policy"), "default-src 'none'") {
					t.Errorf("GET %s = %d, %v", c.address, response.StatusCode, response.Header)
				}
			}
		}()
	}
}

// expect fails the test unless these calls were made, and the page got the challenge of the
// verifier that was sent.
func (p *page) expect(t *testing.T, calls ...string) {
	t.Helper()
	p.guard.Lock()
	defer p.guard.Unlock()
	if strings.Join(p.calls, "\n") != strings.Join(calls, "\n") {
		t.Errorf("calls = %q, want %q", p.calls, calls)
	}
	if sum := sha256.Sum256([]byte(p.verifier)); p.verifier != "" && base64.RawURLEncoding.EncodeToString(sum[:]) != p.asked.Challenge {
		t.Error("the challenge is not that of the verifier")
	}
	p.calls = nil
}

const redeem = "AUTH.PASSWORDLESS_VERIFY code-1"

func TestLoginInTheBrowser(t *testing.T) {
	t.Parallel()
	p := newPage(t, map[string]string{redeem: pair("1"), "USER.ME by at-1": yes(`{"id":"usr_1","email":"a@b.c"}`)})
	config := t.TempDir()
	on := session{config: config, typed: []string{}, browser: p.hands(t, "code-1")}
	got := on.run(t, "login", "--url", p.url+"/")
	if got.code != 0 || !strings.Contains(got.out, "as a@b.c (profile default)") || !strings.Contains(got.err, p.asked.Words()) {
		t.Errorf("login = %+v", got)
	}
	if p.asked.Machine != "b-ro-laptop" || !strings.HasPrefix(p.asked.Return, "http://127.0.0.1:") {
		t.Errorf("the page was asked %+v", p.asked)
	}
	p.expect(t, redeem, "USER.ME by at-1")
	if got := (session{config: config}).run(t, "exec", "USER.ME"); got.code != 0 {
		t.Errorf("exec = %+v", got)
	}

	on.browser = p.hands(t, "")
	if got := on.run(t, "login", "--url", p.url); got.code != 1 || !strings.Contains(got.err, "canceled in the browser") {
		t.Errorf("after Cancel: %+v", got)
	}
}

// Without a browser, the address is printed and the copied code is asked for.
func TestLoginByACopiedCode(t *testing.T) {
	t.Parallel()
	p := newPage(t, map[string]string{redeem: pair("1"), "USER.ME by at-1": yes(`{"email":"a@b.c"}`)})
	opened := func(address string) { t.Errorf("opened %s", address) }
	for _, args := range [][]string{{"login"}, {"login", "--no-browser"}} {
		s := session{typed: []string{" code-1 "}}
		if len(args) > 1 {
			s.browser = opened
		}
		got := s.run(t, append(args, "--url", p.url)...)
		if got.code != 0 || !strings.Contains(got.out, "a@b.c") {
			t.Fatalf("%q = %+v", args, got)
		}
		_, rest, _ := strings.Cut(got.err, "\n\n  ")
		address, _, _ := strings.Cut(rest, "\n")
		if asked := p.open(t, address); asked.Return != "" || !strings.Contains(got.err, asked.Words()) {
			t.Errorf("asked %+v in %s", asked, got.err)
		}
		p.expect(t, redeem, "USER.ME by at-1")
	}
	if got := (session{}).run(t, "login", "--no-browser", "--url", p.url); got.code != 2 {
		t.Errorf("without a terminal: %+v", got)
	}
}

// A command that needs a recent sign-in goes on with a new session from the browser if the
// account has no password, or if the person leaves it empty.
func TestARecentSignInFromTheBrowser(t *testing.T) {
	t.Parallel()
	at1, at2 := jwt("ses_1", "1"), jwt("ses_2", "2")
	const redeemed = redeem + " org_1"
	who := func(subject, id, password string) string {
		return yes(`{"subject":"` + subject + `","session_id":"` + id + `","org_id":"org_1","has_password":` + password + `}`)
	}
	for name, c := range map[string]struct {
		password string
		typed    []string
		subject  string
		code     int
		last     []string
	}{
		"no password": {"false", []string{}, "usr_1", 0, []string{"SESSION.REVOKE ses_1 by " + at2, "USER.ME by " + at2}},
		"left empty":  {"true", []string{""}, "usr_1", 0, []string{"SESSION.REVOKE ses_1 by " + at2, "USER.ME by " + at2}},
		"another":     {"false", []string{}, "usr_2", 1, []string{"AUTH.LOGOUT by " + at2}},
	} {
		p := newPage(t, map[string]string{
			redeem: pairOf("ses_1", "1"), "USER.ME by " + at1: yes(`{"email":"a@b.c"}`),
			whoami + at1: who("usr_1", "ses_1", c.password), redeemed: pairOf("ses_2", "2"), whoami + at2: who(c.subject, "ses_2", c.password),
			"SESSION.REVOKE ses_1 by " + at2: yes(`{"revoked":true}`), "USER.ME by " + at2: yes(`{"id":"usr_1"}`), "AUTH.LOGOUT by " + at2: yes(`{}`),
		})
		config := t.TempDir()
		if got := (session{config: config, typed: []string{}, browser: p.hands(t, "code-1")}).run(t, "login", "--url", p.url); got.code != 0 {
			t.Fatalf("login = %+v", got)
		}
		p.expect(t, redeem, "USER.ME by "+at1)
		p.answers["USER.ME by "+at1] = "stale " + no("AUTH_ERROR", "sign in again")
		got := session{config: config, typed: c.typed, browser: p.hands(t, "code-1")}.run(t, "exec", "USER.ME")
		if got.code != c.code {
			t.Errorf("%s: exec = %+v", name, got)
		}
		p.expect(t, append([]string{"USER.ME by " + at1, whoami + at1, redeemed, whoami + at2}, c.last...)...)
	}
}

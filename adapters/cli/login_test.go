package cli_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// gate is a loopback service with responses by command and parameters.
type gate struct {
	url string

	guard   sync.Mutex
	calls   []string
	answers map[string]string
}

func newGate(t *testing.T, answers map[string]string) *gate {
	t.Helper()
	g := &gate{answers: answers}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var call struct {
			Command string         `json:"command"`
			Params  map[string]any `json:"params"`
			Org     string         `json:"org_id"`
		}
		_ = json.Unmarshal(body, &call)
		text := call.Command
		for _, name := range []string{"email", "password", "challenge_token", "code", "refresh_token", "limit", "cursor"} {
			if value, given := call.Params[name]; given {
				text += fmt.Sprintf(" %s=%v", name, value)
			}
		}
		if call.Org != "" {
			text += " in " + call.Org
		}
		if token := r.Header.Get("Authorization"); token != "" {
			text += " by " + strings.TrimPrefix(token, "Bearer ")
		}
		g.guard.Lock()
		g.calls = append(g.calls, text)
		answer := g.answers[text]
		g.guard.Unlock()
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
	g.url = server.URL
	return g
}

func yes(data string) string {
	return `{"ok":true,"command":"X","data":` + data + `,"error":null}`
}

func no(code, message string) string {
	return `{"ok":false,"command":"X","data":null,"error":{"code":"` + code + `","message":"` + message + `"}}`
}

func pair(n string) string {
	return yes(`{"access_token":"at-` + n + `","refresh_token":"rt-` + n + `","expires_in":900,"token_type":"Bearer"}`)
}

// expect fails the test unless exactly these calls were received, and clears them.
func (g *gate) expect(t *testing.T, calls ...string) {
	t.Helper()
	g.guard.Lock()
	defer g.guard.Unlock()
	if !slices.Equal(g.calls, calls) {
		t.Errorf("calls = %q, want %q", g.calls, calls)
	}
	g.calls = nil
}

const loginCall = "AUTH.LOGIN email=a@b.c password=hunter2"

func TestLoginKeepsASession(t *testing.T) {
	t.Parallel()
	g := newGate(t, map[string]string{
		loginCall:                         pair("1"),
		"USER.ME by at-1":                 yes(`{"id":"usr_1"}`),
		"USER.ME by at-2":                 yes(`{"id":"usr_1"}`),
		"AUTH.REFRESH refresh_token=rt-1": pair("2"),
		"AUTH.LOGOUT by at-2":             yes(`{"revoked":true}`),
	})
	config := t.TempDir()
	on := session{config: config, lines: []string{" a@b.c "}, typed: []string{"hunter2"}, env: map[string]string{"GATEHOUSE_PROFILE": "work"}}
	want := outcome{0, "signed in to " + g.url + " as a@b.c (profile work)\n", ""}
	if got := on.run(t, "login", "--password", "--url", g.url); got != want {
		t.Fatalf("login = %+v", got)
	}
	file := filepath.Join(config, "gatehouse", "work.json")
	for name, mode := range map[string]os.FileMode{file: 0o600, filepath.Dir(file): os.ModeDir | 0o700} {
		if info, err := os.Stat(name); err != nil || info.Mode() != mode {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	if got := (session{config: config}).run(t, "profiles"); got.out != "  work  "+g.url+"  a@b.c\n" {
		t.Errorf("profiles = %+v", got)
	}
	if got := (session{config: config}).run(t, "profiles", "--names"); got.out != "work\n" {
		t.Errorf("profiles --names = %+v", got)
	}
	g.expect(t, loginCall)

	for _, s := range []session{{config: config}, {config: config, later: 16 * time.Minute}} {
		if got := s.run(t, "exec", "user.me", "--profile", "work"); got.code != 0 {
			t.Errorf("exec = %+v", got)
		}
	}
	g.expect(t, "USER.ME by at-1", "AUTH.REFRESH refresh_token=rt-1", "USER.ME by at-2")

	if got := on.run(t, "logout"); got != (outcome{0, "signed out (profile work)\n", ""}) {
		t.Errorf("logout = %+v", got)
	}
	g.expect(t, "AUTH.LOGOUT by at-2")
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("the profile is still there: %v", err)
	}
	if got := on.run(t, "logout"); got.code != 0 || got.out != "unknown profile work\n" {
		t.Errorf("logout = %+v", got)
	}
}

func TestLoginBySecondFactor(t *testing.T) {
	t.Parallel()
	challenge := func(methods string) string {
		return yes(`{"mfa_required":true,"challenge_token":"ch-1","methods":[` + methods + `],"expires_in":300}`)
	}
	const verify, send = "AUTH.MFA_VERIFY challenge_token=ch-1 code=123456", "AUTH.MFA_SEND_CODE challenge_token=ch-1"
	cases := map[string]struct {
		answer string
		typed  []string
		calls  []string
		said   string
	}{
		"app":          {challenge(`"totp","recovery_code"`), []string{"hunter2", " 123456 "}, []string{loginCall, verify}, "signed in"},
		"email alone":  {challenge(`"email"`), []string{"hunter2", "123456"}, []string{loginCall, send, verify}, "signed in"},
		"passkey":      {challenge(`"passkey"`), []string{"hunter2"}, []string{loginCall}, "without --email and --password"},
		"nobody there": {challenge(`"totp"`), nil, []string{loginCall}, "in a terminal"},
		"to be done":   {yes(`{"challenge_token":"ch-1","required_actions":["enroll_mfa"],"expires_in":300}`), []string{"hunter2"}, []string{loginCall}, "requires an action first (enroll_mfa)"},
		"refused":      {no("AUTH_ERROR", `wrong\u001b[2J`), []string{"hunter2"}, []string{loginCall}, `gatehouse: wrong\x1b[2J`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGate(t, map[string]string{loginCall: c.answer, verify: pair("1"), send: yes(`{"sent":true}`)})
			got := session{in: "hunter2\n", typed: c.typed}.run(t, "login", "--email=a@b.c", "--url", g.url)
			if !strings.Contains(got.out+got.err, c.said) || (got.code == 0) != (c.said == "signed in") {
				t.Errorf("login = %+v, want %q", got, c.said)
			}
			g.expect(t, c.calls...)
		})
	}
}

// signedIn returns a configuration directory with a profile named default.
func signedIn(t *testing.T, g *gate) string {
	t.Helper()
	config := t.TempDir()
	if got := (session{config: config, in: "hunter2"}).run(t, "login", "--email=a@b.c", "--url", g.url); got.code != 0 {
		t.Fatalf("login = %+v", got)
	}
	g.expect(t, loginCall)
	return config
}

func TestTheTokenGoesNowhereElse(t *testing.T) {
	t.Parallel()
	g := newGate(t, map[string]string{loginCall: pair("1"), "USER.ME by key": yes(`{}`)})
	other := newGate(t, map[string]string{"USER.ME": yes(`{}`)})
	config := signedIn(t, g)
	if got := (session{config: config}).run(t, "exec", "USER.ME", "--url", other.url); got.code != 0 {
		t.Errorf("exec = %+v", got)
	}
	other.expect(t, "USER.ME")
	if got := (session{config: config}).run(t, "exec", "USER.ME", "--url", other.url, "--profile=default"); got.code != 2 || !strings.Contains(got.err, "is only sent there") {
		t.Errorf("exec = %+v", got)
	}
	if got := (session{config: config}).run(t, "exec", "USER.ME", "--token=key"); got.code != 0 {
		t.Errorf("exec = %+v", got)
	}
	other.expect(t)
	g.expect(t, "USER.ME by key")
	for _, name := range []string{"none", "../default", "A"} {
		if got := (session{config: config}).run(t, "exec", "USER.ME", "--profile", name); got.code != 2 {
			t.Errorf("exec --profile %s = %+v", name, got)
		}
	}
}

func TestAnEndedSession(t *testing.T) {
	t.Parallel()
	const refresh = "AUTH.REFRESH refresh_token=rt-1"
	g := newGate(t, map[string]string{loginCall: pair("1"), refresh: no("AUTH_ERROR", "ended")})
	config := signedIn(t, g)
	late := session{config: config, later: time.Hour}
	if got := late.run(t, "exec", "USER.ME"); got.code != 1 || !strings.Contains(got.err, "gatehouse login") {
		t.Errorf("exec = %+v", got)
	}
	g.expect(t, refresh)
	// Public commands need no session.
	if got := late.run(t, "exec", "AUTH.LOGIN", "email=a@b.c", "password=hunter2"); got.code != 0 {
		t.Errorf("exec = %+v", got)
	}
	g.expect(t, refresh, loginCall)
	if got := late.run(t, "logout"); got.code != 0 {
		t.Errorf("logout = %+v", got)
	}
}

// The service rejects a token as expired that is still valid by the local clock.
func TestRefreshOfWhatTheServiceCallsExpired(t *testing.T) {
	t.Parallel()
	g := newGate(t, map[string]string{
		loginCall: pair("1"), "AUTH.REFRESH refresh_token=rt-1": pair("2"),
		"USER.ME by at-1": no("TOKEN_EXPIRED", "expired"), "USER.ME by at-2": yes(`{}`),
	})
	config := signedIn(t, g)
	if got := (session{config: config}).run(t, "exec", "USER.ME"); got.code != 0 {
		t.Errorf("exec = %+v", got)
	}
	g.expect(t, "USER.ME by at-1", "AUTH.REFRESH refresh_token=rt-1", "USER.ME by at-2")
}

// Of several processes with an expired token, only one exchanges it.
func TestRefreshAtOnce(t *testing.T) {
	t.Parallel()
	g := newGate(t, map[string]string{loginCall: pair("1"), "AUTH.REFRESH refresh_token=rt-1": pair("2"), "USER.ME by at-2": yes(`{}`)})
	config := signedIn(t, g)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if got := (session{config: config, later: 16 * time.Minute}).run(t, "exec", "USER.ME"); got.code != 0 {
				t.Errorf("exec = %+v", got)
			}
		})
	}
	all.Wait()
	g.guard.Lock()
	defer g.guard.Unlock()
	if n := strings.Count(strings.Join(g.calls, ";"), "AUTH.REFRESH"); n != 1 || len(g.calls) != 9 {
		t.Errorf("%d exchanges in %q", n, g.calls)
	}
}

func TestExecAsksForMissingSecrets(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		typed []string
		args  []string
		want  string
	}{
		"missing":     {[]string{"hunter2"}, []string{"email=a@b.c"}, `{"email":"a@b.c","password":"hunter2"}`},
		"alone":       {[]string{"hunter2"}, nil, `{"password":"hunter2"}`},
		"given":       {[]string{}, []string{"password=x"}, `{"password":"x"}`},
		"no terminal": {nil, []string{"email=a@b.c"}, `{"email":"a@b.c"}`},
	} {
		s := newService(t, 200, fine)
		got := session{typed: c.typed}.run(t, append([]string{"exec", "auth.login", "--url", s.url}, c.args...)...)
		if want := `POST /api/v1/execute {"command":"AUTH.LOGIN","params":` + c.want + `}`; got.code != 0 || s.bodies[0] != want {
			t.Errorf("%s: exec = %+v, %q", name, got, s.bodies)
		}
	}
}

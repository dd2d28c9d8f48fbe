package cli_test

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"
)

// jwt returns an access token of a session.
func jwt(session, n string) string {
	return "h." + base64.RawURLEncoding.EncodeToString([]byte(`{"sid":"`+session+`","n":"`+n+`"}`)) + ".s"
}

func pairOf(session, n string) string {
	return yes(`{"access_token":"` + jwt(session, n) + `","refresh_token":"rt-` + n + `","expires_in":900,"token_type":"Bearer","extra":"kept"}`)
}

const (
	reauthenticate = "AUTH.REAUTHENTICATE password=hunter2 by "
	whoami         = "AUTH.WHOAMI by "
)

// New tokens of the profile's own session are kept, since the old refresh token would end
// the session, and they are printed nowhere.
func TestNewTokensOfTheSessionAreKept(t *testing.T) {
	t.Parallel()
	at1, at2 := jwt("ses_1", "1"), jwt("ses_1", "2")
	g := newGate(t, map[string]string{
		loginCall: pairOf("ses_1", "1"), reauthenticate + at1: pairOf("ses_1", "2"),
		"USER.ME by " + at2: yes(`{}`), "AUTH.REFRESH refresh_token=rt-2": pairOf("ses_1", "3"), "USER.ME by " + jwt("ses_1", "3"): yes(`{}`),
	})
	config := signedIn(t, g)
	got := session{config: config}.run(t, "exec", "AUTH.REAUTHENTICATE", "password=hunter2")
	if got.code != 0 || strings.Contains(got.out+got.err, "rt-2") || strings.Contains(got.out, at2) || !strings.Contains(got.out, `"extra":"kept"`) {
		t.Errorf("exec AUTH.REAUTHENTICATE = %+v", got)
	}
	for _, later := range []time.Duration{0, time.Hour} {
		if got := (session{config: config, later: later}).run(t, "exec", "USER.ME"); got.code != 0 {
			t.Errorf("exec USER.ME = %+v", got)
		}
	}
	g.expect(t, reauthenticate+at1, "USER.ME by "+at2, "AUTH.REFRESH refresh_token=rt-2", "USER.ME by "+jwt("ses_1", "3"))
}

// Tokens of another session are the answer that was asked for.
func TestTokensOfAnotherSessionAreAnswered(t *testing.T) {
	t.Parallel()
	at := jwt("ses_1", "1")
	g := newGate(t, map[string]string{loginCall: pairOf("ses_1", "1"), reauthenticate + at: pairOf("ses_2", "2"), "USER.ME by " + at: yes(`{}`)})
	config := signedIn(t, g)
	if got := (session{config: config}).run(t, "exec", "AUTH.REAUTHENTICATE", "password=hunter2"); !strings.Contains(got.out, "rt-2") {
		t.Errorf("exec = %+v", got)
	}
	if got := (session{config: config}).run(t, "exec", "USER.ME"); got.code != 0 {
		t.Errorf("exec USER.ME = %+v", got)
	}
}

// On a terminal, a command that needs a recent sign-in asks for the password and goes on.
func TestARecentSignInIsAskedFor(t *testing.T) {
	t.Parallel()
	at1, at2 := jwt("ses_1", "1"), jwt("ses_1", "2")
	const verify = "AUTH.MFA_VERIFY challenge_token=ch-1 code=123456"
	answers := map[string]string{
		whoami + at1: yes(`{"subject":"usr_1","session_id":"ses_1","org_id":"org_1","has_password":true}`),
		loginCall:    pairOf("ses_1", "1"), "USER.ME by " + at1: "stale " + no("AUTH_ERROR", "sign in again"), "USER.ME by " + at2: yes(`{"id":"usr_1"}`),
		reauthenticate + at1: yes(`{"mfa_required":true,"challenge_token":"ch-1","methods":["totp"],"expires_in":300}`), verify: pairOf("ses_1", "2"),
	}
	g := newGate(t, answers)
	config := signedIn(t, g)
	got := session{config: config, typed: []string{"hunter2", "123456"}}.run(t, "exec", "USER.ME", "--jq", ".id")
	if got.code != 0 || got.out != "usr_1\n" || !strings.Contains(got.err, "15 minutes") {
		t.Errorf("exec = %+v", got)
	}
	g.expect(t, "USER.ME by "+at1, whoami+at1, reauthenticate+at1, verify, "USER.ME by "+at2)

	// Without a terminal it is refused, and so it is with a wrong password.
	g = newGate(t, answers)
	config = signedIn(t, g)
	if got := (session{config: config}).run(t, "exec", "USER.ME"); got.code != 1 || !strings.Contains(got.out, "AUTH_ERROR") {
		t.Errorf("exec = %+v", got)
	}
	if got := (session{config: config, typed: []string{"wrong"}}).run(t, "exec", "USER.ME"); got.code != 1 || got.out != "" {
		t.Errorf("exec = %+v", got)
	}
	g.expect(t, "USER.ME by "+at1, "USER.ME by "+at1, whoami+at1, "AUTH.REAUTHENTICATE password=wrong by "+at1)
}

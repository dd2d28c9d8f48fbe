package e2e_test

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"
)

func (r *reply) retryAfter() int {
	r.t.Helper()
	seconds, err := strconv.Atoi(r.header.Get("Retry-After"))
	if err != nil {
		r.t.Fatalf("%s: Retry-After = %q", r.what, r.header.Get("Retry-After"))
	}
	return seconds
}

func TestLoginLimitIsExact(t *testing.T) {
	onBoth(t, func(t *testing.T, on store) {
		s := open(t, on)
		admin := s.first().admin()
		for range 3 {
			from := address()
			nobody := newcomer()
			attempt := login(nobody)
			attempt.ip = from
			answers := together(40, func(i int) *reply { return s.any(i).do(attempt) })
			if got := codes(answers); got["AUTH_ERROR"] != 10 || got["RATE_LIMITED"] != 30 {
				t.Errorf("40 parallel logins from one address = %v, want 10 to pass", got)
			}
			for _, answer := range answers {
				if answer.code() == "RATE_LIMITED" && (answer.retryAfter() < 30 || answer.retryAfter() > 60) {
					t.Errorf("Retry-After = %d after a moment, want nearly a minute", answer.retryAfter())
				}
			}
			// Nor does the right password pass, nor an address behind which the
			// client hides; another address does.
			late := login(person{email: adminEmail, password: adminPassword})
			late.ip = from
			s.last().do(late).fails("RATE_LIMITED")
			late.ip = "10.99.99.99, " + from
			s.first().do(late).fails("RATE_LIMITED")
			late.ip = ""
			s.first().do(late).ok()
			status := s.last().as(admin, "RATE_LIMIT.STATUS_GET", P{"command": "AUTH.LOGIN", "subject": from})
			if status.number("used") != 10 || status.number("remaining") != 0 {
				t.Errorf("RATE_LIMIT.STATUS_GET = %s", status.body)
			}
			s.last().as(admin, "RATE_LIMIT.RESET", P{"command": "AUTH.LOGIN", "subject": from}).ok()
			attempt.ip = from
			s.first().do(attempt).fails("AUTH_ERROR")
		}
	})
}

func TestIPv6CountsByNetwork(t *testing.T) {
	onBoth(t, func(t *testing.T, on store) {
		s := open(t, on)
		nobody := newcomer()
		answers := together(20, func(i int) *reply {
			attempt := login(nobody)
			attempt.ip = "2001:db8:1:2:" + strconv.Itoa(i+1) + "::1"
			return s.any(i).do(attempt)
		})
		if got := codes(answers); got["AUTH_ERROR"] != 10 || got["RATE_LIMITED"] != 10 {
			t.Errorf("20 parallel logins from one /64 = %v, want 10 to pass", got)
		}
		attempt := login(nobody)
		attempt.ip = "2001:db8:1:3::1"
		s.first().do(attempt).fails("AUTH_ERROR")
	})
}

// Whoever waits as long as Retry-After says passes.
func TestRetryAfterIsTrue(t *testing.T) {
	onBoth(t, func(t *testing.T, on store) {
		s := open(t, on)
		admin, ada := s.first().admin(), s.first().signUp()
		s.last().as(admin, "RATE_LIMIT.SET", P{"command": "USER.ME", "limit": 3, "window_seconds": 2, "key": "token"}).ok()
		for round := range 2 {
			began := time.Now()
			answers := together(9, func(i int) *reply { return s.any(i).as(ada, "USER.ME", nil) })
			for time.Since(began) > time.Second { // more than half a window: what left it meanwhile is not known
				<-time.After(2 * time.Second)
				began = time.Now()
				answers = together(9, func(i int) *reply { return s.any(i).as(ada, "USER.ME", nil) })
			}
			if got := codes(answers); got["OK"] != 3 || got["RATE_LIMITED"] != 6 {
				t.Fatalf("round %d: 9 calls of 3 allowed = %v", round, got)
			}
			refused := s.any(round).as(ada, "USER.ME", nil).fails("RATE_LIMITED")
			if wait := refused.retryAfter(); wait < 1 || wait > 2 {
				t.Errorf("Retry-After = %d of a window of 2 s", wait)
			}
			<-time.After(time.Duration(refused.retryAfter()) * time.Second)
			s.any(round+1).as(ada, "USER.ME", nil).ok()
			if took := time.Since(began); took < 2*time.Second {
				t.Errorf("the fourth call passed after %v", took)
			}
			<-time.After(2 * time.Second) // all of this round leave the window
		}
	})
}

func TestLimitsOfTokensAndAnonymousCommands(t *testing.T) {
	onBoth(t, func(t *testing.T, on store) {
		s := open(t, on)
		ada := s.first().signUp()
		// 600 a minute over all commands of a token, held to within 5 %.
		answers := together(700, func(i int) *reply {
			return s.any(i).as(ada, []string{"USER.ME", "AUTH.WHOAMI", "SESSION.LIST"}[i%3], nil)
		})
		if got := codes(answers); got["OK"] < 595 || got["OK"] > 600 || got["OK"]+got["RATE_LIMITED"] != 700 {
			t.Errorf("700 calls of one token = %v, want 600 to pass", got)
		}
		renewed := s.last().holding(ada, s.last().rotate(ada.refresh))
		s.last().as(renewed, "USER.ME", nil).fails("RATE_LIMITED")
		s.last().as(s.last().again(ada), "USER.ME", nil).ok()
		// 60 a minute of one address on every other anonymous command.
		from := address()
		answers = together(80, func(i int) *reply {
			return s.any(i).do(call{command: "AUTH.CHECK_PASSWORD", params: P{"password": ada.password}, ip: from})
		})
		if got := codes(answers); got["OK"] != 60 || got["RATE_LIMITED"] != 20 {
			t.Errorf("80 anonymous calls of one address = %v, want 60 to pass", got)
		}
	})
}

// Calls that are malformed or present a wrong credential are 600 a minute for one
// address, whichever way they come; what is right goes on, also in a name that
// somebody guesses at.
func TestFaultyCallsKeepNobodyOut(t *testing.T) {
	onBoth(t, func(t *testing.T, on store) {
		s := open(t, on)
		admin := s.first().admin()
		app, ada := s.first().machine(admin, "apps:read"), s.first().signUp()
		wrong := app
		wrong.secret = s.first().machine(admin).secret
		from := address()
		form := func(r *replica, m machine) *reply {
			sent := url.Values{"grant_type": {"client_credentials"}, "client_id": {m.slug}, "client_secret": {m.secret}}
			answer, body := r.form("/api/m2m/token", sent, "X-Forwarded-For="+from)
			return &reply{t: t, what: "a form", status: answer.status, header: answer.header, body: []byte(body)}
		}
		raw := func(r *replica, body string) *reply {
			header := http.Header{"Content-Type": {"application/json"}, "X-Forwarded-For": {from}}
			return r.to(http.MethodPost, "/api/v1/execute", strings.NewReader(body), header)
		}
		faults := []func(r *replica) *reply{
			func(r *replica) *reply { return form(r, wrong) },
			func(r *replica) *reply { return raw(r, `{"command":`) },
			func(r *replica) *reply { return raw(r, `{"command":"USER.MEE"}`) },
			func(r *replica) *reply { return raw(r, `{"command":"AUTH.LOGIN","params":{}}`) },
			func(r *replica) *reply { return r.do(call{command: "USER.ME", token: "not-a-token", ip: from}) },
			func(r *replica) *reply {
				return r.do(call{command: "M2M.TOKEN", params: P{"client_id": app.slug, "client_secret": wrong.secret}, ip: from})
			},
		}
		answers := together(700, func(i int) *reply { return faults[i%len(faults)](s.any(i / len(faults))) })
		refused := 0
		for _, answer := range answers {
			if answer.status == http.StatusTooManyRequests {
				refused++
				if wait := answer.retryAfter(); wait < 1 || wait > 61 {
					t.Errorf("Retry-After = %d", wait)
				}
			}
		}
		if refused < 100 || refused > 105 {
			t.Errorf("%d of 700 calls were refused, want 100", refused)
		}
		for i := range 2 {
			r := s.any(i)
			if answer := form(r, app); answer.status != http.StatusOK {
				t.Errorf("the right secret: %d %s", answer.status, answer.body)
			}
			r.do(call{command: "M2M.TOKEN", params: P{"client_id": app.slug, "client_secret": app.secret}, ip: from}).ok()
			r.do(call{command: "USER.ME", token: ada.access, ip: from}).ok()
			r.do(call{command: "AUTH.CHECK_PASSWORD", params: P{"password": ada.password}, ip: from}).ok()
			if answer := form(r, wrong); answer.status != http.StatusTooManyRequests {
				t.Errorf("a wrong secret: %d %s", answer.status, answer.body)
			}
		}
		status := s.last().as(admin, "RATE_LIMIT.STATUS_GET", P{"command": "*", "subject": from})
		if status.number("used") < 595 || status.number("used") > 600 {
			t.Errorf("RATE_LIMIT.STATUS_GET = %s", status.body)
		}
		s.last().as(admin, "RATE_LIMIT.RESET", P{"command": "*", "subject": from}).ok()
		raw(s.first(), `{"command":`).fails("VALIDATION_ERROR")
	})
}

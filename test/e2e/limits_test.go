package e2e_test

import (
	"strconv"
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

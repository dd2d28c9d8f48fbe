package commands_test

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/test/e2e/instance"
)

func retryAfter(r *instance.Reply) int {
	r.T.Helper()
	seconds, err := strconv.Atoi(r.Header.Get("Retry-After"))
	if err != nil {
		r.T.Fatalf("%s: Retry-After = %q", r.What, r.Header.Get("Retry-After"))
	}
	return seconds
}

func TestLoginLimitIsExact(t *testing.T) {
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		s := instance.Open(t, on)
		admin := s.First().Admin()
		for range 3 {
			from := instance.Address()
			nobody := instance.Newcomer()
			attempt := instance.Login(nobody)
			attempt.IP = from
			answers := instance.Together(40, func(i int) *instance.Reply { return s.Any(i).Do(attempt) })
			if got := instance.Codes(answers); got["AUTH_ERROR"] != 10 || got["RATE_LIMITED"] != 30 {
				t.Errorf("40 parallel logins from one address = %v, want 10 to pass", got)
			}
			for _, answer := range answers {
				if answer.Code() == "RATE_LIMITED" && (retryAfter(answer) < 30 || retryAfter(answer) > 60) {
					t.Errorf("Retry-After = %d after a moment, want nearly a minute", retryAfter(answer))
				}
			}
			// Nor does the right password pass, nor an address behind which the
			// client hides; another address does.
			late := instance.Login(instance.Person{Email: instance.AdminEmail, Password: instance.AdminPassword})
			late.IP = from
			s.Last().Do(late).Fails("RATE_LIMITED")
			late.IP = "10.99.99.99, " + from
			s.First().Do(late).Fails("RATE_LIMITED")
			late.IP = ""
			s.First().Do(late).OK()
			status := s.Last().As(admin, "RATE_LIMIT.STATUS_GET", P{"command": "AUTH.LOGIN", "subject": from})
			if status.Number("used") != 10 || status.Number("remaining") != 0 {
				t.Errorf("RATE_LIMIT.STATUS_GET = %s", status.Body)
			}
			s.Last().As(admin, "RATE_LIMIT.RESET", P{"command": "AUTH.LOGIN", "subject": from}).OK()
			attempt.IP = from
			s.First().Do(attempt).Fails("AUTH_ERROR")
		}
	})
}

func TestIPv6CountsByNetwork(t *testing.T) {
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		s := instance.Open(t, on)
		nobody := instance.Newcomer()
		answers := instance.Together(20, func(i int) *instance.Reply {
			attempt := instance.Login(nobody)
			attempt.IP = "2001:db8:1:2:" + strconv.Itoa(i+1) + "::1"
			return s.Any(i).Do(attempt)
		})
		if got := instance.Codes(answers); got["AUTH_ERROR"] != 10 || got["RATE_LIMITED"] != 10 {
			t.Errorf("20 parallel logins from one /64 = %v, want 10 to pass", got)
		}
		attempt := instance.Login(nobody)
		attempt.IP = "2001:db8:1:3::1"
		s.First().Do(attempt).Fails("AUTH_ERROR")
	})
}

// A caller that waits for the time in Retry-After passes.
func TestRetryAfterIsTrue(t *testing.T) {
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		s := instance.Open(t, on)
		admin, ada := s.First().Admin(), s.First().SignUp()
		s.Last().As(admin, "RATE_LIMIT.SET", P{"command": "USER.ME", "limit": 3, "window_seconds": 2, "key": "token"}).OK()
		for round := range 2 {
			began := time.Now()
			answers := instance.Together(9, func(i int) *instance.Reply { return s.Any(i).As(ada, "USER.ME", nil) })
			for time.Since(began) > time.Second { // more than half a window: what left it meanwhile is not known
				<-time.After(2 * time.Second)
				began = time.Now()
				answers = instance.Together(9, func(i int) *instance.Reply { return s.Any(i).As(ada, "USER.ME", nil) })
			}
			if got := instance.Codes(answers); got["OK"] != 3 || got["RATE_LIMITED"] != 6 {
				t.Fatalf("round %d: 9 calls of 3 allowed = %v", round, got)
			}
			refused := s.Any(round).As(ada, "USER.ME", nil).Fails("RATE_LIMITED")
			if wait := retryAfter(refused); wait < 1 || wait > 2 {
				t.Errorf("Retry-After = %d of a window of 2 s", wait)
			}
			<-time.After(time.Duration(retryAfter(refused)) * time.Second)
			s.Any(round+1).As(ada, "USER.ME", nil).OK()
			if took := time.Since(began); took < 2*time.Second {
				t.Errorf("the fourth call passed after %v", took)
			}
			<-time.After(2 * time.Second) // all of this round leave the window
		}
	})
}

func TestLimitsOfTokensAndAnonymousCommands(t *testing.T) {
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		s := instance.Open(t, on)
		ada := s.First().SignUp()
		// 600 a minute over all commands of a token, held to within 5 %.
		answers := instance.Together(700, func(i int) *instance.Reply {
			return s.Any(i).As(ada, []string{"USER.ME", "AUTH.WHOAMI", "SESSION.LIST"}[i%3], nil)
		})
		if got := instance.Codes(answers); got["OK"] < 595 || got["OK"] > 600 || got["OK"]+got["RATE_LIMITED"] != 700 {
			t.Errorf("700 calls of one token = %v, want 600 to pass", got)
		}
		renewed := s.Last().Holding(ada, s.Last().Rotate(ada.Refresh))
		s.Last().As(renewed, "USER.ME", nil).Fails("RATE_LIMITED")
		s.Last().As(s.Last().Again(ada), "USER.ME", nil).OK()
		// 60 a minute of one address on every other anonymous command.
		from := instance.Address()
		answers = instance.Together(80, func(i int) *instance.Reply {
			return s.Any(i).Do(instance.Call{Command: "AUTH.CHECK_PASSWORD", Params: P{"password": ada.Password}, IP: from})
		})
		if got := instance.Codes(answers); got["OK"] != 60 || got["RATE_LIMITED"] != 20 {
			t.Errorf("80 anonymous calls of one address = %v, want 60 to pass", got)
		}
	})
}

// Calls that are malformed or present a wrong credential are 600 a minute for one
// address, whichever way they come; what is right goes on, also in a name that
// somebody guesses at.
func TestFaultyCallsBlockNobodyElse(t *testing.T) {
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		s := instance.Open(t, on)
		admin := s.First().Admin()
		app, ada := s.First().Machine(admin, "apps:read"), s.First().SignUp()
		wrong := app
		wrong.Secret = s.First().Machine(admin).Secret
		from := instance.Address()
		form := func(r *instance.Replica, m instance.Machine) *instance.Reply {
			sent := url.Values{"grant_type": {"client_credentials"}, "client_id": {m.Slug}, "client_secret": {m.Secret}}
			answer, body := r.Form("/api/m2m/token", sent, "X-Forwarded-For="+from)
			return &instance.Reply{T: t, What: "a form", Status: answer.Status, Header: answer.Header, Body: []byte(body)}
		}
		raw := func(r *instance.Replica, body string) *instance.Reply {
			header := http.Header{"Content-Type": {"application/json"}, "X-Forwarded-For": {from}}
			return r.To(http.MethodPost, "/api/v1/execute", strings.NewReader(body), header)
		}
		faults := []func(r *instance.Replica) *instance.Reply{
			func(r *instance.Replica) *instance.Reply { return form(r, wrong) },
			func(r *instance.Replica) *instance.Reply { return raw(r, `{"command":`) },
			func(r *instance.Replica) *instance.Reply { return raw(r, `{"command":"USER.MEE"}`) },
			func(r *instance.Replica) *instance.Reply { return raw(r, `{"command":"AUTH.LOGIN","params":{}}`) },
			func(r *instance.Replica) *instance.Reply {
				return r.Do(instance.Call{Command: "USER.ME", Token: "not-a-token", IP: from})
			},
			func(r *instance.Replica) *instance.Reply {
				return r.Do(instance.Call{Command: "M2M.TOKEN", Params: P{"client_id": app.Slug, "client_secret": wrong.Secret}, IP: from})
			},
		}
		answers := instance.Together(700, func(i int) *instance.Reply { return faults[i%len(faults)](s.Any(i / len(faults))) })
		refused := 0
		for _, answer := range answers {
			if answer.Status == http.StatusTooManyRequests {
				refused++
				if wait := retryAfter(answer); wait < 1 || wait > 61 {
					t.Errorf("Retry-After = %d", wait)
				}
			}
		}
		if refused < 100 || refused > 105 {
			t.Errorf("%d of 700 calls were refused, want 100", refused)
		}
		for i := range 2 {
			r := s.Any(i)
			if answer := form(r, app); answer.Status != http.StatusOK {
				t.Errorf("the right secret: %d %s", answer.Status, answer.Body)
			}
			r.Do(instance.Call{Command: "M2M.TOKEN", Params: P{"client_id": app.Slug, "client_secret": app.Secret}, IP: from}).OK()
			r.Do(instance.Call{Command: "USER.ME", Token: ada.Access, IP: from}).OK()
			r.Do(instance.Call{Command: "AUTH.CHECK_PASSWORD", Params: P{"password": ada.Password}, IP: from}).OK()
			if answer := form(r, wrong); answer.Status != http.StatusTooManyRequests {
				t.Errorf("a wrong secret: %d %s", answer.Status, answer.Body)
			}
		}
		status := s.Last().As(admin, "RATE_LIMIT.STATUS_GET", P{"command": "*", "subject": from})
		if status.Number("used") < 595 || status.Number("used") > 600 {
			t.Errorf("RATE_LIMIT.STATUS_GET = %s", status.Body)
		}
		s.Last().As(admin, "RATE_LIMIT.RESET", P{"command": "*", "subject": from}).OK()
		raw(s.First(), `{"command":`).Fails("VALIDATION_ERROR")
	})
}

package replicas_test

import (
	"slices"
	"testing"
	"time"

	"gatehouse.internal/test/e2e/instance"
)

// successors are the different refresh tokens among answers that succeeded.
func successors(answers []*instance.Reply) []string {
	var tokens []string
	for _, answer := range answers {
		if answer.Code() == "OK" {
			tokens = append(tokens, answer.Text("refresh_token"))
		}
	}
	slices.Sort(tokens)
	return slices.Compact(tokens)
}

func TestRefresh(t *testing.T) {
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		s := instance.Open(t, on)
		here, there := s.First(), s.Last()
		admin := here.Admin()
		ada := here.SignUp()

		first := here.Rotate(ada.Refresh)
		retried := there.Rotate(ada.Refresh)
		if first.Text("refresh_token") != retried.Text("refresh_token") {
			t.Fatal("a retry within the window is answered with another successor")
		}
		second := there.Holding(ada, there.Rotate(first.Text("refresh_token")))
		there.As(second, "USER.ME", nil).OK()
		if got := there.Happened(admin, "session.reuse_detected", ada); got != 0 {
			t.Errorf("%d reuses detected before there was one", got)
		}

		// The successor was used: whoever presents the first again has stolen it.
		here.Rotate(ada.Refresh).Fails("AUTH_ERROR")
		for i, dead := range []string{ada.Refresh, first.Text("refresh_token"), second.Refresh} {
			s.Any(i).Rotate(dead).Fails("AUTH_ERROR")
		}
		for i, dead := range []string{ada.Access, first.Text("access_token"), second.Access} {
			s.Any(i).Do(instance.Call{Command: "USER.ME", Token: dead}).Fails("AUTH_ERROR")
		}
		if got := there.Happened(admin, "session.reuse_detected", ada); got != 1 {
			t.Errorf("%d events session.reuse_detected, want 1", got)
		}
		if got := there.Happened(admin, "session.revoked", ada); got != 1 {
			t.Errorf("%d events session.revoked, want 1", got)
		}

		here.As(admin, "SETTINGS.SET", P{"values": P{"refresh_retry_seconds": 0}}).OK()
		bob := here.SignUp()
		renewed := there.Rotate(bob.Refresh)
		there.Rotate(bob.Refresh).Fails("AUTH_ERROR")
		there.Rotate(renewed.Text("refresh_token")).Fails("AUTH_ERROR")
	})
}

func TestParallelRefreshesHaveOneSuccessor(t *testing.T) {
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		s := instance.Open(t, on)
		admin := s.First().Admin()
		s.First().As(admin, "SETTINGS.SET", P{"values": P{"refresh_retry_seconds": 60}}).OK()
		for range 3 {
			ada := s.First().SignUp()
			answers := instance.Together(100, func(i int) *instance.Reply { return s.Any(i).Rotate(ada.Refresh) })
			if got := instance.Codes(answers); got["OK"] != 100 {
				t.Errorf("100 parallel refreshes of one token = %v, want all to succeed", got)
			}
			next := successors(answers)
			if len(next) != 1 {
				t.Fatalf("%d successors of one token, want 1", len(next))
			}
			if got := s.Last().Happened(admin, "session.refreshed", ada); got != 1 {
				t.Errorf("%d events session.refreshed, want 1", got)
			}
			s.Last().Rotate(next[0]).OK()
		}
		// Without a window one of them is the first, and every other one a reuse.
		s.First().As(admin, "SETTINGS.SET", P{"values": P{"refresh_retry_seconds": 0}}).OK()
		for range 3 {
			ada := s.First().SignUp()
			answers := instance.Together(100, func(i int) *instance.Reply { return s.Any(i).Rotate(ada.Refresh) })
			if got := instance.Codes(answers); got["OK"] != 1 || got["AUTH_ERROR"] != 99 {
				t.Errorf("100 parallel refreshes without retry = %v, want one success", got)
			}
			for _, token := range successors(answers) {
				s.Last().Rotate(token).Fails("AUTH_ERROR")
			}
			s.Last().As(ada, "USER.ME", nil).Fails("AUTH_ERROR")
			if got := s.Last().Happened(admin, "session.reuse_detected", ada); got != 1 {
				t.Errorf("%d events session.reuse_detected, want 1", got)
			}
		}
	})
}

// ending is a way to end a person's session while it is refreshed.
type ending struct {
	name string
	// end ends the victim's session; other is another session of the same person.
	end func(r *instance.Replica, victim, other, admin instance.Person) *instance.Reply
	// spares reports whether other stays alive.
	spares bool
}

func endings() []ending {
	return []ending{
		{"AUTH.LOGOUT", func(r *instance.Replica, victim, _, _ instance.Person) *instance.Reply {
			return r.As(victim, "AUTH.LOGOUT", nil)
		}, true},
		{"SESSION.REVOKE_ALL", func(r *instance.Replica, _, other, _ instance.Person) *instance.Reply {
			return r.As(other, "SESSION.REVOKE_ALL", nil)
		}, true},
		{"USER.CHANGE_PASSWORD", func(r *instance.Replica, victim, other, _ instance.Person) *instance.Reply {
			return r.As(other, "USER.CHANGE_PASSWORD", P{"current_password": victim.Password, "new_password": victim.Password + " anew"})
		}, true},
		{"USER.DELETE", func(r *instance.Replica, victim, other, _ instance.Person) *instance.Reply {
			return r.As(other, "USER.DELETE", P{"password": victim.Password})
		}, false},
		{"USER.DISABLE", func(r *instance.Replica, victim, _, admin instance.Person) *instance.Reply {
			return r.As(admin, "USER.DISABLE", P{"user_id": victim.ID, "reason": "a test"})
		}, false},
	}
}

func TestNothingSurvivesTheEndOfASession(t *testing.T) {
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		s := instance.Open(t, on)
		admin := s.First().Admin()
		// An admin's token counts for the limit over all.
		s.First().As(admin, "RATE_LIMIT.SET", P{"command": "*", "limit": 100_000, "window_seconds": 60}).OK()
		for _, e := range endings() {
			t.Run(e.name, func(t *testing.T) {
				for round := range instance.Rounds {
					race(s, t, e, admin, round)
				}
			})
		}
	})
}

// race ends a session while both replicas refresh it, each going on with what it
// got, and sees that nothing of it is left.
func race(s *instance.Site, t *testing.T, e ending, admin instance.Person, round int) {
	t.Helper()
	victim := s.Any(round).SignUp()
	other := s.Any(round + 1).Again(victim)
	const chains = 4
	accesses, refreshes := make([][]string, chains), make([][]string, chains)
	answers := instance.Together(chains+1, func(i int) *instance.Reply {
		if i == chains {
			// Now sooner, now later, so that it falls between all their steps.
			<-time.After(time.Duration(round) * 500 * time.Microsecond)
			return e.end(s.Any(round), victim, other, admin)
		}
		token := victim.Refresh
		var answer *instance.Reply
		for range 4 {
			if answer = s.Any(i).Rotate(token); answer.Code() != "OK" {
				return answer
			}
			token, _ = answer.Value("refresh_token").(string)
			access, _ := answer.Value("access_token").(string)
			accesses[i], refreshes[i] = append(accesses[i], access), append(refreshes[i], token)
		}
		return answer
	})
	for i, answer := range answers[:chains] {
		if code := answer.Code(); code != "OK" && code != "AUTH_ERROR" {
			t.Errorf("round %d: refresh %d = %v %d %s", round, i, answer.Err, answer.Status, answer.Body)
		}
	}
	// Parallel chains may look like reuse: then the session had ended before.
	if code := answers[chains].Code(); code != "OK" && (e.name != "AUTH.LOGOUT" || code != "AUTH_ERROR") {
		t.Fatalf("round %d: %s = %v %d %s", round, e.name, answers[chains].Err, answers[chains].Status, answers[chains].Body)
	}
	for i, token := range append(slices.Concat(accesses...), victim.Access) {
		s.Any(i).Do(instance.Call{Command: "USER.ME", Token: token}).Fails("AUTH_ERROR")
	}
	for i, token := range append(slices.Concat(refreshes...), victim.Refresh) {
		s.Any(i).Rotate(token).Fails("AUTH_ERROR")
	}
	if e.spares {
		s.Any(round).As(other, "USER.ME", nil).OK()
		return
	}
	s.Any(round).As(other, "USER.ME", nil).Fails("AUTH_ERROR")
	s.Any(round).Rotate(other.Refresh).Fails("AUTH_ERROR")
	s.Any(round).Do(instance.Login(victim)).Fails("AUTH_ERROR")
}

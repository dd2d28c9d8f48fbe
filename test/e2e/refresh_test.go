package e2e_test

import (
	"slices"
	"testing"
	"time"
)

// successors are the different refresh tokens among answers that succeeded.
func successors(answers []*reply) []string {
	var tokens []string
	for _, answer := range answers {
		if answer.code() == "OK" {
			tokens = append(tokens, answer.text("refresh_token"))
		}
	}
	slices.Sort(tokens)
	return slices.Compact(tokens)
}

// happened counts the events of a kind about a person.
func (r *replica) happened(admin person, kind string, about person) int {
	r.t.Helper()
	return len(r.as(admin, "AUDIT.SEARCH", P{"type": kind, "user_id": about.id, "limit": 200}).items())
}

func TestRefresh(t *testing.T) {
	onBoth(t, func(t *testing.T, on store) {
		s := open(t, on)
		here, there := s.first(), s.last()
		admin := here.admin()
		ada := here.signUp()

		first := here.rotate(ada.refresh)
		retried := there.rotate(ada.refresh)
		if first.text("refresh_token") != retried.text("refresh_token") {
			t.Fatal("a retry within the window is answered with another successor")
		}
		second := there.holding(ada, there.rotate(first.text("refresh_token")))
		there.as(second, "USER.ME", nil).ok()
		if got := there.happened(admin, "session.reuse_detected", ada); got != 0 {
			t.Errorf("%d reuses detected before there was one", got)
		}

		// The successor was used: whoever presents the first again has stolen it.
		here.rotate(ada.refresh).fails("AUTH_ERROR")
		for i, dead := range []string{ada.refresh, first.text("refresh_token"), second.refresh} {
			s.any(i).rotate(dead).fails("AUTH_ERROR")
		}
		for i, dead := range []string{ada.access, first.text("access_token"), second.access} {
			s.any(i).do(call{command: "USER.ME", token: dead}).fails("AUTH_ERROR")
		}
		if got := there.happened(admin, "session.reuse_detected", ada); got != 1 {
			t.Errorf("%d events session.reuse_detected, want 1", got)
		}
		if got := there.happened(admin, "session.revoked", ada); got != 1 {
			t.Errorf("%d events session.revoked, want 1", got)
		}

		here.as(admin, "SETTINGS.SET", P{"values": P{"refresh_retry_seconds": 0}}).ok()
		bob := here.signUp()
		renewed := there.rotate(bob.refresh)
		there.rotate(bob.refresh).fails("AUTH_ERROR")
		there.rotate(renewed.text("refresh_token")).fails("AUTH_ERROR")
	})
}

func TestParallelRefreshesHaveOneSuccessor(t *testing.T) {
	onBoth(t, func(t *testing.T, on store) {
		s := open(t, on)
		admin := s.first().admin()
		s.first().as(admin, "SETTINGS.SET", P{"values": P{"refresh_retry_seconds": 60}}).ok()
		for range 3 {
			ada := s.first().signUp()
			answers := together(100, func(i int) *reply { return s.any(i).rotate(ada.refresh) })
			if got := codes(answers); got["OK"] != 100 {
				t.Errorf("100 parallel refreshes of one token = %v, want all to succeed", got)
			}
			next := successors(answers)
			if len(next) != 1 {
				t.Fatalf("%d successors of one token, want 1", len(next))
			}
			if got := s.last().happened(admin, "session.refreshed", ada); got != 1 {
				t.Errorf("%d events session.refreshed, want 1", got)
			}
			s.last().rotate(next[0]).ok()
		}
		// Without a window one of them is the first, and every other one a reuse.
		s.first().as(admin, "SETTINGS.SET", P{"values": P{"refresh_retry_seconds": 0}}).ok()
		for range 3 {
			ada := s.first().signUp()
			answers := together(100, func(i int) *reply { return s.any(i).rotate(ada.refresh) })
			if got := codes(answers); got["OK"] != 1 || got["AUTH_ERROR"] != 99 {
				t.Errorf("100 parallel refreshes without retry = %v, want one success", got)
			}
			for _, token := range successors(answers) {
				s.last().rotate(token).fails("AUTH_ERROR")
			}
			s.last().as(ada, "USER.ME", nil).fails("AUTH_ERROR")
			if got := s.last().happened(admin, "session.reuse_detected", ada); got != 1 {
				t.Errorf("%d events session.reuse_detected, want 1", got)
			}
		}
	})
}

// ending is a way to end a person's session while it is refreshed.
type ending struct {
	name string
	// end ends the victim's session; other is another session of the same person.
	end func(r *replica, victim, other, admin person) *reply
	// spares reports whether other stays alive.
	spares bool
}

func endings() []ending {
	return []ending{
		{"AUTH.LOGOUT", func(r *replica, victim, _, _ person) *reply { return r.as(victim, "AUTH.LOGOUT", nil) }, true},
		{"SESSION.REVOKE_ALL", func(r *replica, _, other, _ person) *reply { return r.as(other, "SESSION.REVOKE_ALL", nil) }, true},
		{"USER.CHANGE_PASSWORD", func(r *replica, victim, other, _ person) *reply {
			return r.as(other, "USER.CHANGE_PASSWORD", P{"current_password": victim.password, "new_password": victim.password + " anew"})
		}, true},
		{"USER.DELETE", func(r *replica, victim, other, _ person) *reply {
			return r.as(other, "USER.DELETE", P{"password": victim.password})
		}, false},
		{"USER.DISABLE", func(r *replica, victim, _, admin person) *reply {
			return r.as(admin, "USER.DISABLE", P{"user_id": victim.id, "reason": "a test"})
		}, false},
	}
}

const rounds = 20

func TestNothingSurvivesTheEndOfASession(t *testing.T) {
	onBoth(t, func(t *testing.T, on store) {
		s := open(t, on)
		admin := s.first().admin()
		// An admin's token counts for the limit over all.
		s.first().as(admin, "RATE_LIMIT.SET", P{"command": "*", "limit": 100_000, "window_seconds": 60}).ok()
		for _, e := range endings() {
			t.Run(e.name, func(t *testing.T) {
				for round := range rounds {
					s.race(t, e, admin, round)
				}
			})
		}
	})
}

// race ends a session while both replicas refresh it, each going on with what it
// got, and sees that nothing of it is left.
func (s *site) race(t *testing.T, e ending, admin person, round int) {
	t.Helper()
	victim := s.any(round).signUp()
	other := s.any(round + 1).again(victim)
	const chains = 4
	accesses, refreshes := make([][]string, chains), make([][]string, chains)
	answers := together(chains+1, func(i int) *reply {
		if i == chains {
			// Now sooner, now later, so that it falls between all their steps.
			<-time.After(time.Duration(round) * 500 * time.Microsecond)
			return e.end(s.any(round), victim, other, admin)
		}
		token := victim.refresh
		var answer *reply
		for range 4 {
			if answer = s.any(i).rotate(token); answer.code() != "OK" {
				return answer
			}
			token, _ = answer.value("refresh_token").(string)
			access, _ := answer.value("access_token").(string)
			accesses[i], refreshes[i] = append(accesses[i], access), append(refreshes[i], token)
		}
		return answer
	})
	for i, answer := range answers[:chains] {
		if code := answer.code(); code != "OK" && code != "AUTH_ERROR" {
			t.Errorf("round %d: refresh %d = %v %d %s", round, i, answer.err, answer.status, answer.body)
		}
	}
	// Parallel chains may look like reuse: then the session had ended before.
	if code := answers[chains].code(); code != "OK" && (e.name != "AUTH.LOGOUT" || code != "AUTH_ERROR") {
		t.Fatalf("round %d: %s = %v %d %s", round, e.name, answers[chains].err, answers[chains].status, answers[chains].body)
	}
	for i, token := range append(slices.Concat(accesses...), victim.access) {
		s.any(i).do(call{command: "USER.ME", token: token}).fails("AUTH_ERROR")
	}
	for i, token := range append(slices.Concat(refreshes...), victim.refresh) {
		s.any(i).rotate(token).fails("AUTH_ERROR")
	}
	if e.spares {
		s.any(round).as(other, "USER.ME", nil).ok()
		return
	}
	s.any(round).as(other, "USER.ME", nil).fails("AUTH_ERROR")
	s.any(round).rotate(other.refresh).fails("AUTH_ERROR")
	s.any(round).do(login(victim)).fails("AUTH_ERROR")
}

package e2e_test

import (
	"strings"
	"testing"
)

// spelling is an address in another case.
func spelling(address string, i int) string {
	spelt := []byte(address)
	for at := range spelt {
		if i>>(at%6)&1 == 1 {
			spelt[at] = strings.ToUpper(address)[at]
		}
	}
	return string(spelt)
}

func TestParallelSignUpsMakeOneAccount(t *testing.T) {
	onBoth(t, func(t *testing.T, on store) {
		s := open(t, on)
		admin := s.first().admin()
		for range 3 {
			ada := newcomer()
			answers := together(50, func(i int) *reply {
				again := ada
				again.email = spelling(ada.email, i)
				return s.any(i).do(signup(again))
			})
			if got := codes(answers); got["OK"] != 1 || got["VALIDATION_ERROR"] != 49 {
				t.Errorf("50 parallel sign-ups = %v, want one account", got)
			}
			if found := s.last().as(admin, "USER.LIST", P{"query": ada.email}).items(); len(found) != 1 {
				t.Errorf("%d accounts of %s, want 1", len(found), ada.email)
			}
			for i, answer := range answers {
				if answer.code() == "OK" {
					s.any(i + 1).again(ada)
				}
			}
		}
		s.expectWhole()
	})
}

// expectWhole fails the test when an account lacks a part, or a part its account.
func (s *site) expectWhole() {
	s.t.Helper()
	for what, query := range map[string]string{
		"accounts without a credential": `SELECT count(*) FROM users u WHERE NOT EXISTS (SELECT 1 FROM credentials c WHERE c.user_id = u.id AND c.hash <> '')`,
		"accounts that own no personal workspace": `SELECT count(*) FROM users u WHERE 1 <> (
			SELECT count(*) FROM members m JOIN workspaces w ON w.id = m.org_id WHERE m.user_id = u.id AND w.personal_of = u.id AND m.grants LIKE '%owner%')`,
		"workspaces without a member":       `SELECT count(*) FROM workspaces w WHERE NOT EXISTS (SELECT 1 FROM members m WHERE m.org_id = w.id)`,
		"accounts without one user.created": without("user.created"),
		"accounts without one team.created": without("team.created"),
		"user.created without an account":   `SELECT count(*) FROM events e WHERE e.kind = 'user.created' AND NOT EXISTS (SELECT 1 FROM users u WHERE u.id = e.user_id)`,
		"sessions without an account":       `SELECT count(*) FROM sessions s WHERE NOT EXISTS (SELECT 1 FROM users u WHERE u.id = s.user_id)`,
		"accounts whose sessions do not match their events": `SELECT count(*) FROM users u
			LEFT JOIN (SELECT user_id, count(*) AS begun, count(ended_at) AS ended FROM sessions GROUP BY user_id) s ON s.user_id = u.id
			LEFT JOIN (SELECT user_id, count(CASE kind WHEN 'session.created' THEN 1 END) AS begun, count(CASE kind WHEN 'session.revoked' THEN 1 END) AS ended
				FROM events GROUP BY user_id) e ON e.user_id = u.id
			WHERE coalesce(s.begun, 0) <> coalesce(e.begun, 0) OR coalesce(s.ended, 0) <> coalesce(e.ended, 0)`,
		"addresses with two accounts": `SELECT count(*) FROM (SELECT lower(email) FROM users GROUP BY lower(email) HAVING count(*) > 1) twice`,
	} {
		var n int
		if s.query(query, &n); n != 0 {
			s.t.Errorf("%d %s", n, what)
		}
	}
}

// without counts the accounts that do not have exactly one event of a kind.
func without(kind string) string {
	return `SELECT count(*) FROM users u
		LEFT JOIN (SELECT user_id, count(*) AS n FROM events WHERE kind = '` + kind + `' GROUP BY user_id) e ON e.user_id = u.id
		WHERE coalesce(e.n, 0) <> 1`
}

func TestRegistrationSwitchedOff(t *testing.T) {
	onBoth(t, func(t *testing.T, on store) {
		s := open(t, on, "ENABLE_PUBLIC_REGISTRATION=false")
		answer := s.last().do(signup(newcomer())).fails("PERMISSION_DENIED")
		if answer.status != 403 {
			t.Errorf("status %d, want 403", answer.status)
		}
		// An administrator still makes accounts, and their owners log in.
		admin, ada := s.first().admin(), newcomer()
		s.first().as(admin, "USER.CREATE", P{"email": ada.email, "password": ada.password}).ok()
		s.last().again(ada)
		s.first().do(signup(ada)).fails("PERMISSION_DENIED") // it tells nothing about the address
	})
}

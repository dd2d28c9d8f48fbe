package e2e_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

func create(admin, p person, key string) call {
	return call{command: "USER.CREATE", params: P{"email": p.email, "password": p.password}, token: admin.access, key: key}
}

func (r *reply) replayed() bool { return r.header.Get("Idempotent-Replayed") == "true" }

func TestIdempotencyKey(t *testing.T) {
	onBoth(t, func(t *testing.T, on store) {
		s := open(t, on)
		admin, ada := s.first().admin(), newcomer()
		first := s.first().do(create(admin, ada, "make-ada")).ok()
		if first.replayed() {
			t.Error("the first call is said to be a replay")
		}
		expectReplay(t, s.last().do(create(admin, ada, "make-ada")), first)

		other := create(admin, newcomer(), "make-ada")
		s.last().do(other).fails("VALIDATION_ERROR")
		s.last().do(create(admin, ada, "another key")).fails("VALIDATION_ERROR") // not visible characters
		refused := s.last().do(create(admin, ada, "make-ada-again")).fails("VALIDATION_ERROR")

		// A refusal is an answer too, also when it would be none any more.
		s.first().as(admin, "USER.DELETE", P{"user_id": first.text("user.id")}).ok()
		expectReplay(t, s.first().do(create(admin, ada, "make-ada-again")), refused)
		s.first().do(create(admin, ada, "make-ada-anew")).ok()

		// Keys are everybody's own.
		bob, eve := s.first().signUp(), s.first().signUp()
		rename := func(p person) call {
			return call{command: "USER.UPDATE", params: P{"display_name": "Renamed"}, token: p.access, key: "make-ada"}
		}
		s.last().do(rename(bob)).ok()
		if answer := s.last().do(rename(eve)).ok(); answer.replayed() || answer.text("user.id") != eve.id {
			t.Errorf("somebody else's key was met: %s", answer.body)
		}

		s.restart()
		expectReplay(t, s.last().do(create(admin, ada, "make-ada")), first)
	})
}

func expectReplay(t testing.TB, again, first *reply) {
	t.Helper()
	if !again.replayed() || again.status != first.status || !bytes.Equal(again.body, first.body) {
		t.Errorf("the same call again = %d %s (replayed %v), want %d %s", again.status, again.body, again.replayed(), first.status, first.body)
	}
}

func TestIdempotencyKeyIsRefused(t *testing.T) {
	onBoth(t, func(t *testing.T, on store) {
		s := open(t, on)
		anonymous := signup(newcomer())
		anonymous.key = "sign-up"
		refused := s.first().do(anonymous).fails("VALIDATION_ERROR")
		if !strings.Contains(refused.envelope.Error.Message, "Idempotency-Key") {
			t.Errorf("the refusal does not name the header: %s", refused.body)
		}
		anonymous.key = ""
		s.first().do(anonymous).ok()
		ada := s.first().signUp()
		for _, key := range []string{"two words", strings.Repeat("x", 256), "ümlaut", "tab\there"} {
			s.last().do(call{command: "AUTH.LOGOUT", token: ada.access, key: key}).fails("VALIDATION_ERROR")
		}
		s.last().do(call{command: "USER.UPDATE", params: P{"display_name": "A"}, token: ada.access, key: strings.Repeat("~", 255)}).ok()
		s.last().do(call{command: "USER.ME", token: ada.access, key: "reading"}).ok()
		s.last().do(call{command: "USER.ME", key: "reading"}).fails("AUTH_ERROR")
	})
}

func TestParallelTwins(t *testing.T) {
	onBoth(t, func(t *testing.T, on store) {
		s := open(t, on)
		admin := s.first().admin()
		for _, key := range []string{"one", "two", "three"} {
			ada := newcomer()
			answers := together(12, func(i int) *reply { return s.any(i).do(create(admin, ada, key)) })
			replays := 0
			for _, answer := range answers {
				if answer.ok().replayed() {
					replays++
				}
				if !bytes.Equal(answer.body, answers[0].body) {
					t.Errorf("twins are answered %s and %s", answer.body, answers[0].body)
				}
			}
			if replays != 11 {
				t.Errorf("%d of 12 twins are said to be replays, want 11", replays)
			}
			rotate := call{command: "JWT_KEY.ROTATE", token: admin.access, key: key}
			before := len(s.last().as(admin, "JWT_KEY.LIST", nil).items())
			rotated := together(8, func(i int) *reply { return s.any(i).do(rotate) })
			if got := codes(rotated); got["OK"] != 8 {
				t.Errorf("parallel rotations with one key = %v %s", got, rotated[0].body)
			}
			if after := len(s.last().as(admin, "JWT_KEY.LIST", nil).items()); after != before+1 {
				t.Errorf("%d signing keys after twins rotated, want %d", after, before+1)
			}
		}
		if got := len(s.last().as(admin, "AUDIT.SEARCH", P{"type": "jwt_key.rotated"}).items()); got != 3 {
			t.Errorf("%d rotations, want 3", got)
		}
	})
}

func TestDryRun(t *testing.T) {
	onBoth(t, func(t *testing.T, on store) {
		s := open(t, on)
		admin, ada := s.first().admin(), newcomer()
		dry := signup(ada)
		dry.dryRun = true
		tried := s.first().do(dry).ok()
		for _, secret := range []string{"access_token", "refresh_token"} {
			if text, is := tried.value(secret).(string); !is || text != "" {
				t.Errorf("%s of a dry run = %v, want it blank", secret, tried.value(secret))
			}
		}
		kinds, _ := tried.value("dry_run.events").([]any)
		for _, kind := range []string{"user.created", "session.created"} {
			if !slices.Contains(kinds, any(kind)) {
				t.Errorf("a dry sign-up would emit %v, which lacks %s", kinds, kind)
			}
		}
		s.last().as(admin, "USER.GET", P{"email": ada.email}).fails("NOT_FOUND")
		s.last().do(login(ada)).fails("AUTH_ERROR")
		if got := len(s.last().as(admin, "AUDIT.SEARCH", P{"type": "user.created", "user_id": tried.text("user.id")}).items()); got != 0 {
			t.Errorf("a dry run left %d events", got)
		}
		made := s.last().do(signup(ada)).ok()
		if made.value("dry_run") != nil {
			t.Errorf("a real call tells of a dry run: %s", made.body)
		}
		s.first().do(dry).fails("VALIDATION_ERROR") // what would be refused is

		held := s.first().holding(ada, made)
		s.first().do(call{command: "AUTH.LOGOUT", token: held.access, dryRun: true}).ok()
		s.last().as(held, "USER.ME", nil).ok()
		s.first().do(call{command: "USER.DELETE", params: P{"password": ada.password}, token: held.access, dryRun: true}).ok()
		s.last().as(held, "USER.ME", nil).ok()
		rotation := s.first().do(call{command: "JWT_KEY.ROTATE", token: admin.access, dryRun: true}).ok()
		if rotation.text("kid") == headerOf(t, s.last().again(ada).access)["kid"] {
			t.Error("a dry rotation rotated")
		}
		for _, reading := range []call{{command: "USER.ME", token: held.access}, {command: "AUTH.CHECK_PASSWORD", params: P{"password": "x"}}} {
			reading.dryRun = true
			s.first().do(reading).fails("VALIDATION_ERROR")
		}
		// A key and a dry run: it is answered again, and is still no effect.
		both := create(admin, newcomer(), "dry")
		both.dryRun = true
		first := s.first().do(both).ok()
		expectReplay(t, s.last().do(both), first)
		both.dryRun = false
		s.last().do(both).fails("VALIDATION_ERROR")
	})
}

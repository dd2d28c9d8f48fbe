package commands_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"gatehouse.internal/test/e2e/instance"
)

func create(admin, p instance.Person, key string) instance.Call {
	return instance.Call{Command: "USER.CREATE", Params: P{"email": p.Email, "password": p.Password}, Token: admin.Access, Key: key}
}

func TestIdempotencyKey(t *testing.T) {
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		s := instance.Open(t, on)
		admin, ada := s.First().Admin(), instance.Newcomer()
		first := s.First().Do(create(admin, ada, "make-ada")).OK()
		if first.Replayed() {
			t.Error("the first call is said to be a replay")
		}
		instance.ExpectReplay(t, s.Last().Do(create(admin, ada, "make-ada")), first)

		other := create(admin, instance.Newcomer(), "make-ada")
		s.Last().Do(other).Fails("VALIDATION_ERROR")
		s.Last().Do(create(admin, ada, "another key")).Fails("VALIDATION_ERROR") // not visible characters
		refused := s.Last().Do(create(admin, ada, "make-ada-again")).Fails("VALIDATION_ERROR")

		// A refusal is an answer too, also when it would be none any more.
		s.First().As(admin, "USER.DELETE", P{"user_id": first.Text("user.id")}).OK()
		instance.ExpectReplay(t, s.First().Do(create(admin, ada, "make-ada-again")), refused)
		s.First().Do(create(admin, ada, "make-ada-anew")).OK()

		// Keys are everybody's own.
		bob, eve := s.First().SignUp(), s.First().SignUp()
		rename := func(p instance.Person) instance.Call {
			return instance.Call{Command: "USER.UPDATE", Params: P{"display_name": "Renamed"}, Token: p.Access, Key: "make-ada"}
		}
		s.Last().Do(rename(bob)).OK()
		if answer := s.Last().Do(rename(eve)).OK(); answer.Replayed() || answer.Text("user.id") != eve.ID {
			t.Errorf("somebody else's key was met: %s", answer.Body)
		}

		s.Restart()
		instance.ExpectReplay(t, s.Last().Do(create(admin, ada, "make-ada")), first)
	})
}

func TestIdempotencyKeyIsRefused(t *testing.T) {
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		s := instance.Open(t, on)
		anonymous := instance.Signup(instance.Newcomer())
		anonymous.Key = "sign-up"
		refused := s.First().Do(anonymous).Fails("VALIDATION_ERROR")
		if !strings.Contains(refused.Envelope.Error.Message, "Idempotency-Key") {
			t.Errorf("the refusal does not name the header: %s", refused.Body)
		}
		anonymous.Key = ""
		s.First().Do(anonymous).OK()
		ada := s.First().SignUp()
		for _, key := range []string{"two words", strings.Repeat("x", 256), "ümlaut", "tab\there"} {
			s.Last().Do(instance.Call{Command: "AUTH.LOGOUT", Token: ada.Access, Key: key}).Fails("VALIDATION_ERROR")
		}
		s.Last().Do(instance.Call{Command: "USER.UPDATE", Params: P{"display_name": "A"}, Token: ada.Access, Key: strings.Repeat("~", 255)}).OK()
		s.Last().Do(instance.Call{Command: "USER.ME", Token: ada.Access, Key: "reading"}).OK()
		s.Last().Do(instance.Call{Command: "USER.ME", Key: "reading"}).Fails("AUTH_ERROR")
	})
}

func TestParallelDuplicates(t *testing.T) {
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		s := instance.Open(t, on)
		admin := s.First().Admin()
		for _, key := range []string{"one", "two", "three"} {
			ada := instance.Newcomer()
			answers := instance.Together(12, func(i int) *instance.Reply { return s.Any(i).Do(create(admin, ada, key)) })
			replays := 0
			for _, answer := range answers {
				if answer.OK().Replayed() {
					replays++
				}
				if !bytes.Equal(answer.Body, answers[0].Body) {
					t.Errorf("twins are answered %s and %s", answer.Body, answers[0].Body)
				}
			}
			if replays != 11 {
				t.Errorf("%d of 12 twins are said to be replays, want 11", replays)
			}
			rotate := instance.Call{Command: "JWT_KEY.ROTATE", Token: admin.Access, Key: key}
			before := len(s.Last().As(admin, "JWT_KEY.LIST", nil).Items())
			rotated := instance.Together(8, func(i int) *instance.Reply { return s.Any(i).Do(rotate) })
			if got := instance.Codes(rotated); got["OK"] != 8 {
				t.Errorf("parallel rotations with one key = %v %s", got, rotated[0].Body)
			}
			if after := len(s.Last().As(admin, "JWT_KEY.LIST", nil).Items()); after != before+1 {
				t.Errorf("%d signing keys after twins rotated, want %d", after, before+1)
			}
		}
		if got := len(s.Last().As(admin, "AUDIT.SEARCH", P{"type": "jwt_key.rotated"}).Items()); got != 3 {
			t.Errorf("%d rotations, want 3", got)
		}
	})
}

func TestDryRun(t *testing.T) {
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		s := instance.Open(t, on)
		admin, ada := s.First().Admin(), instance.Newcomer()
		dry := instance.Signup(ada)
		dry.DryRun = true
		tried := s.First().Do(dry).OK()
		for _, secret := range []string{"access_token", "refresh_token"} {
			if text, is := tried.Value(secret).(string); !is || text != "" {
				t.Errorf("%s of a dry run = %v, want it blank", secret, tried.Value(secret))
			}
		}
		kinds, _ := tried.Value("dry_run.events").([]any)
		for _, kind := range []string{"user.created", "session.created"} {
			if !slices.Contains(kinds, any(kind)) {
				t.Errorf("a dry sign-up would emit %v, which lacks %s", kinds, kind)
			}
		}
		s.Last().As(admin, "USER.GET", P{"email": ada.Email}).Fails("NOT_FOUND")
		s.Last().Do(instance.Login(ada)).Fails("AUTH_ERROR")
		if got := len(s.Last().As(admin, "AUDIT.SEARCH", P{"type": "user.created", "user_id": tried.Text("user.id")}).Items()); got != 0 {
			t.Errorf("a dry run left %d events", got)
		}
		made := s.Last().Do(instance.Signup(ada)).OK()
		if made.Value("dry_run") != nil {
			t.Errorf("a real call tells of a dry run: %s", made.Body)
		}
		s.First().Do(dry).Fails("VALIDATION_ERROR") // what would be refused is

		held := s.First().Holding(ada, made)
		s.First().Do(instance.Call{Command: "AUTH.LOGOUT", Token: held.Access, DryRun: true}).OK()
		s.Last().As(held, "USER.ME", nil).OK()
		s.First().Do(instance.Call{Command: "USER.DELETE", Params: P{"password": ada.Password}, Token: held.Access, DryRun: true}).OK()
		s.Last().As(held, "USER.ME", nil).OK()
		rotation := s.First().Do(instance.Call{Command: "JWT_KEY.ROTATE", Token: admin.Access, DryRun: true}).OK()
		if rotation.Text("kid") == instance.HeaderOf(t, s.Last().Again(ada).Access)["kid"] {
			t.Error("a dry rotation rotated")
		}
		for _, reading := range []instance.Call{{Command: "USER.ME", Token: held.Access}, {Command: "AUTH.CHECK_PASSWORD", Params: P{"password": "x"}}} {
			reading.DryRun = true
			s.First().Do(reading).Fails("VALIDATION_ERROR")
		}
		// A key and a dry run: it is answered again, and is still no effect.
		both := create(admin, instance.Newcomer(), "dry")
		both.DryRun = true
		first := s.First().Do(both).OK()
		instance.ExpectReplay(t, s.Last().Do(both), first)
		both.DryRun = false
		s.Last().Do(both).Fails("VALIDATION_ERROR")
	})
}

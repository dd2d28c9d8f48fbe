package signin_test

import (
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/identity"
	"gatehouse.internal/domain/loginevent"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/test/fake/upstream"
	"gatehouse.internal/test/harness"
)

// wait logs in at google as far as that goes for somebody with a second factor, and
// gives the challenge token.
func (w *world) wait() string {
	w.t.Helper()
	waiting := w.login("google").OK()
	if !waiting.Bool("mfa_required") || waiting.Has("access_token") || !slices.Contains(waiting.Strings("methods"), "totp") {
		w.t.Fatalf("data = %v", waiting.Data)
	}
	return waiting.String("challenge_token")
}

// answer returns the second factor that is waited for.
func (w *world) answer(challenge string, code any) *harness.Reply {
	w.t.Helper()
	return w.Anonymous().Do("AUTH.MFA_VERIFY", P{"challenge_token": challenge, "code": code})
}

// guarded signs somebody up with a verified address and a second factor, who is
// logged in at google with the same address.
func (w *world) guarded(name string) (*harness.Actor, *harness.App) {
	w.t.Helper()
	who := w.SignUp(name + "@example.com")
	w.verify(who)
	w.up["google"].Be(upstream.Person{ID: strconv.Itoa(len(w.Events(user.KindCreated))), Email: name + "@example.com", Verified: true, Name: name})
	return who, who.EnrollApp()
}

// Whoever lacks the second factor leaves nothing behind: no way in, and no tokens.
func TestSecondFactor(t *testing.T) {
	t.Parallel()
	socialOnEachStore(t, func(t *testing.T, here, _ *world) {
		alice, app := here.guarded("ada")
		here.up["google"].Switch(upstream.Switches{Life: 600})
		token := func() *harness.Reply { return alice.Do("SOCIAL.TOKEN_GET", P{"provider": "google"}) }

		unanswered := here.wait()
		here.answer(unanswered, "000000").Fails(fault.Auth)
		here.Clock.Advance(5 * time.Minute)
		here.answer(unanswered, app.Code()).Fails(fault.Auth)
		if linked := alice.Do("AUTH.SOCIAL_LINKED", nil).OK().List("items"); len(linked) != 0 || here.count(identity.KindLinked) != 0 {
			t.Errorf("linked without a second factor: %v", linked)
		}
		token().Fails(fault.NotFound)

		in := here.actor(here.answer(here.wait(), app.Code()))
		if in.UserID != alice.UserID || !slices.Contains(in.Do("AUTH.WHOAMI", nil).Strings("amr"), "fed") {
			t.Errorf("got into %s", in.UserID)
		}
		linked := in.Do("AUTH.SOCIAL_LINKED", nil).OK().List("items")
		if len(linked) != 1 || linked[0]["email"] != ada || here.count(identity.KindLinked) != 1 {
			t.Errorf("linked = %v", linked)
		}
		first := token().OK()
		if len(first.Strings("scopes")) != 3 {
			t.Errorf("data = %v", first.Data)
		}
		here.Clock.Advance(9 * time.Minute)
		alice = in
		fresh := token().OK().String("access_token")
		if fresh == first.String("access_token") {
			t.Error("a token that ends in a minute was not replaced")
		}

		// So it is where the two are linked already.
		waiting := here.wait()
		if kept := token().OK().String("access_token"); kept != fresh {
			t.Error("tokens were stored without a second factor")
		}
		here.answer(waiting, app.Code()).OK()
		if renewed := token().OK().String("access_token"); renewed == fresh || here.count(identity.KindLinked) != 1 {
			t.Error("the tokens are not those of the last login")
		}
	})
}

// A passkey lets what waits in as a code does.
func TestSecondFactorByPasskey(t *testing.T) {
	t.Parallel()
	w := socialStart(t)
	alice, _ := w.guarded("ada")
	device := alice.Passkey()
	waiting := w.wait()
	begun := w.Anonymous().Do("WEBAUTHN.LOGIN_OPTIONS", P{"challenge_token": waiting}).OK().Data["options"].(P)
	in := w.actor(w.Anonymous().Do("WEBAUTHN.LOGIN_VERIFY", P{"credential": device.Sign(begun)}))
	if linked := in.Do("AUTH.SOCIAL_LINKED", nil).OK().List("items"); in.UserID != alice.UserID || len(linked) != 1 {
		t.Errorf("got into %s, linked = %v", in.UserID, linked)
	}
}

// The rules of linking are those of the moment at which the second factor is given.
func TestLinkingRulesWhileWaiting(t *testing.T) {
	t.Parallel()
	socialOnEachStore(t, func(t *testing.T, here, there *world) {
		root := here.Superadmin()
		set := func(enabled any) { root.Do("SOCIAL.PROVIDER_SET", P{"provider": "google", "enabled": enabled}).OK() }
		for name, meanwhile := range map[string]func(who *harness.Actor){
			"elsewhere": func(*harness.Actor) { here.link(here.SignUp("other@example.com"), "google").OK() },
			"held": func(who *harness.Actor) {
				here.up["google"].Be(upstream.Person{ID: "77", Name: "Ada"})
				here.link(who, "google").OK()
			},
			"off": func(*harness.Actor) { set(false) },
			"unverified": func(who *harness.Actor) {
				_, err := here.Store.Database().Write.ExecContext(t.Context(), `UPDATE users SET email_verified = FALSE WHERE id = $1`, who.UserID)
				if err != nil {
					t.Fatal(err)
				}
			},
		} {
			who, app := here.guarded(name)
			waiting := here.wait()
			meanwhile(who)
			linked, began, failed := here.count(identity.KindLinked), here.count(session.KindCreated), here.count(loginevent.KindFailed)
			there.answer(waiting, app.RecoveryCodes[0]).Fails(fault.Auth)
			if here.count(identity.KindLinked) != linked || here.count(session.KindCreated) != began {
				t.Errorf("%s: was let in, or linked", name)
			}
			if events := here.Events(loginevent.KindFailed); len(events) != failed+1 || string(events[0].Data) != `{"user_id":"`+who.UserID+`","reason":"upstream"}` {
				t.Errorf("%s: events = %+v", name, events)
			}
			set(nil)
			here.answer(waiting, app.RecoveryCodes[1]).Fails(fault.Auth) // it has ended
		}
	})
}

// Logins that wait at once, by one upstream account or by two of the same address,
// link one.
func TestSecondFactorsAtOnce(t *testing.T) {
	t.Parallel()
	socialOnEachStore(t, func(t *testing.T, here, there *world) {
		for name, want := range map[string]int{"one": 2, "two": 1} {
			alice, app := here.guarded(name)
			codes, challenges := []any{app.Code(), app.RecoveryCodes[0]}, []string{here.wait()}
			if name == "two" {
				here.up["google"].Be(upstream.Person{ID: "88", Email: "two@example.com", Verified: true, Name: "Ada"})
			}
			challenges = append(challenges, here.wait())
			replies := make([]*harness.Reply, len(challenges))
			var at sync.WaitGroup
			for i, waiting := range challenges {
				at.Go(func() { replies[i] = []*world{here, there}[i].answer(waiting, codes[i]) })
			}
			at.Wait()
			good := 0
			for _, r := range replies {
				if r.Failure == nil {
					good++
				}
			}
			if linked := alice.Do("AUTH.SOCIAL_LINKED", nil).OK().List("items"); good != want || len(linked) != 1 {
				t.Errorf("%s: %d were let in, linked = %v", name, good, linked)
			}
		}
	})
}

package signin_test

import (
	"strings"
	"sync"
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/identity"
	"gatehouse.internal/domain/loginevent"
	"gatehouse.internal/domain/social"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/test/fake/upstream"
	"gatehouse.internal/test/harness"
)

// An upstream address joins an account only when it is verified on both sides.
func TestLinkingRules(t *testing.T) {
	t.Parallel()
	person := upstream.Person{ID: "7", Email: "Ada@Example.com", Verified: true, Name: "Ada"}
	socialOnEachStore(t, func(t *testing.T, here, _ *world) {
		alice := here.SignUp(ada)
		here.up["google"].Be(person)

		// Nobody has proved the address here: it may be anybody's account.
		refused := here.login("google").Fails(fault.Auth).Failure
		if refused.Message != social.ErrLinkFirst.Message {
			t.Errorf("told %s", refused.Message)
		}
		failed := here.Events(loginevent.KindFailed)
		if len(failed) != 1 || string(failed[0].Data) != `{"user_id":"`+alice.UserID+`","reason":"upstream"}` {
			t.Errorf("events = %+v", failed)
		}

		// What the provider does not vouch for is refused alike, account or none.
		here.verify(alice)
		said := map[string]bool{}
		for _, address := range []string{ada, "nobody@example.com", ""} {
			here.up["google"].Be(upstream.Person{ID: "8", Email: address, Name: "Eve"})
			said[here.login("google").Fails(fault.Auth).Failure.Message] = true
		}
		if len(said) != 1 || !said[social.ErrUnvouched.Message] {
			t.Errorf("told %v", said)
		}
		if n := here.count(identity.KindLinked); n != 0 {
			t.Errorf("%d identities were linked", n)
		}

		here.up["google"].Be(person)
		joined := here.actor(here.login("google"))
		if joined.UserID != alice.UserID || here.count(identity.KindLinked) != 1 {
			t.Errorf("got into %s, not %s", joined.UserID, alice.UserID)
		}
		here.Login(ada, harness.Password) // the password stays
		// Another account of the provider with the address does not join it too.
		here.up["google"].Be(upstream.Person{ID: "9", Email: ada, Verified: true, Name: "Ada"})
		here.login("google").Fails(fault.Auth)
		// Look-alikes of it are other addresses.
		for i, address := range []string{"\u0430da@example.com", "ada@ex\u0430mple.com", "a.da@example.com", "ada+1@example.com"} {
			here.up["discord"].Be(upstream.Person{ID: "10" + string(rune('0'+i)), Email: address, Verified: true, Name: "Ada"})
			if other := here.actor(here.login("discord")); other.UserID == alice.UserID {
				t.Errorf("%q joined the account of %s", address, ada)
			}
		}
	})
}

func TestSignUpSwitchedOff(t *testing.T) {
	t.Parallel()
	w := socialStart(t, "ENABLE_PUBLIC_REGISTRATION=false")
	w.nothing(func() { w.login("google").Fails(fault.Denied) })
	// Who has an account still gets in.
	bob := w.Superadmin().Do("USER.CREATE", P{"email": ada, "email_verified": true}).OK().String("user.id")
	if got := w.actor(w.login("google")); got.UserID != bob {
		t.Errorf("got into %s, want %s", got.UserID, bob)
	}
}

func TestProviderWithoutSignUp(t *testing.T) {
	t.Parallel()
	w := socialStart(t)
	root := w.Superadmin()
	root.Do("SOCIAL.PROVIDER_SET", P{"provider": "discord", "allow_signup": false}).OK()
	w.nothing(func() { w.login("discord").Fails(fault.Denied) })
	first := w.actor(w.login("google"))
	if joined := w.actor(w.login("discord")); joined.UserID != first.UserID {
		t.Errorf("got into %s, want %s", joined.UserID, first.UserID)
	}
}

func TestAccountsThatMayNotEnter(t *testing.T) {
	t.Parallel()
	socialOnEachStore(t, func(t *testing.T, here, there *world) {
		root := here.Superadmin()
		alice := here.SignUp(ada)
		here.verify(alice)
		root.Do("USER.DISABLE", P{"user_id": alice.UserID}).OK()
		refused := here.login("google").Fails(fault.Auth).Failure
		if refused.Message != social.ErrRefused.Message || here.count(identity.KindLinked) != 0 {
			t.Errorf("told %q, %d identities linked", refused.Message, here.count(identity.KindLinked))
		}
		if failed := here.Events(loginevent.KindFailed); len(failed) != 1 || !strings.Contains(string(failed[0].Data), loginevent.UserDisabled) {
			t.Errorf("events = %+v", failed)
		}
		root.Do("USER.ENABLE", P{"user_id": alice.UserID}).OK()
		// A lock stops guesses at the password, not who logs in elsewhere.
		for range 10 {
			here.Anonymous().Do("AUTH.LOGIN", P{"email": ada, "password": "wrong"}).Fails(fault.Auth)
		}
		here.login("google").OK()
		code := here.code("google")
		root.Do("USER.DISABLE", P{"user_id": alice.UserID}).OK()
		there.finish("google", code).Fails(fault.Auth)
		code = here.code("google")
		root.Do("USER.DELETE", P{"user_id": alice.UserID}).OK()
		if again := there.actor(there.finish("google", code)); again.UserID == alice.UserID {
			t.Error("a deleted account was entered")
		}
	})
}

// First logins of one person, many at once over two replicas, make one account.
func TestParallelFirstLogins(t *testing.T) {
	t.Parallel()
	socialOnEachStore(t, func(t *testing.T, here, there *world) {
		both := []*world{here, there}
		var codes []string
		for i := range 6 {
			codes = append(codes, both[i%2].code("google"))
		}
		got := make([]*harness.Reply, len(codes))
		var at sync.WaitGroup
		for i, code := range codes {
			at.Go(func() { got[i] = both[i%2].finish("google", code) })
		}
		at.Wait()
		people := map[string]bool{}
		for i, r := range got {
			people[both[i%2].actor(r).UserID] = true
		}
		if len(people) != 1 || here.count(user.KindCreated) != 2 || here.count(identity.KindLinked) != 1 {
			t.Errorf("%d accounts are entered, %d were made, %d identities linked", len(people), here.count(user.KindCreated), here.count(identity.KindLinked))
		}
	})
}

// A provider that fails ends in one error, and stores nothing.
func TestProvidersThatFail(t *testing.T) {
	t.Parallel()
	w := socialStart(t)
	for what, now := range map[string]upstream.Switches{
		"down":     {Down: true},
		"huge":     {Profile: `{"id":"` + strings.Repeat("1", 400<<10) + `"}`},
		"lying":    {Profile: `{"id":["1001"],"email":7}`},
		"nobody":   {Profile: `{"email":"ada@example.com","verified_email":true,"verified":true}`},
		"no JSON":  {Token: "<html>"},
		"an error": {Status: 503},
	} {
		for _, provider := range upstream.Names() {
			code := w.code(provider)
			w.up[provider].Switch(now)
			w.nothing(func() {
				failure := w.finish(provider, code).Fails(fault.Auth).Failure
				if failure.Message != social.ErrUnavailable.Message {
					t.Errorf("%s, %s: %s", provider, what, failure.Message)
				}
			})
			w.up[provider].Switch(upstream.Switches{})
			w.finish(provider, code).Fails(fault.Auth) // begin again
		}
	}
	w.login("github").OK()
}

// A token without the scope for the address gets somebody in who was here before.
func TestLoginWithoutTheScope(t *testing.T) {
	t.Parallel()
	w := socialStart(t)
	narrow := upstream.Switches{Scopes: []string{"identify", "openid"}}
	for _, provider := range upstream.Names() {
		w.up[provider].Be(upstream.Person{ID: "1", Email: provider + "@example.com", Verified: true, Name: "Ada"})
		w.up[provider].Switch(narrow)
		w.login(provider).Fails(fault.Auth)
		w.up[provider].Switch(upstream.Switches{})
		first := w.actor(w.login(provider))
		w.up[provider].Switch(narrow)
		if again := w.actor(w.login(provider)); again.UserID != first.UserID {
			t.Errorf("%s: got into %s, want %s", provider, again.UserID, first.UserID)
		}
	}
}

// A provider that is switched off while it is asked makes no account.
func TestSwitchedOffMeanwhile(t *testing.T) {
	t.Parallel()
	w := socialStart(t)
	root, code := w.Superadmin(), w.code("google")
	w.up["google"].Switch(upstream.Switches{Meanwhile: func() {
		root.Do("SOCIAL.PROVIDER_SET", P{"provider": "google", "enabled": false}).OK()
	}})
	before := w.count(user.KindCreated)
	w.finish("google", code).Fails(fault.Auth)
	if made := w.count(user.KindCreated) - before; made != 0 || w.count(identity.KindLinked) != 0 {
		t.Errorf("%d accounts were made", made)
	}
}

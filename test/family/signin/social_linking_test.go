package signin_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/identity"
	"gatehouse.internal/domain/loginevent"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/social"
	"gatehouse.internal/test/fake/upstream"
	"gatehouse.internal/test/harness"
)

// linkCode goes to a provider to link an account there, and returns the code.
func (w *world) linkCode(who *harness.Actor, provider string) string {
	w.t.Helper()
	return w.Browser().Open(w.begin(who, provider, P{"link": true}).OK().String("url")).Get("code")
}

func (w *world) bring(who *harness.Actor, provider, code string) *harness.Reply {
	w.t.Helper()
	return who.Do("AUTH.SOCIAL_LINK", P{"provider": provider, "code": code, "redirect_uri": page})
}

func (w *world) link(who *harness.Actor, provider string) *harness.Reply {
	w.t.Helper()
	return w.bring(who, provider, w.linkCode(who, provider))
}

func TestLink(t *testing.T) {
	t.Parallel()
	socialOnEachStore(t, func(t *testing.T, here, there *world) {
		alice := here.SignUp(ada)
		here.up["github"].Be(upstream.Person{ID: "5", Email: "other@example.org", Name: "Ada"}) // not even verified
		linked := here.link(alice, "github").OK()
		if linked.String("identity.provider") != "github" || linked.String("identity.upstream_id") != "5" || !strings.HasPrefix(linked.String("identity.id"), "idn_") {
			t.Errorf("data = %v", linked.Data)
		}
		if in := there.actor(there.login("github")); in.UserID != alice.UserID {
			t.Errorf("got into %s, not %s", in.UserID, alice.UserID)
		}
		if again := here.link(alice, "github").OK(); again.String("identity.id") != linked.String("identity.id") || here.count(identity.KindLinked) != 1 {
			t.Error("linking the same again made another link")
		}
		here.Login(ada, harness.Password)

		here.up["github"].Be(upstream.Person{ID: "6", Email: "other@example.org", Name: "Ada"})
		here.link(alice, "github").Fails(fault.Validation).Field("/provider")
		here.up["github"].Be(upstream.Person{ID: "5", Name: "Ada"})
		bob := here.SignUp("bob@example.com")
		elsewhere := here.link(bob, "github").Fails(fault.Validation).Failure
		if elsewhere.Message != identity.ErrElsewhere.Message || strings.Contains(elsewhere.Message, alice.UserID) {
			t.Errorf("told %s", elsewhere.Message)
		}
	})
}

// A link is of the session that began it: nobody links what another began, and a
// login is no link.
func TestLinksOfOthers(t *testing.T) {
	t.Parallel()
	w := socialStart(t)
	alice, eve := w.SignUp(ada), w.SignUp("eve@example.com")
	w.up["google"].Be(upstream.Person{ID: "1", Email: "eve@example.com", Verified: true, Name: "Eve"})
	code := w.linkCode(eve, "google")
	w.bring(alice, "google", code).Fails(fault.Auth)
	w.bring(eve, "google", code).Fails(fault.Auth) // it is used up
	w.bring(alice, "google", w.code("google")).Fails(fault.Auth)
	w.finish("google", w.linkCode(eve, "google")).Fails(fault.Auth)
	w.bring(w.Login(ada, harness.Password), "google", w.linkCode(alice, "google")).Fails(fault.Auth)
	ended := w.linkCode(alice, "google")
	alice.Do("AUTH.LOGOUT", nil).OK()
	w.bring(alice, "google", ended).Fails(fault.Auth)
	if n := w.count(identity.KindLinked); n != 0 {
		t.Errorf("%d identities were linked", n)
	}
	w.begin(w.Anonymous(), "google", P{"link": true}).Fails(fault.Auth)
	key := eve.Do("API_KEY.CREATE", P{"name": "k", "scopes": []string{}}).OK().String("key")
	w.begin(w.With(key), "google", P{"link": true}).Fails(fault.Denied)
}

func TestLinkNeedsPresence(t *testing.T) {
	t.Parallel()
	w := socialStart(t)
	alice := w.SignUp(ada)
	w.Clock.Advance(14*time.Minute + 59*time.Second)
	w.begin(alice, "google", P{"link": true}).OK()
	w.Clock.Advance(time.Minute)
	token := w.Anonymous().Do("AUTH.REFRESH", P{"refresh_token": alice.RefreshToken}).OK().String("access_token")
	if failure := w.begin(w.With(token), "google", P{"link": true}).Fails(fault.Auth).Failure; failure.Message != access.ErrNotRecent.Message {
		t.Errorf("told %s", failure.Message)
	}
	w.begin(w.With(token), "google", nil).OK()
}

// Somebody took an address in advance, and waits for its owner: what they set up
// dies with the link that proves the address.
func TestPreHijacking(t *testing.T) {
	t.Parallel()
	socialOnEachStore(t, func(t *testing.T, here, there *world) {
		eve := here.SignUp(ada)
		here.up["discord"].Be(upstream.Person{ID: "666", Email: "eve@example.com", Verified: true, Name: "Eve"})
		here.link(eve, "discord").OK()
		key := eve.Do("API_KEY.CREATE", P{"name": "k", "scopes": []string{}}).OK().String("key")

		// The owner comes by the provider that vouches for the address: not into that.
		here.up["google"].Be(upstream.Person{ID: "1", Email: ada, Verified: true, Name: "Ada"})
		if failure := here.login("google").Fails(fault.Auth).Failure; failure.Message != social.ErrLinkFirst.Message {
			t.Errorf("told %s", failure.Message)
		}
		// Were they led into the account, and linked: it becomes theirs alone.
		victim := here.Login(ada, harness.Password)
		here.link(victim, "google").OK()
		victim.Do("USER.ME", nil).OK()
		eve.Do("USER.ME", nil).Fails(fault.Auth)
		here.With(key).Do("USER.ME", nil).Fails(fault.Auth)
		there.Anonymous().Do("AUTH.LOGIN", P{"email": ada, "password": harness.Password}).Fails(fault.Auth)
		if in := there.actor(there.login("google")); in.UserID != eve.UserID || !in.Do("USER.ME", nil).Bool("email_verified") {
			t.Errorf("got into %s", in.UserID)
		}
		// The other upstream account lets nobody into it any more.
		if in := there.actor(there.login("discord")); in.UserID == eve.UserID {
			t.Error("the upstream account of the other still lets in")
		}
	})
}

// A password of somebody who verified the address stays, and so does one where the
// link proves nothing about it.
func TestPasswordStays(t *testing.T) {
	t.Parallel()
	w := socialStart(t)
	verified, other := w.SignUp(ada), w.SignUp("bob@example.com")
	w.verify(verified)
	w.link(verified, "google").OK()
	w.up["github"].Be(upstream.Person{ID: "2", Email: "somebody@example.com", Verified: true, Name: "Bob"})
	w.link(other, "github").OK()
	w.up["discord"].Be(upstream.Person{ID: "2", Email: "bob@example.com", Name: "Bob"}) // not verified there
	w.link(other, "discord").OK()
	for _, address := range []string{ada, "bob@example.com"} {
		w.Login(address, harness.Password)
	}
	if n := w.count(session.KindRevoked); n != 0 {
		t.Errorf("%d sessions ended", n)
	}
}

func TestUnlink(t *testing.T) {
	t.Parallel()
	socialOnEachStore(t, func(t *testing.T, here, there *world) {
		alice := here.actor(here.login("google"))
		unlink := func(provider string) *harness.Reply {
			return alice.Do("AUTH.SOCIAL_UNLINK", P{"provider": provider})
		}
		last := unlink("google").Fails(fault.Validation).Failure
		if last.Message != identity.ErrLast.Message {
			t.Errorf("told %s", last.Message)
		}
		unlink("discord").Fails(fault.NotFound)
		here.link(alice, "github").OK()
		if dry := alice.DryRun().Do("AUTH.SOCIAL_UNLINK", P{"provider": "google"}).OK(); dry.Strings("dry_run.events")[0] != "identity.unlinked" {
			t.Errorf("a dry run tells %v", dry.Data)
		}
		code := here.code("google")
		if !unlink("google").OK().Bool("unlinked") || here.count(identity.KindUnlinked) != 1 {
			t.Error("nothing was unlinked")
		}
		unlink("google").Fails(fault.NotFound)
		unlink("github").Fails(fault.Validation)
		// A login by it that is under way finds the account by its verified address.
		if in := there.actor(there.finish("google", code)); in.UserID != alice.UserID {
			t.Errorf("got into %s", in.UserID)
		}
	})
}

// Of the last two ways in, taken away at once over two replicas, one stays.
func TestUnlinkRace(t *testing.T) {
	t.Parallel()
	socialOnEachStore(t, func(t *testing.T, here, there *world) {
		alice := here.actor(here.login("google"))
		here.link(alice, "github").OK()
		var at sync.WaitGroup
		for i, provider := range []string{"google", "github"} {
			at.Go(func() {
				[]*world{here, there}[i].With(alice.AccessToken).Do("AUTH.SOCIAL_UNLINK", P{"provider": provider})
			})
		}
		at.Wait()
		if left := alice.Do("AUTH.SOCIAL_LINKED", nil).OK().List("items"); len(left) != 1 {
			t.Errorf("%d ways in are left", len(left))
		}
	})
}

// An account at a provider that is switched off lets nobody in: beside it, the last
// other way in stays, and mail is no second factor to itself.
func TestDisabledProviderIsNotALoginMethod(t *testing.T) {
	t.Parallel()
	socialOnEachStore(t, func(t *testing.T, here, there *world) {
		root := here.Superadmin()
		alice := here.actor(here.login("google"))
		here.link(alice, "github").OK()
		of := P{"user_id": alice.UserID}
		for _, one := range root.Do("USER.IDENTITY_LIST", of).OK().List("items") {
			if one["provider"] == "github" {
				of["identity_id"] = one["id"]
			}
		}
		set := func(enabled any) {
			root.Do("SOCIAL.PROVIDER_SET", P{"provider": "google", "enabled": enabled}).OK()
		}
		set(false)
		there.With(alice.AccessToken).Do("AUTH.SOCIAL_UNLINK", P{"provider": "github"}).Fails(fault.Validation)
		there.Superadmin().Do("USER.IDENTITY_UNLINK", of).Fails(fault.Validation)
		alice.Passkey()
		passkey := P{"credential_id": alice.Do("WEBAUTHN.LIST_CREDENTIALS", nil).OK().List("items")[0]["id"]}
		alice.Do("AUTH.SOCIAL_UNLINK", P{"provider": "github"}).OK()
		there.With(alice.AccessToken).Do("WEBAUTHN.REVOKE", passkey).Fails(fault.Validation)
		set(nil)
		alice.Do("WEBAUTHN.REVOKE", passkey).OK()
		set(false)
		alice.Do("AUTH.MFA_SETUP_EMAIL", nil).Fails(fault.Validation)
		set(nil)
		alice.Do("AUTH.MFA_SETUP_EMAIL", nil).OK()
	})
}

// Whoever unlinks ends the logins by it that wait for a second factor.
func TestUnlinkEndsWaitingLogins(t *testing.T) {
	t.Parallel()
	w := socialStart(t)
	alice := w.SignUp(ada)
	w.link(alice, "google").OK()
	again := w.actor(w.login("google"))
	app := again.EnrollApp()
	waiting := w.login("google").OK().String("challenge_token")
	w.link(again, "github").OK()
	again.Do("AUTH.SOCIAL_UNLINK", P{"provider": "google"}).OK()
	w.Anonymous().Do("AUTH.MFA_VERIFY", P{"challenge_token": waiting, "code": app.Code()}).Fails(fault.Auth)
}

func TestAdministration(t *testing.T) {
	t.Parallel()
	w := socialStart(t)
	root := w.Superadmin()
	alice, bob := w.SignUp(ada), w.SignUp("bob@example.com")
	w.verify(alice)
	w.link(alice, "google").OK()
	listed := root.Do("USER.IDENTITY_LIST", P{"user_id": alice.UserID}).OK().List("items")
	if len(listed) != 1 || listed[0]["provider"] != "google" || listed[0]["upstream_id"] != "1001" || listed[0]["user_id"] != alice.UserID || listed[0]["last_login_at"] != nil {
		t.Fatalf("items = %v", listed)
	}
	id := listed[0]["id"]
	cut := func(who *harness.Actor, of string) *harness.Reply {
		return who.Do("USER.IDENTITY_UNLINK", P{"user_id": of, "identity_id": id})
	}
	nobody := "usr_01jd7x9k2mf3q8v5t0abcdefgh"
	root.Do("USER.IDENTITY_LIST", P{"user_id": nobody}).Fails(fault.NotFound)
	if n := len(root.Do("USER.IDENTITY_LIST", P{"user_id": bob.UserID}).OK().List("items")); n != 0 {
		t.Errorf("%d identities of somebody who has none", n)
	}
	cut(root, bob.UserID).Fails(fault.NotFound)
	cut(root, nobody).Fails(fault.NotFound)
	cut(root, alice.UserID).OK()
	cut(root, alice.UserID).Fails(fault.NotFound)
	if e := w.Events(identity.KindUnlinked); len(e) != 1 || e[0].UserID != alice.UserID || e[0].Origin.ActorID != root.Do("AUTH.WHOAMI", nil).String("subject") {
		t.Errorf("events = %+v", e)
	}
	w.up["google"].Be(upstream.Person{ID: "77", Email: "carol@example.com", Verified: true, Name: "Carol"})
	carol := w.actor(w.login("google"))
	id = root.Do("USER.IDENTITY_LIST", P{"user_id": carol.UserID}).List("items")[0]["id"]
	if failure := cut(root, carol.UserID).Fails(fault.Validation).Failure; failure.Message != identity.ErrLast.Message {
		t.Errorf("told %s", failure.Message)
	}
	if n := len(w.Events(loginevent.KindFailed)); n != 0 {
		t.Errorf("%d failed logins", n)
	}
}

// No provider opens a superadmin's account by its word alone: they sign in and link it. A promotion
// while somebody is on the way counts.
func TestSuperadminsAreNotJoined(t *testing.T) {
	t.Parallel()
	socialOnEachStore(t, func(t *testing.T, here, there *world) {
		root, alice := here.Superadmin(), authVerified(here.Service, ada)
		app := alice.EnrollApp()
		here.up["google"].Be(upstream.Person{ID: "1", Email: ada, Verified: true, Name: "Ada"})
		waiting := here.login("google").OK().String("challenge_token")
		root.Do("USER.SET_SUPERADMIN", P{"user_id": alice.UserID, "is_superadmin": true}).OK()
		here.Anonymous().Do("AUTH.MFA_VERIFY", P{"challenge_token": waiting, "code": app.Code()}).Fails(fault.Auth)
		for _, one := range []*world{here, there} {
			if failure := one.login("google").Fails(fault.Auth).Failure; failure.Message != social.ErrLinkFirst.Message {
				t.Errorf("told %s", failure.Message)
			}
		}
		here.Clock.Advance(harness.Step)
		here.link(here.LoginBy(ada, app), "google").OK()
		here.login("google").OK().String("challenge_token")
	})
}

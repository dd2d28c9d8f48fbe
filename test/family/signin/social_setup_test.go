package signin_test

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/social"
	"gatehouse.internal/test/fake/upstream"
	"gatehouse.internal/test/harness"
)

func TestProviderList(t *testing.T) {
	t.Parallel()
	w := socialStart(t)
	listed := w.Superadmin().Do("SOCIAL.PROVIDER_LIST", nil).OK()
	for i, one := range listed.List("items") {
		name := []string{"google", "github", "discord"}[i]
		if one["provider"] != name || one["enabled"] != true || one["client_id"] != "client-of-"+name || one["source"] != "environment" ||
			one["redirect_url"] != routes+name+"/callback" || one["client_secret_set"] != true {
			t.Errorf("item = %v", one)
		}
		for key, value := range one {
			if text, ok := value.(string); ok && strings.Contains(text, "secret of") {
				t.Errorf("%s shows a secret", key)
			}
		}
	}
	bare := harness.New(t)
	for _, one := range bare.Superadmin().Do("SOCIAL.PROVIDER_LIST", nil).OK().List("items") {
		if one["enabled"] != false || one["source"] != "none" || one["client_id"] != "" {
			t.Errorf("item = %v", one)
		}
	}
	bare.Anonymous().Do("SOCIAL.AUTH_URL", P{"provider": "google", "redirect_uri": page}).Fails(fault.NotFound)
}

// What an administrator sets holds over the environment, on every replica and for
// what is under way; null goes back.
func TestProviderSet(t *testing.T) {
	t.Parallel()
	socialOnEachStore(t, func(t *testing.T, here, there *world) {
		root := here.Superadmin()
		set := func(params P) *harness.Reply {
			params["provider"] = "google"
			return root.Do("SOCIAL.PROVIDER_SET", params)
		}
		code := there.code("google")
		off := set(P{"enabled": false}).OK()
		if off.Bool("provider.enabled") || off.String("provider.source") != "store" {
			t.Errorf("data = %v", off.Data)
		}
		there.begin(there.Anonymous(), "google", nil).Fails(fault.NotFound)
		there.nothing(func() { there.finish("google", code).Fails(fault.NotFound) })
		if offered := there.Anonymous().Do("AUTH.METHOD_LIST", nil).OK().Strings("providers"); slices.Contains(offered, "google") || len(offered) != 2 {
			t.Errorf("on offer: %q", offered)
		}
		on := set(P{"enabled": nil}).OK()
		if !on.Bool("provider.enabled") || on.String("provider.source") != "environment" {
			t.Errorf("data = %v", on.Data)
		}
		there.login("google").OK()

		set(P{"client_id": "other", "client_secret": "wrong", "scopes": []string{"email"}}).OK()
		address := there.begin(there.Anonymous(), "google", nil).OK().String("url")
		if !strings.Contains(address, "client_id=other") || !strings.Contains(address, "scope=email&") {
			t.Errorf("asks by %s", address)
		}
		back := set(P{"client_id": nil, "client_secret": nil, "scopes": nil}).OK()
		if back.String("provider.client_id") != "client-of-google" || len(back.Strings("provider.scopes")) != 3 {
			t.Errorf("data = %v", back.Data)
		}
		there.login("google").OK()
		before := here.count(social.KindProviderUpdated)
		set(P{"client_id": nil}).OK() // it is so already
		set(P{}).OK()
		if dry := root.DryRun().Do("SOCIAL.PROVIDER_SET", P{"provider": "google", "enabled": false}).OK(); dry.Strings("dry_run.events")[0] != "social_provider.updated" {
			t.Errorf("a dry run tells %v", dry.Data)
		}
		events := here.Events(social.KindProviderUpdated)
		if len(events) != before || string(events[1].Data) != `{"provider":"google","changed":["client_id","client_secret","scopes"]}` {
			t.Errorf("events: %d, then %d: %s", before, len(events), events[1].Data)
		}
		stored := here.Events("")
		for _, e := range stored {
			if strings.Contains(string(e.Data), "wrong") || strings.Contains(string(e.Data), "secret of") {
				t.Errorf("%s holds a secret", e.Kind)
			}
		}
	})
}

func TestProviderSetParameters(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root := h.Superadmin()
	for path, params := range map[string]P{
		"/provider":      {"provider": "myspace"},
		"/enabled":       {"provider": "google", "enabled": true},
		"/client_id":     {"provider": "google", "client_id": ""},
		"/client_secret": {"provider": "google", "client_secret": 7},
		"/scopes":        {"provider": "google", "scopes": []string{}},
		"/scopes/0":      {"provider": "google", "scopes": []string{"a b"}},
		"/allow_signup":  {"provider": "google", "allow_signup": "no"},
	} {
		root.Do("SOCIAL.PROVIDER_SET", params).Fails(fault.Validation).Field(path)
	}
	on := root.Do("SOCIAL.PROVIDER_SET", P{"provider": "google", "client_id": "a", "client_secret": "b", "enabled": true}).OK()
	if !on.Bool("provider.enabled") || !on.Bool("provider.client_secret_set") || on.Has("provider.client_secret") {
		t.Errorf("data = %v", on.Data)
	}
}

func TestTokenGet(t *testing.T) {
	t.Parallel()
	socialOnEachStore(t, func(t *testing.T, here, there *world) {
		here.up["google"].Switch(upstream.Switches{Life: 600})
		alice := here.actor(here.login("google"))
		first := alice.Do("SOCIAL.TOKEN_GET", P{"provider": "google"}).OK()
		ends, err := time.Parse(time.RFC3339Nano, first.String("expires_at"))
		if left := ends.Sub(here.Clock.Now()); err != nil || left != 10*time.Minute || len(first.Strings("scopes")) != 3 {
			t.Errorf("data = %v, %v left", first.Data, left)
		}
		if again := alice.Do("SOCIAL.TOKEN_GET", P{"provider": "google"}).OK(); again.String("access_token") != first.String("access_token") {
			t.Error("a token that is good was replaced")
		}
		here.Clock.Advance(9 * time.Minute)
		next := alice.Do("SOCIAL.TOKEN_GET", P{"provider": "google"}).OK()
		if next.String("access_token") == first.String("access_token") {
			t.Error("a token that ends in a minute was not replaced")
		}
		alice.Do("SOCIAL.TOKEN_GET", P{"provider": "discord"}).Fails(fault.NotFound)
		bob := there.SignUp("bob@example.com")
		bob.Do("SOCIAL.TOKEN_GET", P{"provider": "google"}).Fails(fault.NotFound)
	})
}

func TestTokensThatEnd(t *testing.T) {
	t.Parallel()
	w := socialStart(t)
	get := func(who *harness.Actor, provider string) *harness.Reply {
		return who.Do("SOCIAL.TOKEN_GET", P{"provider": provider})
	}
	w.up["google"].Switch(upstream.Switches{Life: 60})
	alice := w.actor(w.login("google"))
	w.up["google"].Switch(upstream.Switches{Down: true})
	if failure := get(alice, "google").Fails(fault.Auth).Failure; failure.Message != social.ErrUnavailable.Message {
		t.Errorf("told %s", failure.Message)
	}
	w.up["google"].Switch(upstream.Switches{Revoked: true})
	if failure := get(alice, "google").Fails(fault.Auth).Failure; failure.Message != social.ErrTokenEnded.Message {
		t.Errorf("told %s", failure.Message)
	}
	w.up["google"].Switch(upstream.Switches{})
	get(alice, "google").Fails(fault.Auth) // it was used up
	alice = w.actor(w.login("google"))
	get(alice, "google").OK()

	w.link(alice, "github").OK()
	endless := get(alice, "github").OK()
	if endless.Data["expires_at"] != nil {
		t.Errorf("data = %v", endless.Data)
	}
	root := w.Superadmin()
	root.Do("SOCIAL.PROVIDER_SET", P{"provider": "github", "enabled": false}).OK()
	get(alice, "github").Fails(fault.NotFound)
}

// While a provider is asked, nobody waits with the one who asked, whatever makes the
// call repeatable.
func TestNothingIsHeldWhileAProviderIsAsked(t *testing.T) {
	t.Parallel()
	w := socialStart(t)
	w.up["google"].Switch(upstream.Switches{Life: 60})
	alice, bob := w.actor(w.login("google")), w.SignUp("bob@example.com")
	asked := 0
	busy := upstream.Switches{Meanwhile: func() {
		asked++
		bob.Do("USER.UPDATE", P{"display_name": "Bob"}).OK()
	}}
	w.up["google"].Switch(busy)
	first := alice.Idempotent("token").Do("SOCIAL.TOKEN_GET", P{"provider": "google"}).OK()
	again := alice.Idempotent("token").Do("SOCIAL.TOKEN_GET", P{"provider": "google"}).OK()
	if asked == 0 || first.String("access_token") != again.String("access_token") {
		t.Errorf("asked %d times, and the answers differ", asked)
	}
	from := w.begin(alice, "github", P{"link": true}).OK()
	code := w.Browser().Open(from.String("url")).Get("code")
	w.up["github"].Switch(busy)
	link := P{"provider": "github", "code": code, "redirect_uri": page}
	before := asked
	linked := alice.Idempotent("link").Do("AUTH.SOCIAL_LINK", link).OK()
	once := asked
	if again := alice.Idempotent("link").Do("AUTH.SOCIAL_LINK", link).OK(); once == before || asked != once || again.String("identity.id") != linked.String("identity.id") {
		t.Errorf("asked %d times and %d more, for %v", once-before, asked-once, again.Data)
	}
}

// Many at once, over two replicas, get tokens that are good.
func TestSocialParallelRefreshes(t *testing.T) {
	t.Parallel()
	socialOnEachStore(t, func(t *testing.T, here, there *world) {
		here.up["google"].Switch(upstream.Switches{Life: 30})
		alice := here.actor(here.login("google"))
		here.up["google"].Switch(upstream.Switches{})
		replies := make([]*harness.Reply, 6)
		var at sync.WaitGroup
		for i := range replies {
			at.Go(func() {
				replies[i] = []*world{here, there}[i%2].With(alice.AccessToken).Do("SOCIAL.TOKEN_GET", P{"provider": "google"})
			})
		}
		at.Wait()
		good := 0
		for _, r := range replies {
			if r.Failure == nil {
				good++
			}
		}
		if good != len(replies) {
			t.Errorf("%d of %d got a token", good, len(replies))
		}
		alice.Do("SOCIAL.TOKEN_GET", P{"provider": "google"}).OK()
	})
}

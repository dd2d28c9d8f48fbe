package replicas_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse.internal/test/e2e/instance"
	"gatehouse.internal/test/harness"
)

// busy are workers that call without a pause while the test changes what they call
// with. It fails the test for every call that fails.
type busy struct {
	s       *instance.Site
	stop    atomic.Bool
	working sync.WaitGroup
	// laps are how often each worker has begun.
	laps [4]atomic.Int64
}

func (b *busy) begin(lap func(one, other *instance.Replica)) {
	b.s.T.Cleanup(b.end)
	for i := range b.laps {
		b.working.Go(func() {
			for !b.stop.Load() && !b.s.T.Failed() {
				b.laps[i].Add(1)
				lap(b.s.Any(i), b.s.Any(i+1))
			}
		})
	}
}

// quiesce waits until no worker goes on with what it began before.
func (b *busy) quiesce() {
	b.s.T.Helper()
	for i := range b.laps {
		seen := b.laps[i].Load()
		for deadline := time.Now().Add(instance.StartWithin); b.laps[i].Load() < seen+2 && !b.s.T.Failed(); {
			if time.Now().After(deadline) {
				b.s.T.Fatal("a worker does not get on")
			}
			<-time.After(instance.Poll)
		}
	}
}

func (b *busy) end() {
	b.stop.Store(true)
	b.working.Wait()
}

// report logs how much they did.
func (b *busy) report() {
	b.s.T.Helper()
	laps := int64(0)
	for i := range b.laps {
		laps += b.laps[i].Load()
	}
	b.s.T.Logf("%d rounds of calls", laps)
}

// client is an app whose secret changes.
type client struct {
	app instance.Machine
	// secret is the newest one.
	secret atomic.Value
	holder *harness.Holder
}

// lap fetches a token here, and uses and inspects it there, with all that a client
// and a resource server do.
func (c *client) lap(t testing.TB, one, other *instance.Replica) {
	params := P{"client_id": c.app.Slug, "client_secret": c.secret.Load()}
	fetched := one.Do(instance.Call{Command: "M2M.TOKEN", Params: params})
	asserted := c.app.Asserts(other, c.app.Assertion(c.holder, nil))
	bound := one.Sending("M2M.TOKEN", params, "DPoP="+c.holder.Proof("POST", instance.Endpoint, ""))
	instance.Expect(t, fetched, asserted, bound)
	if t.Failed() {
		return
	}
	token, held := fetched.Envelope.Data["access_token"].(string), bound.Envelope.Data["access_token"].(string)
	instance.Expect(
		t, other.Bearing(token, "APP.LIST", nil), one.Bearing(token, "AUTH.WHOAMI", nil),
		other.Proving(held, c.holder.Proof("POST", instance.Endpoint, held), "APP.LIST"),
	)
	for _, r := range []*instance.Replica{one, other} {
		if answer := r.Do(instance.Call{Command: "M2M.INTROSPECT", Params: P{"token": token}}); answer.Value("active") != true {
			t.Errorf("a fresh token is introspected as %s", answer.Body)
		}
	}
	if published := other.Get("/.well-known/jwks.json"); !instance.Verified(t, instance.KeySet(t, published), token) {
		t.Errorf("the keys of the other replica do not verify a fresh token: %s", published)
	}
}

// TestNoVerificationFailsWhileKeysRotate rotates signing keys and the secret of an
// app, with an overlap, while both replicas issue and check tokens.
func TestNoVerificationFailsWhileKeysRotate(t *testing.T) {
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		s := instance.Open(t, on)
		one := s.First()
		admin, ada := one.Admin(), one.SignUp()
		one.Wide(admin)
		c := &client{app: one.Machine(admin, "apps:read"), holder: one.Holder()}
		c.secret.Store(c.app.Secret)
		one.Change(admin, c.app, "APP.SET_JWKS", P{"jwks": P{"keys": []P{c.holder.JWK()}}})
		first := c.app.Token(one)
		work := &busy{s: s}
		work.begin(func(one, other *instance.Replica) {
			c.lap(t, one, other)
			instance.Expect(t, one.Bearing(first, "AUTH.WHOAMI", nil), other.As(ada, "USER.ME", nil), other.Do(instance.Login(ada)))
		})
		// Five secrets of an app are good at a time: four more than there was.
		for round := range 8 {
			work.quiesce()
			r := s.Any(round)
			algorithm := []string{"RS256", "ES256"}[round%2]
			instance.Expect(t, r.As(admin, "JWT_KEY.ROTATE", P{"algorithm": algorithm, "overlap_hours": 1}))
			if round%2 == 0 {
				rotated := r.As(admin, "APP.ROTATE_KEY", P{"app_id": c.app.ID, "overlap_hours": 1})
				instance.Expect(t, rotated)
				if !t.Failed() {
					c.secret.Store(rotated.Text("api_key"))
				}
			}
		}
		work.quiesce()
		work.end()
		work.report()
		c.app.Asks(s.Last(), nil).OK()
		if got := s.Last().Introspected(first); got != "active" {
			t.Errorf("the first token is %s under the ninth key", got)
		}
	})
}

// TestNoCallFailsWhileKeysOfPeopleRotate rotates an API key, with an overlap, while
// both replicas are called by it.
func TestNoCallFailsWhileKeysOfPeopleRotate(t *testing.T) {
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		s := instance.Open(t, on)
		one := s.First()
		admin, ada := one.Admin(), one.SignUp()
		one.Wide(admin)
		made := one.As(ada, "API_KEY.CREATE", P{"name": "A key", "scopes": []string{"apps:read"}})
		server := one.Machine(ada, "api_keys:verify").Token(one)
		var key atomic.Value
		key.Store(made.Text("key"))
		work := &busy{s: s}
		work.begin(func(one, other *instance.Replica) {
			text, _ := key.Load().(string)
			instance.Expect(t, one.Bearing(text, "APP.LIST", nil), other.Bearing(text, "USER.ME", nil))
			if answer := other.Bearing(server, "API_KEY.VERIFY", P{"key": text}); answer.Value("valid") != true {
				t.Errorf("a good key is verified as %s", answer.Body)
			}
		})
		old := made.Text("key")
		for round := range 10 {
			work.quiesce() // at most two texts work side by side
			rotated := s.Any(round).As(ada, "API_KEY.ROTATE", P{"key_id": made.Text("api_key.id"), "overlap_hours": 1})
			instance.Expect(t, rotated)
			if t.Failed() {
				break
			}
			for i := range 2 {
				instance.Expect(t, s.Any(i).Bearing(old, "USER.ME", nil))
			}
			old = rotated.Text("key")
			key.Store(old)
		}
		work.end()
		work.report()
	})
}

// TestParallelRotationsLeaveOneSecret rotates without an overlap many times at once:
// one secret is good after it, and nobody was answered with another as the last.
func TestParallelRotationsLeaveOneSecret(t *testing.T) {
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		s := instance.Open(t, on)
		one := s.First()
		admin := one.Admin()
		one.Wide(admin)
		app := one.Machine(admin)
		key := one.As(admin, "API_KEY.CREATE", P{"name": "A key", "scopes": []string{}}).Text("api_key.id")
		for range 3 {
			answers := instance.Together(16, func(i int) *instance.Reply {
				if i%4 < 2 {
					return s.Any(i).As(admin, "APP.ROTATE_KEY", P{"app_id": app.ID})
				}
				return s.Any(i).As(admin, "API_KEY.ROTATE", P{"key_id": key})
			})
			instance.Expect(t, answers...)
			secrets, keys := 0, 0
			for i, answer := range answers {
				if text, is := answer.Value("key").(string); is && s.Any(i+1).Bearing(text, "USER.ME", nil).Code() == "OK" {
					keys++
				}
				if text, is := answer.Value("api_key").(string); is && (instance.Machine{Slug: app.Slug, Secret: text}).Asks(s.Any(i+1), nil).Code() == "OK" {
					secrets++
				}
			}
			if secrets != 1 || keys != 1 {
				t.Errorf("%d secrets of an app and %d texts of a key are good after parallel rotations, want 1 and 1", secrets, keys)
			}
		}
	})
}

// TestTokensOfANewKeyAreKnownAtOnce presents a token under a key that was made just
// now to a replica which has not been called since.
func TestTokensOfANewKeyAreKnownAtOnce(t *testing.T) {
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		s := instance.Open(t, on)
		admin := s.First().Admin()
		s.First().Wide(admin)
		app, holder := s.First().Machine(admin, "apps:read"), s.First().Holder()
		for round := range 8 {
			one, other := s.Any(round), s.Any(round+1)
			algorithm := []string{"RS256", "ES256"}[round/2%2]
			kid := one.As(admin, "JWT_KEY.ROTATE", P{"algorithm": algorithm, "overlap_hours": 1}).Text("kid")
			token := app.Token(one)
			if got := instance.HeaderOf(t, token)["kid"]; got != kid {
				t.Fatalf("a token under %v after the rotation to %s", got, kid)
			}
			if round%4 == 0 {
				if got := other.Introspected(token); got != "active" {
					t.Errorf("a token under a new key is %s", got)
				}
			}
			other.Bearing(token, "APP.LIST", nil).OK()
			bound := one.Sending("M2M.TOKEN", P{"client_id": app.Slug, "client_secret": app.Secret}, "DPoP="+holder.Proof("POST", instance.Endpoint, "")).Text("access_token")
			other.Proving(bound, holder.Proof("POST", instance.Endpoint, bound), "APP.LIST").OK()
		}
	})
}

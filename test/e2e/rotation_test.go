package e2e_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse.internal/test/harness"
)

// busy are workers that call without a pause while the test changes what they call
// with. It fails the test for every call that fails.
type busy struct {
	s       *site
	stop    atomic.Bool
	working sync.WaitGroup
	// laps are how often each worker has begun.
	laps [4]atomic.Int64
}

func (b *busy) begin(lap func(one, other *replica)) {
	b.s.t.Cleanup(b.end)
	for i := range b.laps {
		b.working.Go(func() {
			for !b.stop.Load() && !b.s.t.Failed() {
				b.laps[i].Add(1)
				lap(b.s.any(i), b.s.any(i+1))
			}
		})
	}
}

// quiesce waits until no worker goes on with what it began before.
func (b *busy) quiesce() {
	b.s.t.Helper()
	for i := range b.laps {
		seen := b.laps[i].Load()
		for deadline := time.Now().Add(startWithin); b.laps[i].Load() < seen+2 && !b.s.t.Failed(); {
			if time.Now().After(deadline) {
				b.s.t.Fatal("a worker does not get on")
			}
			<-time.After(poll)
		}
	}
}

func (b *busy) end() {
	b.stop.Store(true)
	b.working.Wait()
}

// told logs how much they did.
func (b *busy) told() {
	b.s.t.Helper()
	laps := int64(0)
	for i := range b.laps {
		laps += b.laps[i].Load()
	}
	b.s.t.Logf("%d rounds of calls", laps)
}

// expect fails the test unless all of the calls succeeded. It may be called from any
// goroutine.
func expect(t testing.TB, answers ...*reply) {
	t.Helper()
	for _, answer := range answers {
		if answer.code() != "OK" {
			t.Errorf("%s: %v %d %.300s", answer.what, answer.err, answer.status, answer.body)
		}
	}
}

// client is an app whose secret changes.
type client struct {
	app machine
	// secret is the newest one.
	secret atomic.Value
	holder *harness.Holder
}

// lap fetches a token here, and uses and inspects it there, with all that a client
// and a resource server do.
func (c *client) lap(t testing.TB, one, other *replica) {
	params := P{"client_id": c.app.slug, "client_secret": c.secret.Load()}
	fetched := one.do(call{command: "M2M.TOKEN", params: params})
	asserted := c.app.asserts(other, c.app.assertion(c.holder, nil))
	bound := one.sending("M2M.TOKEN", params, "DPoP="+c.holder.Proof("POST", here, ""))
	expect(t, fetched, asserted, bound)
	if t.Failed() {
		return
	}
	token, held := fetched.envelope.Data["access_token"].(string), bound.envelope.Data["access_token"].(string)
	expect(
		t, other.bearing(token, "APP.LIST", nil), one.bearing(token, "AUTH.WHOAMI", nil),
		other.proving(held, c.holder.Proof("POST", here, held), "APP.LIST"),
	)
	for _, r := range []*replica{one, other} {
		if answer := r.do(call{command: "M2M.INTROSPECT", params: P{"token": token}}); answer.value("active") != true {
			t.Errorf("a fresh token is introspected as %s", answer.body)
		}
	}
	if published := other.get("/.well-known/jwks.json"); !verified(t, keySet(t, published), token) {
		t.Errorf("the keys of the other replica do not verify a fresh token: %s", published)
	}
}

// TestNoVerificationFailsWhileKeysRotate rotates signing keys and the secret of an
// app, with an overlap, while both replicas issue and check tokens.
func TestNoVerificationFailsWhileKeysRotate(t *testing.T) {
	onBoth(t, func(t *testing.T, on store) {
		s := open(t, on)
		one := s.first()
		admin, ada := one.admin(), one.signUp()
		one.wide(admin)
		c := &client{app: one.machine(admin, "apps:read"), holder: one.holder()}
		c.secret.Store(c.app.secret)
		one.change(admin, c.app, "APP.SET_JWKS", P{"jwks": P{"keys": []P{c.holder.JWK()}}})
		first := c.app.token(one)
		work := &busy{s: s}
		work.begin(func(one, other *replica) {
			c.lap(t, one, other)
			expect(t, one.bearing(first, "AUTH.WHOAMI", nil), other.as(ada, "USER.ME", nil), other.do(login(ada)))
		})
		// Five secrets of an app are good at a time: four more than there was.
		for round := range 8 {
			work.quiesce()
			r := s.any(round)
			algorithm := []string{"RS256", "ES256"}[round%2]
			expect(t, r.as(admin, "JWT_KEY.ROTATE", P{"algorithm": algorithm, "overlap_hours": 1}))
			if round%2 == 0 {
				rotated := r.as(admin, "APP.ROTATE_KEY", P{"app_id": c.app.id, "overlap_hours": 1})
				expect(t, rotated)
				if !t.Failed() {
					c.secret.Store(rotated.text("api_key"))
				}
			}
		}
		work.quiesce()
		work.end()
		work.told()
		c.app.asks(s.last(), nil).ok()
		if got := s.last().introspected(first); got != "active" {
			t.Errorf("the first token is %s under the ninth key", got)
		}
	})
}

// TestNoCallFailsWhileKeysOfPeopleRotate rotates an API key, with an overlap, while
// both replicas are called by it.
func TestNoCallFailsWhileKeysOfPeopleRotate(t *testing.T) {
	onBoth(t, func(t *testing.T, on store) {
		s := open(t, on)
		one := s.first()
		admin, ada := one.admin(), one.signUp()
		one.wide(admin)
		made := one.as(ada, "API_KEY.CREATE", P{"name": "A key", "scopes": []string{"apps:read"}})
		server := one.machine(ada, "api_keys:verify").token(one)
		var key atomic.Value
		key.Store(made.text("key"))
		work := &busy{s: s}
		work.begin(func(one, other *replica) {
			text, _ := key.Load().(string)
			expect(t, one.bearing(text, "APP.LIST", nil), other.bearing(text, "USER.ME", nil))
			if answer := other.bearing(server, "API_KEY.VERIFY", P{"key": text}); answer.value("valid") != true {
				t.Errorf("a good key is verified as %s", answer.body)
			}
		})
		old := made.text("key")
		for round := range 10 {
			work.quiesce() // at most two texts work side by side
			rotated := s.any(round).as(ada, "API_KEY.ROTATE", P{"key_id": made.text("api_key.id"), "overlap_hours": 1})
			expect(t, rotated)
			if t.Failed() {
				break
			}
			for i := range 2 {
				expect(t, s.any(i).bearing(old, "USER.ME", nil))
			}
			old = rotated.text("key")
			key.Store(old)
		}
		work.end()
		work.told()
	})
}

// TestParallelRotationsLeaveOneSecret rotates without an overlap many times at once:
// one secret is good after it, and nobody was answered with another as the last.
func TestParallelRotationsLeaveOneSecret(t *testing.T) {
	onBoth(t, func(t *testing.T, on store) {
		s := open(t, on)
		one := s.first()
		admin := one.admin()
		one.wide(admin)
		app := one.machine(admin)
		key := one.as(admin, "API_KEY.CREATE", P{"name": "A key", "scopes": []string{}}).text("api_key.id")
		for range 3 {
			answers := together(16, func(i int) *reply {
				if i%4 < 2 {
					return s.any(i).as(admin, "APP.ROTATE_KEY", P{"app_id": app.id})
				}
				return s.any(i).as(admin, "API_KEY.ROTATE", P{"key_id": key})
			})
			expect(t, answers...)
			secrets, keys := 0, 0
			for i, answer := range answers {
				if text, is := answer.value("key").(string); is && s.any(i+1).bearing(text, "USER.ME", nil).code() == "OK" {
					keys++
				}
				if text, is := answer.value("api_key").(string); is && (machine{slug: app.slug, secret: text}).asks(s.any(i+1), nil).code() == "OK" {
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
	onBoth(t, func(t *testing.T, on store) {
		s := open(t, on)
		admin := s.first().admin()
		s.first().wide(admin)
		app, holder := s.first().machine(admin, "apps:read"), s.first().holder()
		for round := range 8 {
			one, other := s.any(round), s.any(round+1)
			algorithm := []string{"RS256", "ES256"}[round/2%2]
			kid := one.as(admin, "JWT_KEY.ROTATE", P{"algorithm": algorithm, "overlap_hours": 1}).text("kid")
			token := app.token(one)
			if got := headerOf(t, token)["kid"]; got != kid {
				t.Fatalf("a token under %v after the rotation to %s", got, kid)
			}
			if round%4 == 0 {
				if got := other.introspected(token); got != "active" {
					t.Errorf("a token under a new key is %s", got)
				}
			}
			other.bearing(token, "APP.LIST", nil).ok()
			bound := one.sending("M2M.TOKEN", P{"client_id": app.slug, "client_secret": app.secret}, "DPoP="+holder.Proof("POST", here, "")).text("access_token")
			other.proving(bound, holder.Proof("POST", here, bound), "APP.LIST").ok()
		}
	})
}

package client_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"gatehouse.internal/adapters/jose"
	"gatehouse.internal/adapters/system"
	"gatehouse.internal/application/client"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/keytext"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/crypt"
	"gatehouse.internal/test/harness"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// directory knows one app.
type directory struct {
	app app.Snapshot
	err error
}

func (d *directory) BySlug(_ context.Context, slug, _ string) (outbound.Client, error) {
	if d.err != nil {
		return outbound.Client{}, d.err
	}
	if slug != d.app.Slug {
		return outbound.Client{}, app.ErrNotFound
	}
	return outbound.Client{App: d.app, Version: 3}, nil
}

// replays remembers what was used.
type replays struct {
	mu   sync.Mutex
	used map[string]time.Time
	err  error
}

func (r *replays) Use(_ context.Context, key string, until time.Time) (bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, known := r.used[key]
	r.used[key] = until
	return !known, r.err
}

// site publishes keys.
type site struct {
	mu    sync.Mutex
	body  []byte
	err   error
	asked int
	gate  chan struct{}
}

func (s *site) Fetch(context.Context, string) ([]byte, error) {
	s.mu.Lock()
	s.asked++
	body, err, gate := s.body, s.err, s.gate
	s.mu.Unlock()
	if gate != nil {
		<-gate
	}
	if string(body) == "panic" {
		panic("broken")
	}
	return body, err
}

func (s *site) publish(t *testing.T, keys ...harness.P) {
	t.Helper()
	set, err := json.Marshal(harness.P{"keys": keys})
	if err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.body, s.err = set, nil
}

func (s *site) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
}

func (s *site) times() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

const audience = "https://auth.example.com"

// bench authenticates an app that publishes its keys.
type bench struct {
	*client.Authenticator

	directory *directory
	replays   *replays
	site      *site
	clock     *clock
	made      int
}

func newBench() *bench {
	b := &bench{
		directory: &directory{app: app.Snapshot{
			ID: "0193c1a2-7b1e-7c3d-9a5f-0123456789ab", Slug: "worker", Type: app.Service, Enabled: true,
			JWKSURI: "https://worker.example.com/jwks",
		}},
		replays: &replays{used: map[string]time.Time{}}, site: &site{},
		clock: &clock{now: time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)},
	}
	b.Authenticator = &client.Authenticator{
		Clients: b.directory, JWKS: jose.JOSE{}, Fetcher: b.site, Replays: b.replays, Clock: b.clock,
		Logger: slog.New(slog.DiscardHandler), Audiences: []string{audience},
	}
	return b
}

// try authenticates by a fresh assertion of a signer.
func (b *bench) try(t *testing.T, by *harness.Holder) error {
	t.Helper()
	b.made++
	return b.present(t, by.Sign(harness.P{"alg": "ES256"}, harness.P{
		"iss": "worker", "sub": "worker", "aud": audience, "jti": time.Duration(b.made).String(), "exp": b.clock.Now().Unix() + 60,
	}))
}

func (b *bench) present(t *testing.T, text string) error {
	t.Helper()
	found, err := b.Authenticate(t.Context(), &client.Credentials{
		ID: "worker", Assertion: secret.New(text), AssertionType: client.AssertionType,
	}, nil)
	if err == nil && found.Version != 3 {
		t.Errorf("client %+v", found)
	}
	return err
}

func TestKeysAreFetchedAndKept(t *testing.T) {
	t.Parallel()
	b := newBench()
	one, two := harness.NewHolder(t, b.clock), harness.NewHolder(t, b.clock)
	b.site.publish(t, one.JWK(), harness.P{"kty": "oct", "k": "AAAA"})
	want := func(what string, err error, right bool, asked int) {
		t.Helper()
		if (err == nil) != right || (err != nil && !errors.Is(err, client.ErrClient)) {
			t.Errorf("%s: %v", what, err)
		}
		if got := b.site.times(); got != asked {
			t.Errorf("%s: fetched %d times, want %d", what, got, asked)
		}
	}
	want("at first", b.try(t, one), true, 1)
	b.clock.move(4 * time.Minute)
	want("from what was kept", b.try(t, one), true, 1)
	b.site.publish(t, two.JWK())
	want("a new key", b.try(t, two), true, 2)
	want("an old key, a while ago", b.try(t, one), false, 2)
	b.clock.move(59 * time.Second)
	want("within the minute", b.try(t, one), false, 2)
	b.clock.move(time.Second)
	want("after the minute", b.try(t, one), false, 3)
	b.clock.move(5 * time.Minute)
	want("after five minutes", b.try(t, two), true, 4)
}

func TestFetchesThatFailAreNotRepeatedAtOnce(t *testing.T) {
	t.Parallel()
	b := newBench()
	one := harness.NewHolder(t, b.clock)
	b.site.fail(errors.New("unreachable"))
	for range 3 {
		if err := b.try(t, one); !errors.Is(err, client.ErrClient) {
			t.Errorf("without keys: %v", err)
		}
	}
	if got := b.site.times(); got != 1 {
		t.Errorf("fetched %d times, want 1", got)
	}
	for _, wrong := range []string{"panic", "no json", `{"keys":1}`} {
		b.clock.move(30 * time.Second)
		b.site.fail(nil)
		b.site.body = []byte(wrong)
		if err := b.try(t, one); !errors.Is(err, client.ErrClient) {
			t.Errorf("%s: %v", wrong, err)
		}
	}
	b.clock.move(30 * time.Second)
	b.site.publish(t, one.JWK())
	if err := b.try(t, one); err != nil || b.site.times() != 5 {
		t.Errorf("after a while: %v after %d fetches", err, b.site.times())
	}
}

func TestConcurrentCallersShareAFetch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench()
		one := harness.NewHolder(t, b.clock)
		b.site.publish(t, one.JWK())
		b.site.gate = make(chan struct{})
		text := one.Sign(harness.P{"alg": "ES256"}, harness.P{
			"iss": "worker", "sub": "worker", "aud": audience, "jti": "shared", "exp": b.clock.Now().Unix() + 60,
		})
		leaving, leave := context.WithCancel(t.Context())
		left := make(chan error, 1)
		go func() {
			_, err := b.Authenticate(leaving, &client.Credentials{ID: "worker", Assertion: secret.New(text), AssertionType: client.AssertionType}, nil)
			left <- err
		}()
		synctest.Wait()
		leave()
		if err := <-left; err == nil {
			t.Error("who went away was authenticated")
		}
		errs := make(chan error, 4)
		for range cap(errs) {
			go func() { errs <- b.present(t, text) }()
		}
		synctest.Wait()
		close(b.site.gate)
		passed := 0
		for range cap(errs) {
			if <-errs == nil {
				passed++
			}
		}
		if passed != 1 || b.site.times() != 1 {
			t.Errorf("%d passed after %d fetches, want one of each", passed, b.site.times())
		}
	})
}

// counting are keys that count how often they verify.
type counting struct {
	crypt.PublicKey

	tried *int
}

func (k counting) Verify(text, typ string) ([]byte, error) {
	payload, err := k.PublicKey.Verify(text, typ)
	if err == nil || errors.Is(err, crypt.ErrSignature) {
		*k.tried++
	}
	return payload, err
}

// counted are sets of such keys.
type counted struct {
	jose.JOSE

	tried int
}

func (c *counted) ReadPublicSet(raw []byte) ([]crypt.PublicKey, error) {
	keys, err := c.JOSE.ReadPublicSet(raw)
	for i, key := range keys {
		keys[i] = counting{key, &c.tried}
	}
	return keys, err
}

// Whoever publishes many keys does not make one assertion cost as many signatures.
func TestFewKeysAreTried(t *testing.T) {
	t.Parallel()
	b, set := newBench(), &counted{}
	b.JWKS = set
	one := harness.NewHolder(t, b.clock)
	var published []harness.P
	for range 19 {
		published = append(published, harness.NewHolder(t, b.clock).JWK())
	}
	mine := one.JWK()
	b.site.publish(t, append(published, mine)...)
	if err := b.try(t, one); !errors.Is(err, client.ErrClient) || set.tried != 3 {
		t.Errorf("%v after %d signatures, want ErrClient after 3", err, set.tried)
	}
	b.clock.move(5 * time.Minute)
	mine["kid"] = "mine"
	b.site.publish(t, append(published, mine)...)
	set.tried = 0
	if err := b.try(t, one); err != nil || set.tried != 1 {
		t.Errorf("with a kid: %v after %d signatures, want 1", err, set.tried)
	}
}

// Who is not there costs no look-up more than who is.
func TestNobodyIsNotLookedUpAgain(t *testing.T) {
	t.Parallel()
	b := newBench()
	b.directory.err = errors.New("looked up again")
	text := string(keytext.New(keytext.AppSecret, system.Random{}))
	for name, known := range map[string]*outbound.Client{"absent": {}, "known": {App: b.directory.app}} {
		_, err := b.Authenticate(t.Context(), &client.Credentials{ID: "worker", Secret: secret.New(text)}, known)
		if !errors.Is(err, client.ErrClient) {
			t.Errorf("%s: %v, want ErrClient", name, err)
		}
	}
}

// A store that fails is no wrong client.
func TestStoreFailureIsNotAWrongClient(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	b := newBench()
	one := harness.NewHolder(t, b.clock)
	b.site.publish(t, one.JWK())
	b.replays.err = broken
	if err := b.try(t, one); !errors.Is(err, broken) {
		t.Errorf("without the replay store: %v", err)
	}
	b.replays.err, b.directory.err = nil, broken
	if err := b.try(t, one); !errors.Is(err, broken) {
		t.Errorf("without the store: %v", err)
	}
}

// The private half of the key that stands in for one is public: nobody gets in by
// it.
func TestAnAppWithoutKeysTakesNoAssertion(t *testing.T) {
	t.Parallel()
	b := newBench()
	b.directory.app.JWKSURI = ""
	raw, err := base64.RawURLEncoding.DecodeString("jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI") // RFC 7515 appendix A.3
	if err != nil {
		t.Fatal(err)
	}
	private, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), raw)
	if err != nil {
		t.Fatal(err)
	}
	claims := fmt.Sprintf(`{"iss":"worker","sub":"worker","aud":%q,"jti":"x","exp":%d}`, audience, b.clock.Now().Unix()+60)
	input := "eyJhbGciOiJFUzI1NiJ9." + base64.RawURLEncoding.EncodeToString([]byte(claims))
	digest := sha256.Sum256([]byte(input))
	r, s, err := ecdsa.Sign(nil, private, digest[:])
	if err != nil {
		t.Fatal(err)
	}
	signature := append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...)
	text := input + "." + base64.RawURLEncoding.EncodeToString(signature)
	if err := b.present(t, text); !errors.Is(err, client.ErrClient) {
		t.Errorf("Authenticate() = %v, want ErrClient", err)
	}
	if len(b.replays.used) != 0 {
		t.Error("its jti was taken")
	}
}

package token_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/adapters/jose"
	"gatehouse.internal/adapters/system"
	"gatehouse.internal/application/engine/instance"
	"gatehouse.internal/application/token"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/mac"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/setting"
	"gatehouse.internal/domain/signingkey"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/ops"
)

// stored is a store whose configuration the test changes.
type stored struct{ state ops.InstanceState }

func (s *stored) Load(context.Context) (ops.InstanceState, error) { return s.state, nil }

type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }

// bench is an issuer over a ring of two keys.
type bench struct {
	*token.Access

	store *stored
	clock *clock
	ring  *signingkey.Ring
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{clock: &clock{now: time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)}}
	b.ring = signingkey.NewRing(b.key(t, "a"), b.key(t, "b"), b.clock.now)
	b.store = &stored{ops.InstanceState{Revision: 1, Keys: b.ring}}
	current := &instance.Current{Store: b.store, JOSE: jose.JOSE{}, Defaults: setting.Defaults()}
	b.Access = &token.Access{
		Instance: current, JOSE: jose.JOSE{}, Clock: b.clock, IDs: system.IDs{},
		Issuer: "https://auth.example.com", Verified: &token.VerifiedTokens{},
	}
	b.changed(t)
	return b
}

func (b *bench) key(t *testing.T, kid string) signingkey.Key {
	t.Helper()
	private, err := jose.JOSE{}.Generate("ES256")
	if err != nil {
		t.Fatal(err)
	}
	return signingkey.Key{KID: kid, Algorithm: signingkey.ES256, Private: private, CreatedAt: b.clock.now}
}

// changed makes this replica see the store as it is now.
func (b *bench) changed(t *testing.T) {
	t.Helper()
	if _, err := b.Instance.At(t.Context(), b.store.state.Revision); err != nil {
		t.Fatal(err)
	}
}

func (b *bench) issue(t *testing.T) string {
	t.Helper()
	return b.issueUntil(t, b.clock.now.Add(time.Hour), 900)
}

// issueUntil issues for a session that ends then, a token for so many seconds.
func (b *bench) issueUntil(t *testing.T, end time.Time, seconds int) string {
	t.Helper()
	signed, expiresIn, err := b.Issue(
		t.Context(),
		session.Snapshot{
			ID: "ses_01jd7x9k2mf3q8v5t0abcdefgh", OrgID: "org_01jd7x9k2mf3q8v5t0abcdefgh",
			AuthTime: b.clock.now, ExpiresAt: end, AMR: []string{"pwd"},
		},
		user.Snapshot{ID: "usr_01jd7x9k2mf3q8v5t0abcdefgh", Email: email.Restore("ada@example.com")}, role.EffectiveRoles{Roles: []string{"owner"}},
	)
	if err != nil || expiresIn != seconds {
		t.Fatalf("Issue() = %d seconds, %v, want %d", expiresIn, err, seconds)
	}
	return string(signed)
}

func never(context.Context) error { return errors.New("the store was asked") }

func TestClaims(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	part := strings.Split(b.issue(t), ".")
	for i, want := range []map[string]any{
		{"typ": "at+jwt", "kid": "a", "alg": "ES256"},
		{
			"iss": "https://auth.example.com", "aud": "https://auth.example.com", "sub": "usr_01jd7x9k2mf3q8v5t0abcdefgh",
			"sid": "ses_01jd7x9k2mf3q8v5t0abcdefgh", "org_id": "org_01jd7x9k2mf3q8v5t0abcdefgh", "email": "ada@example.com",
			"iat": float64(b.clock.now.Unix()), "exp": float64(b.clock.now.Unix() + 900), "auth_time": float64(b.clock.now.Unix()),
		},
	} {
		raw, err := base64.RawURLEncoding.DecodeString(part[i])
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]any
		if err := json.Unmarshal(raw, &got); err != nil {
			t.Fatal(err)
		}
		for name, value := range want {
			if got[name] != value {
				t.Errorf("%s = %v, want %v", name, got[name], value)
			}
		}
	}
}

// Whoever verifies tokens without asking must not take one for longer than there is
// a session.
func TestTokenEndsWithItsSession(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	signed := b.issueUntil(t, b.clock.now.Add(time.Minute), 60)
	presented, err := b.Verify(t.Context(), signed, never)
	if want := b.clock.now.Add(time.Minute).Unix(); err != nil || presented.Expiry != want {
		t.Errorf("Verify() = a token until %d, %v, want %d", presented.Expiry, err, want)
	}
}

func TestExpiryIsExact(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	signed := b.issue(t)
	b.clock.now = b.clock.now.Add(15*time.Minute - time.Second)
	if _, err := b.Verify(t.Context(), signed, never); err != nil {
		t.Errorf("Verify() a second before = %v", err)
	}
	b.clock.now = b.clock.now.Add(time.Second)
	if _, err := b.Verify(t.Context(), signed, never); !errors.Is(err, token.ErrExpired) {
		t.Errorf("Verify() at the expiry = %v, want ErrExpired", err)
	}
	if _, err := b.Verify(t.Context(), signed[:len(signed)-8]+"AAAAAAAA", never); !errors.Is(err, token.ErrInvalid) {
		t.Errorf("Verify() of an expired token with a wrong signature = %v, want ErrInvalid", err)
	}
}

func TestRevokedKeyDropsTokensThatWereSeen(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	signed := b.issue(t)
	presented, err := b.Verify(t.Context(), signed, never)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.ring.Revoke("a", "", b.key(t, "c"), b.clock.now); err != nil {
		t.Fatal(err)
	}
	b.store.state.Revision++
	b.changed(t)
	if b.Holds(presented) {
		t.Error("Holds() of a token under a revoked key = true")
	}
	unknown := func(context.Context) error { return nil }
	if _, err := b.Verify(t.Context(), signed, unknown); !errors.Is(err, token.ErrInvalid) {
		t.Errorf("Verify() = %v, want ErrInvalid", err)
	}
}

// Another replica rotated and signed: this one must look before it refuses.
func TestUnknownKeyLooksOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ahead := newBench(t)
	ahead.ring.Rotate(b.key(t, "c"), time.Hour, b.clock.now)
	ahead.store.state.Revision = 2
	ahead.changed(t)
	signed := ahead.issue(t)
	looked := 0
	look := func(context.Context) error {
		looked++
		b.store.state = ahead.store.state
		b.changed(t)
		return nil
	}
	for range 2 {
		if _, err := b.Verify(t.Context(), signed, look); err != nil {
			t.Fatalf("Verify() = %v", err)
		}
	}
	// Both rings have a key "b" in waiting, so the other's token names a kid
	// that this replica knows, but does not accept yet.
	if looked != 1 {
		t.Errorf("looked %d times, want once", looked)
	}
}

func TestRefreshTokens(t *testing.T) {
	t.Parallel()
	r := token.Refresh{Key: mac.New([]byte("0123456789abcdef0123456789abcdef")), Random: system.Random{}}
	const of = session.ID("ses_01jd7x9k2mf3q8v5t0abcdefgh")
	shown, digest := r.Make(of)
	made := secret.New(string(shown))
	gotOf, gotDigest, err := r.Read(made)
	if err != nil || gotOf != of || gotDigest != digest {
		t.Fatalf("Read() = %s, %s, %v, want %s, %s", gotOf, gotDigest, err, of, digest)
	}
	one, oneDigest := r.Successor(of, digest)
	two, twoDigest := r.Successor(of, digest)
	if one != two || oneDigest != twoDigest || one == shown {
		t.Error("successors of one token differ, or are the token itself")
	}
	if again, _ := r.Make(of); again == shown {
		t.Error("two fresh tokens are equal")
	}
	other := token.Refresh{Key: mac.New([]byte("another key of thirty-two bytes!")), Random: system.Random{}}
	if foreign, _ := other.Successor(of, digest); foreign == one {
		t.Error("a successor does not depend on the server's key")
	}
	text := made.Reveal()
	for name, forged := range map[string]string{
		"empty": "", "prefix alone": "rt_", "no prefix": text[3:], "truncated": text[:len(text)-1], "extended": text + "A",
		"padded": text + "=", "with a line end": text + "\n", "with a line end within": text[:9] + "\r\n" + text[9:], "altered": text[:50] + flip(text[50]) + text[51:], "another session": "rt_" + flip(text[3]) + text[4:],
		"another server's": string(must(other.Make(of))), "an access token": "eyJhbGciOiJFUzI1NiJ9.e30.AAAA", "huge": "rt_" + strings.Repeat("A", 1<<20),
	} {
		if _, _, err := r.Read(secret.New(forged)); !errors.Is(err, session.ErrRefresh) {
			t.Errorf("%s: Read() = %v, want ErrRefresh", name, err)
		}
	}
}

func must(shown secret.Shown, _ session.Digest) secret.Shown { return shown }

func flip(c byte) string {
	if c == 'A' {
		return "B"
	}
	return "A"
}

// The token of an impersonated session names the actor, contains no proof of presence, and lasts
// as long as the session, which is never renewed.
func TestImpersonatedClaims(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const actor = "usr_01jd7x9k2mf3q8v5t0abcdefgj"
	person := user.Snapshot{ID: "usr_01jd7x9k2mf3q8v5t0abcdefgh", Email: email.Restore("ada@example.com")}
	impersonated := session.Impersonate(session.Start{ID: "ses_01jd7x9k2mf3q8v5t0abcdefgh", UserID: person.ID}, actor, b.clock.now.Add(time.Hour), b.clock.now)
	signed, expiresIn, err := b.Issue(t.Context(), impersonated.Snapshot(), person, role.EffectiveRoles{Roles: []string{"owner"}})
	if err != nil || expiresIn != 3600 {
		t.Fatalf("Issue() = %d seconds, %v", expiresIn, err)
	}
	raw, err := base64.RawURLEncoding.DecodeString(strings.Split(string(signed), ".")[1])
	if err != nil {
		t.Fatal(err)
	}
	var claims map[string]any
	if err := json.Unmarshal(raw, &claims); err != nil {
		t.Fatal(err)
	}
	if act, _ := claims["act"].(map[string]any); act["sub"] != actor || claims["auth_time"] != nil || claims["acr"] != nil {
		t.Errorf("claims %v", claims)
	}
	read, err := b.Verify(t.Context(), string(signed), never)
	if err != nil || !read.Impersonated() || read.Delegated() || read.Machine() {
		t.Errorf("read as %+v, %v", read, err)
	}
	if own, err := b.Verify(t.Context(), b.issue(t), never); err != nil || own.Impersonated() {
		t.Errorf("a login's token is read as %+v, %v", own, err)
	}
}

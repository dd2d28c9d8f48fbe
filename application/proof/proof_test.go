package proof_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"gatehouse.internal/adapters/jose"
	"gatehouse.internal/application/proof"
	"gatehouse.internal/domain/dpop"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/ports/outbound/crypt"
	"gatehouse.internal/test/harness"
)

const host = "https://auth.example.com"

// used remembers keys, as a store does; it may be out of order.
type used struct {
	mu      sync.Mutex
	expires map[string]time.Time
	down    error
}

func (u *used) Use(_ context.Context, key string, expires time.Time) (bool, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.down != nil {
		return false, u.down
	}
	_, taken := u.expires[key]
	if !taken {
		u.expires[key] = expires
	}
	return !taken, nil
}

// fixed are keys that find every proof right, with these claims.
type fixed string

func (fixed) Key([]byte) (crypt.ProofKey, error) { return crypt.ProofKey{}, nil }

func (f fixed) Proof(string) (crypt.SignedProof, error) {
	return crypt.SignedProof{Claims: []byte(f)}, nil
}

// noon is a clock that stands still.
type noon time.Time

func (n noon) Now() time.Time { return time.Time(n) }

type lab struct {
	*proof.Checker

	clock  noon
	store  *used
	holder *harness.Holder
}

func newLab(t *testing.T) *lab {
	t.Helper()
	l := &lab{clock: noon(time.Date(2026, 11, 21, 12, 0, 0, 123456000, time.UTC)), store: &used{expires: map[string]time.Time{}}}
	l.holder = harness.NewHolder(t, l.clock)
	l.Checker = &proof.Checker{Keys: jose.JOSE{}, Proofs: l.store, Clock: l.clock, Host: host}
	return l
}

// request is one that comes with a right proof, but for the changes.
func (l *lab) request(token string, changes ...harness.P) proof.Proof {
	url := l.URL("/api/v1/execute")
	return proof.Proof{Text: l.holder.Proof("POST", url, token, changes...), Method: "POST", URL: url, AccessToken: token}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for name, p := range map[string]proof.Proof{
		"without a token":           l.request(""),
		"with a token":              l.request("token"),
		"with a hash and no token":  l.request("", harness.P{"ath": "whatever"}),
		"with more claims":          l.request("token", harness.P{"nonce": "n", "exp": 1, "nested": harness.P{"a": []int{1}}}),
		"with a fraction of time":   l.request("token", harness.P{"iat": float64(l.clock.Now().Unix()) + 0.25}),
		"with a time of large size": l.request("token", harness.P{"iat": float64(l.clock.Now().Unix())}),
	} {
		p.WantJKT = l.holder.Thumbprint()
		thumbprint, err := l.Check(t.Context(), p)
		if err != nil || thumbprint != l.holder.Thumbprint() {
			t.Errorf("%s: Check() = %q, %v", name, thumbprint, err)
		}
	}
}

// TestCheckRefuses goes through RFC 9449 section 4.3: nothing that is refused uses
// up its jti.
func TestCheckRefuses(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	now := l.clock.Now().Unix()
	with := func(change harness.P) proof.Proof { return l.request("token", change) }
	other := func(change func(*proof.Proof)) proof.Proof {
		p := l.request("token")
		change(&p)
		return p
	}
	for name, test := range map[string]struct {
		proof proof.Proof
		want  error
	}{
		"no JWS":             {other(func(p *proof.Proof) { p.Text = "x" }), dpop.ErrMalformed},
		"nothing":            {other(func(p *proof.Proof) { p.Text = "" }), dpop.ErrMalformed},
		"two proofs":         {other(func(p *proof.Proof) { p.Text += ", " + p.Text }), dpop.ErrMalformed},
		"another signature":  {other(func(p *proof.Proof) { p.Text = p.Text[:len(p.Text)-8] + "AAAAAAAA"[:8] }), dpop.ErrSignature},
		"no jti":             {with(harness.P{"jti": nil}), dpop.ErrClaims},
		"no htm":             {with(harness.P{"htm": nil}), dpop.ErrClaims},
		"no htu":             {with(harness.P{"htu": nil}), dpop.ErrClaims},
		"no iat":             {with(harness.P{"iat": nil}), dpop.ErrClaims},
		"no ath":             {with(harness.P{"ath": nil}), dpop.ErrHash},
		"jti is a number":    {with(harness.P{"jti": 7}), dpop.ErrClaims},
		"jti is empty":       {with(harness.P{"jti": ""}), dpop.ErrID},
		"iat is a text":      {with(harness.P{"iat": "1"}), dpop.ErrClaims},
		"iat is huge":        {with(harness.P{"iat": 1e300}), dpop.ErrClaims},
		"iat is hugely past": {with(harness.P{"iat": -1e300}), dpop.ErrClaims},
		"iat in ms":          {with(harness.P{"iat": now * 1000}), dpop.ErrClaims},
		"too old":            {with(harness.P{"iat": now - 61}), dpop.ErrTime},
		"too far ahead":      {with(harness.P{"iat": now + 61}), dpop.ErrTime},
		"another method":     {with(harness.P{"htm": "GET"}), dpop.ErrMethod},
		"another URL":        {with(harness.P{"htu": host + "/api/m2m/token"}), dpop.ErrURL},
		"another host":       {with(harness.P{"htu": "https://evil.example/api/v1/execute"}), dpop.ErrURL},
		"another token":      {other(func(p *proof.Proof) { p.AccessToken = "stolen" }), dpop.ErrHash},
		"a token's other key": {
			other(func(p *proof.Proof) { p.WantJKT = harness.NewHolder(t, l.clock).Thumbprint() }), dpop.ErrNotHolder,
		},
	} {
		if thumbprint, err := l.Check(t.Context(), test.proof); !errors.Is(err, test.want) || thumbprint != "" {
			t.Errorf("%s: Check() = %q, %v, want %v", name, thumbprint, err, test.want)
		}
	}
	unbound := l.request("")
	unbound.WantJKT = "another"
	if _, err := l.Check(t.Context(), unbound); !errors.Is(err, dpop.ErrOtherKey) {
		t.Errorf("a proof of another key than asked for: %v", err)
	}
	if len(l.store.expires) != 0 {
		t.Errorf("refusals used up %d proofs", len(l.store.expires))
	}
}

func TestCheckRefusesClaimsThatTwoReadersReadTwoWays(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for _, claims := range []string{`[]`, `"x"`, `1`, `null`, `{"jti":"1","jti":"2"}`, `{"a":1,"a":2}`, `{}{}`, ``} {
		l.Keys = fixed(claims)
		if _, err := l.Check(t.Context(), l.request("")); !errors.Is(err, dpop.ErrClaims) {
			t.Errorf("%s: %v, want ErrClaims", claims, err)
		}
	}
}

func TestCheckOnce(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	first := l.request("", harness.P{"jti": "same"})
	if _, err := l.Check(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	for name, p := range map[string]proof.Proof{
		"the same proof":               first,
		"another of the same jti":      l.request("", harness.P{"jti": "same", "more": 1}),
		"one of that jti with a token": l.request("token", harness.P{"jti": "same"}),
	} {
		if _, err := l.Check(t.Context(), p); !errors.Is(err, dpop.ErrReplayed) {
			t.Errorf("%s: %v, want ErrReplayed", name, err)
		}
	}
	l.holder = harness.NewHolder(t, l.clock)
	if _, err := l.Check(t.Context(), l.request("", harness.P{"jti": "same"})); err != nil {
		t.Errorf("the jti of another key: %v", err)
	}
	for _, expires := range l.store.expires {
		if want := l.clock.Now().Truncate(time.Second).Add(120 * time.Second); !expires.Equal(want) {
			t.Errorf("remembered until %v, want %v", expires, want)
		}
	}
}

func TestCheckNeedsTheStore(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.store.down = errors.New("down")
	_, err := l.Check(t.Context(), l.request(""))
	if fault.From(err).Code != fault.Internal {
		t.Errorf("Check() = %v without a store, want an internal error", err)
	}
}

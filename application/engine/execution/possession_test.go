package execution_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/adapters/system"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/dpop"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// holder is a client with a key of its own (RFC 9449).
type holder struct {
	t   *testing.T
	key *ecdsa.PrivateKey
}

func newHolder(t *testing.T) holder {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return holder{t, key}
}

func b64(raw []byte) string { return base64.RawURLEncoding.EncodeToString(raw) }

// jwk is the public key, with its members in the order of RFC 7638.
func (h holder) jwk() string {
	point, err := h.key.PublicKey.Bytes()
	if err != nil {
		h.t.Fatal(err)
	}
	return `{"crv":"P-256","kty":"EC","x":"` + b64(point[1:33]) + `","y":"` + b64(point[33:]) + `"}`
}

func (h holder) thumbprint() string {
	sum := sha256.Sum256([]byte(h.jwk()))
	return b64(sum[:])
}

// proof proves possession for one request with a token.
func (h holder) proof(l *lab, token string, changes map[string]any) string {
	h.t.Helper()
	hash := sha256.Sum256([]byte(token))
	claims := map[string]any{
		"jti": system.NewIDs(l.Clock).UUID(), "htm": "POST", "htu": harness.Issuer + "/api/v1/execute",
		"iat": l.Clock.Now().Unix(), "ath": b64(hash[:]),
	}
	maps.Copy(claims, changes)
	payload, err := json.Marshal(claims)
	if err != nil {
		h.t.Fatal(err)
	}
	input := b64([]byte(`{"typ":"dpop+jwt","alg":"ES256","jwk":`+h.jwk()+`}`)) + "." + b64(payload)
	digest := sha256.Sum256([]byte(input))
	r, s, err := ecdsa.Sign(rand.Reader, h.key, digest[:])
	if err != nil {
		h.t.Fatal(err)
	}
	signature := make([]byte, 64)
	r.FillBytes(signature[:32])
	s.FillBytes(signature[32:])
	return input + "." + b64(signature)
}

func TestBoundTokens(t *testing.T) {
	t.Parallel()
	l := newLab(t, reads("LAB.ANY", access.Anybody()))
	of := l.app(l.SignUp("alice@example.com"))
	owner, thief := newHolder(t), newHolder(t)
	token := l.issue(of, "openid", owner.thumbprint(), nil)
	use := func(proof string) *answer {
		t.Helper()
		return l.do(ask{command: "LAB.ANY", authorization: "DPoP " + token.text, proof: proof})
	}
	used := owner.proof(l, token.text, nil)
	use(used).ok()
	use(owner.proof(l, token.text, nil)).ok()
	for name, c := range map[string]struct {
		proof string
		want  *fault.Error
	}{
		"no proof":          {"", dpop.ErrMalformed},
		"a proof again":     {used, dpop.ErrReplayed},
		"another's":         {thief.proof(l, token.text, nil), dpop.ErrNotHolder},
		"another token's":   {owner.proof(l, "another", nil), dpop.ErrHash},
		"of no token":       {owner.proof(l, token.text, map[string]any{"ath": ""}), dpop.ErrHash},
		"another method's":  {owner.proof(l, token.text, map[string]any{"htm": "GET"}), dpop.ErrMethod},
		"another path's":    {owner.proof(l, token.text, map[string]any{"htu": harness.Issuer + "/api/m2m/token"}), dpop.ErrURL},
		"another service's": {owner.proof(l, token.text, map[string]any{"htu": "https://elsewhere.example.com/api/v1/execute"}), dpop.ErrURL},
		"an old one":        {owner.proof(l, token.text, map[string]any{"iat": l.Clock.Now().Add(-2 * time.Minute).Unix()}), dpop.ErrTime},
		"altered":           {used[:len(used)-8] + strings.Repeat("A", 8), dpop.ErrSignature},
	} {
		if got := use(c.proof).fails(fault.Auth).Failure.Message; got != c.want.Message {
			t.Errorf("%s: %q, want %q", name, got, c.want.Message)
		}
	}
	if logged := l.logs.lines(t); len(logged) > 0 {
		t.Errorf("logged %v", logged)
	}
}

// A bound token is none without its scheme, and the scheme is none without a bound
// token.
func TestSchemes(t *testing.T) {
	t.Parallel()
	const (
		bound   = "the token is bound to a DPoP key: send Authorization: DPoP <token> with a proof in the DPoP header"
		unbound = "the token is not bound to a DPoP key: send Authorization: Bearer <token>"
	)
	l := newLab(t, reads("LAB.ANY", access.Anybody()))
	alice := l.SignUp("alice@example.com")
	of, owner := l.app(alice), newHolder(t)
	held, free, key := l.issue(of, "openid", owner.thumbprint(), nil), l.issue(of, "openid", "", nil), l.apiKey(alice, nil)
	for name, c := range map[string]struct {
		authorization, proof string
		want                 fault.Code
		message              string
	}{
		"bound, as a bearer":                    {held.bearer(), "", fault.TokenInvalid, bound},
		"bound, as a bearer with a right proof": {held.bearer(), owner.proof(l, held.text, nil), fault.TokenInvalid, bound},
		"bound, in another case":                {"dpop " + held.text, owner.proof(l, held.text, nil), "", ""},
		"unbound, with a proof":                 {"DPoP " + free.text, owner.proof(l, free.text, nil), fault.TokenInvalid, unbound},
		"a bearer with a proof":                 {free.bearer(), owner.proof(l, free.text, nil), "", ""},
		"a bearer with nonsense for a proof":    {free.bearer(), "nonsense", "", ""},
		"a session's token":                     {"DPoP " + alice.AccessToken, owner.proof(l, alice.AccessToken, nil), fault.TokenInvalid, unbound},
		"an API key":                            {"DPoP " + key.text, owner.proof(l, key.text, nil), fault.Auth, wrongKey},
	} {
		said := l.do(ask{command: "LAB.ANY", authorization: c.authorization, proof: c.proof})
		if c.want == "" {
			said.ok()
		} else if got := said.fails(c.want).Failure.Message; got != c.message {
			t.Errorf("%s: %q, want %q", name, got, c.message)
		}
	}
}

// The token and the store must name the same key.
func TestTokenAndStoreMustNameTheSameKey(t *testing.T) {
	t.Parallel()
	l := newLab(t, reads("LAB.ANY", access.Anybody()))
	of, owner, thief := l.app(l.SignUp("alice@example.com")), newHolder(t), newHolder(t)
	for name, c := range map[string]struct {
		stored string
		signed map[string]any
		by     holder
	}{
		"another key":         {owner.thumbprint(), map[string]any{"cnf": map[string]any{"jkt": thief.thumbprint()}}, thief},
		"no key in the token": {owner.thumbprint(), map[string]any{"cnf": map[string]any{}}, owner},
		"no key in the store": {"", map[string]any{"cnf": map[string]any{"jkt": owner.thumbprint()}}, owner},
	} {
		token := l.issue(of, "openid", c.stored, c.signed)
		got := l.do(ask{command: "LAB.ANY", authorization: "DPoP " + token.text, proof: c.by.proof(l, token.text, nil)}).fails(fault.Auth).Failure.Message
		if got != ended {
			t.Errorf("%s: %q", name, got)
		}
		l.do(ask{command: "LAB.ANY", authorization: token.bearer()}).fails(fault.TokenInvalid)
	}
}

// Limits come before a proof: what it costs to check is bounded, and it is not used
// up by a call that is refused for them.
func TestLimitsComeBeforeProofs(t *testing.T) {
	t.Parallel()
	limited := reads("LAB.ANY", access.Anybody())
	limited.Limits = perMinute("token", 2)
	l := newLab(t, limited)
	of, owner := l.app(l.SignUp("alice@example.com")), newHolder(t)
	token := l.issue(of, "openid", owner.thumbprint(), nil)
	use := func(proof string) *answer {
		t.Helper()
		return l.do(ask{command: "LAB.ANY", authorization: "DPoP " + token.text, proof: proof})
	}
	use("nonsense").fails(fault.Auth)
	use(owner.proof(l, token.text, nil)).ok()
	spared := owner.proof(l, token.text, map[string]any{"iat": l.Clock.Now().Add(time.Minute).Unix()})
	use(spared).fails(fault.RateLimited)
	use("nonsense").fails(fault.RateLimited)
	l.Clock.Advance(time.Minute)
	use(spared).ok()
	// So they do where the call must fail for its parameters.
	l.Clock.Advance(time.Minute)
	for _, want := range []fault.Code{fault.Validation, fault.Validation, fault.RateLimited} {
		l.do(ask{command: "LAB.ANY", params: `{"more":1}`, authorization: "DPoP " + token.text, proof: owner.proof(l, token.text, nil)}).fails(want)
	}
}

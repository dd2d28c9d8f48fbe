package machines_test

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

const orders = "https://api.example.com/orders"

func dpopAbout(proof string) harness.P {
	return harness.P{"proof": proof, "method": "POST", "url": orders}
}

func TestVerify(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice, holder := h.SignUp("alice@example.com"), h.Holder()
	r := alice.Do("DPOP.VERIFY", dpopAbout(holder.Proof("POST", orders+"?page=2", "")))
	if !r.Bool("valid") || r.String("thumbprint") != holder.Thumbprint() || r.Has("error") {
		t.Errorf("a right proof: %v", r.Data)
	}
	bound := dpopAbout(holder.Proof("POST", orders, "token"))
	bound["access_token"] = "token"
	if !alice.Do("DPOP.VERIFY", bound).Bool("valid") {
		t.Error("a right proof with a token is not valid")
	}
}

func TestVerifyTellsWhatIsWrong(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice, holder := h.SignUp("alice@example.com"), h.Holder()
	proof := func(changes ...harness.P) string { return holder.Proof("POST", orders, "", changes...) }
	now := h.Clock.Now().Unix()
	for name, params := range map[string]harness.P{
		"compact JWS": dpopAbout("nothing"),
		"typ":         dpopAbout(holder.Sign(harness.P{"typ": "JWT", "alg": "ES256", "jwk": holder.JWK()}, harness.P{})),
		"signature":   dpopAbout(holder.Sign(harness.P{"typ": "dpop+jwt", "alg": "ES256", "jwk": h.Holder().JWK()}, harness.P{})),
		"alg":         dpopAbout(holder.Sign(harness.P{"typ": "dpop+jwt", "alg": "none", "jwk": holder.JWK()}, harness.P{})),
		"claims":      dpopAbout(proof(harness.P{"jti": nil})),
		"htm":         dpopAbout(proof(harness.P{"htm": "GET"})),
		"htu":         dpopAbout(proof(harness.P{"htu": "https://api.example.com/order"})),
		"iat":         dpopAbout(proof(harness.P{"iat": now - 62})),
		"ath":         {"proof": proof(), "method": "POST", "url": orders, "access_token": "token"},
	} {
		r := alice.Do("DPOP.VERIFY", params)
		said := r.String("error")
		if r.Bool("valid") || r.String("thumbprint") != "" || !strings.HasPrefix(said, "invalid_dpop_proof: ") || !strings.Contains(said, name) {
			t.Errorf("%s: %v", name, r.Data)
		}
	}
}

func TestVerifyRefusesParameters(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice, holder := h.SignUp("alice@example.com"), h.Holder()
	for path, change := range map[string]harness.P{
		"/url":          {"url": "/orders"},
		"/method":       {"method": "PO ST"},
		"/proof":        {"proof": strings.Repeat("x", 8193)},
		"/access_token": {"access_token": ""},
	} {
		params := dpopAbout(holder.Proof("POST", orders, ""))
		for name, value := range change {
			params[name] = value
		}
		alice.Do("DPOP.VERIFY", params).Fails(fault.Validation).Field(path)
	}
}

func TestVerifyOnce(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice, bob, holder := h.SignUp("alice@example.com"), h.SignUp("bob@example.com"), h.Holder()
	params := dpopAbout(holder.Proof("POST", orders, ""))
	if !alice.Do("DPOP.VERIFY", params).Bool("valid") {
		t.Fatal("the first time is not valid")
	}
	for _, who := range []*harness.Actor{alice, bob} {
		r := who.Do("DPOP.VERIFY", params)
		if r.Bool("valid") || !strings.Contains(r.String("error"), "jti was already used") {
			t.Errorf("the second time: %v", r.Data)
		}
	}
	h.Clock.Advance(61 * time.Second)
	if r := alice.Do("DPOP.VERIFY", params); !strings.Contains(r.String("error"), "iat") {
		t.Errorf("after a minute: %v", r.Data)
	}
}

func TestVerifyOnceInParallel(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	params := dpopAbout(h.Holder().Proof("POST", orders, ""))
	var valid atomic.Int64
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			if alice.Do("DPOP.VERIFY", params).Bool("valid") {
				valid.Add(1)
			}
		})
	}
	all.Wait()
	if valid.Load() != 1 {
		t.Errorf("one proof was valid %d times", valid.Load())
	}
}

// TestVerifyAWrongProofKeepsItsID: whoever is refused may try again with the jti.
func TestVerifyAWrongProofKeepsItsID(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice, holder := h.SignUp("alice@example.com"), h.Holder()
	same := harness.P{"jti": "same"}
	if alice.Do("DPOP.VERIFY", dpopAbout(holder.Proof("GET", orders, "", same))).Bool("valid") {
		t.Fatal("a proof for GET is valid for POST")
	}
	if r := alice.Do("DPOP.VERIFY", dpopAbout(holder.Proof("POST", orders, "", same))); !r.Bool("valid") {
		t.Errorf("the right proof after a wrong one: %v", r.Data)
	}
}

func TestVerifyRehearsedUsesNothing(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	params := dpopAbout(h.Holder().Proof("POST", orders, ""))
	for range 2 {
		if !alice.DryRun().Do("DPOP.VERIFY", params).Bool("valid") {
			t.Error("a dry run used the proof up")
		}
	}
	if !alice.Do("DPOP.VERIFY", params).Bool("valid") {
		t.Error("a dry run used the proof up")
	}
	if alice.DryRun().Do("DPOP.VERIFY", params).Bool("valid") {
		t.Error("a dry run does not see that the proof was used")
	}
}

func TestVerifyWithAnIdempotencyKey(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	params := dpopAbout(h.Holder().Proof("POST", orders, ""))
	for range 2 {
		if !alice.Idempotent("key").Do("DPOP.VERIFY", params).Bool("valid") {
			t.Error("the stored answer is another one")
		}
	}
	if alice.Do("DPOP.VERIFY", params).Bool("valid") {
		t.Error("a proof that was used under an Idempotency-Key is valid again")
	}
}

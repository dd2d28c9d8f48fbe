package machines_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/ports/inbound"
	"gatehouse.internal/test/harness"
)

// exchanged asks for a token with a proof; it returns the token, or the failure.
func exchanged(t *testing.T, m *m2mMachine, proof string, params P) (P, *fault.Error) {
	t.Helper()
	reply := direct(t, m.h, "M2M.TOKEN", with(P{"client_id": m.slug, "client_secret": m.secret}, params), proof, "")
	return decoded(t, reply), reply.Failure
}

func decoded(t *testing.T, reply inbound.Reply) P {
	t.Helper()
	if reply.Failure != nil {
		return nil
	}
	var data P
	if err := json.Unmarshal(reply.Data, &data); err != nil {
		t.Fatal(err)
	}
	return data
}

func TestTokenIsBoundToTheKeyOfAProof(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	m := m2mRegister(h, h.SignUp("ada@example.com"), "worker", P{"scopes": []string{"apps:read"}})
	holder := h.Holder()
	got, failure := exchanged(t, m, holder.Proof("POST", endpoint, ""), nil)
	if failure != nil || got["token_type"] != "DPoP" {
		t.Fatalf("answer %v, %v", got, failure)
	}
	text := got["access_token"].(string)
	if cnf := part(t, text, 1)["cnf"].(P); cnf["jkt"] != holder.Thumbprint() || len(cnf) != 1 {
		t.Errorf("cnf = %v, want the thumbprint", cnf)
	}
	shown := introspect(h, text)
	if shown.String("cnf.jkt") != holder.Thumbprint() || shown.String("token_type") != "DPoP" {
		t.Errorf("introspection %v", shown.Data)
	}
	if items := m.owner.Do("M2M.LIST", nil).List("items"); items[0]["dpop"] != true {
		t.Errorf("listed %v", items)
	}
	h.With(text).Do("APP.LIST", nil).Fails(fault.TokenInvalid)
	use := func(by *harness.Holder) *fault.Error {
		return direct(t, h, "APP.LIST", P{}, by.Proof("POST", endpoint, text), "DPoP "+text).Failure
	}
	if failure := use(holder); failure != nil {
		t.Errorf("with a proof: %v", failure)
	}
	if failure := use(h.Holder()); failure == nil || failure.Code != fault.Auth {
		t.Errorf("with a proof by another key: %v", failure)
	}
}

func TestTokenRefusesProofs(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	m := m2mRegister(h, h.SignUp("ada@example.com"), "worker", nil)
	holder := h.Holder()
	good := holder.Proof("POST", endpoint, "")
	if _, failure := exchanged(t, m, good, nil); failure != nil {
		t.Fatal(failure)
	}
	for name, proof := range map[string]string{
		"used before":    good,
		"another method": holder.Proof("GET", endpoint, ""),
		"another url":    holder.Proof("POST", harness.Issuer+"/api/v1/execute", ""),
		"too old":        holder.Proof("POST", endpoint, "", P{"iat": h.Clock.Now().Add(-2 * time.Minute).Unix()}),
		"no proof":       "a.b.c",
	} {
		_, failure := exchanged(t, m, proof, nil)
		if failure == nil || failure.Code != fault.Auth || !strings.HasPrefix(failure.Message, "invalid_dpop_proof: ") {
			t.Errorf("%s: %v", name, failure)
		}
	}
	if issued(h) != 1 {
		t.Errorf("%d tokens were issued, want 1", issued(h))
	}
	// A client that is refused has not used its proof.
	kept := holder.Proof("POST", endpoint, "")
	if _, failure := exchanged(t, m, kept, P{"client_id": "nobody"}); failure == nil {
		t.Error("nobody got a token")
	}
	if _, failure := exchanged(t, m, kept, nil); failure != nil {
		t.Errorf("the proof after that: %v", failure)
	}
}

func TestTokenIsBoundToARegisteredKey(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	owner := h.SignUp("ada@example.com")
	m, other := m2mRegister(h, owner, "worker", nil), m2mRegister(h, owner, "other", nil)
	holder, stranger := h.Holder(), h.Holder()
	binding := m.actor(nil).Do("DPOP.REGISTER", P{"public_jwk": holder.JWK(), "ttl_hours": 1}).String("binding.id")
	bound := m.token(P{"dpop_binding": binding})
	if got := part(t, bound.String("access_token"), 1)["cnf"].(P)["jkt"]; got != holder.Thumbprint() || bound.String("token_type") != "DPoP" {
		t.Errorf("bound to %v: %v", got, bound.Data)
	}
	if got, failure := exchanged(t, m, holder.Proof("POST", endpoint, ""), P{"dpop_binding": binding}); failure != nil || got["token_type"] != "DPoP" {
		t.Errorf("with a proof too: %v, %v", got, failure)
	}
	if _, failure := exchanged(t, m, stranger.Proof("POST", endpoint, ""), P{"dpop_binding": binding}); failure == nil || !strings.HasPrefix(failure.Message, "invalid_dpop_proof: ") {
		t.Errorf("with a proof by another key: %v", failure)
	}
	users := owner.Do("DPOP.REGISTER", P{"public_jwk": holder.JWK()}).String("binding.id")
	m.ask(P{"dpop_binding": users}).Fails(fault.Validation).Field("/dpop_binding")
	other.ask(P{"dpop_binding": binding}).Fails(fault.Validation).Field("/dpop_binding")
	m.ask(P{"dpop_binding": "dpk_01jd7x9k2mf3q8v5t0abcdefgh"}).Fails(fault.Validation).Field("/dpop_binding")
	h.Clock.Advance(30 * time.Minute)
	m.token(P{"dpop_binding": binding})
	h.Clock.Advance(30 * time.Minute)
	m.ask(P{"dpop_binding": binding}).Fails(fault.Validation).Field("/dpop_binding")
	second := m.actor(nil).Do("DPOP.REGISTER", P{"public_jwk": stranger.JWK()}).String("binding.id")
	m.token(P{"dpop_binding": second})
	m.actor(nil).Do("DPOP.REVOKE", P{"binding_id": second}).OK()
	m.ask(P{"dpop_binding": second}).Fails(fault.Validation).Field("/dpop_binding")
}

package machines_test

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse.internal/domain/dpop"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// dpopRegister registers a new key of an actor and returns its binding.
func dpopRegister(h *harness.Service, who *harness.Actor) string {
	return who.Do("DPOP.REGISTER", harness.P{"public_jwk": h.Holder().JWK()}).String("binding.id")
}

func TestDPoPRegister(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice, holder := h.SignUp("alice@example.com"), h.Holder()
	given := holder.JWK()
	given["kid"], given["use"] = "mine", "sig"
	r := alice.Do("DPOP.REGISTER", harness.P{"public_jwk": given, "name": "laptop"}).OK()
	for name, want := range map[string]string{
		"thumbprint": holder.Thumbprint(), "name": "laptop", "status": "active",
		"created_at": h.Clock.Now().Format(time.RFC3339Nano), "expires_at": h.Clock.Now().Add(720 * time.Hour).Format(time.RFC3339Nano),
	} {
		if got := r.String("binding." + name); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
	if got := fmt.Sprint(r.Data["binding"].(harness.P)["public_jwk"]); got != fmt.Sprint(holder.JWK()) {
		t.Errorf("public_jwk = %s, want the required members alone", got)
	}
	if r.Has("binding.revoked_at") {
		t.Error("a new binding tells when it was revoked")
	}
	events := h.Events(dpop.KindRegistered)
	if len(events) != 1 || events[0].UserID != alice.UserID || events[0].OrgID != alice.OrgID {
		t.Fatalf("events %+v, want one of %s", events, alice.UserID)
	}
	reported := string(events[0].Data)
	if !strings.Contains(reported, r.String("binding.id")) || strings.Contains(reported, "laptop") {
		t.Errorf("the event tells %s", reported)
	}
}

func TestRegisterLife(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	for hours, passes := range map[int]bool{-1: false, 0: false, 1: true, 8760: true, 8761: false} {
		r := alice.Do("DPOP.REGISTER", harness.P{"public_jwk": h.Holder().JWK(), "ttl_hours": hours})
		if !passes {
			r.Fails(fault.Validation).Field("/ttl_hours")
			continue
		}
		if want := h.Clock.Now().Add(time.Duration(hours) * time.Hour).Format(time.RFC3339Nano); r.String("binding.expires_at") != want {
			t.Errorf("%d hours end at %s, want %s", hours, r.String("binding.expires_at"), want)
		}
	}
}

func TestRegisterRefusesKeys(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	private := h.Holder().JWK()
	private["d"] = private["x"]
	for name, key := range map[string]any{
		"private": private, "symmetric": harness.P{"kty": "oct", "k": "AAAA"}, "empty": harness.P{}, "text": "x", "list": []int{},
		"null": nil, "foreign curve": harness.P{"kty": "EC", "crv": "P-521", "x": "AA", "y": "AA"},
	} {
		for _, command := range []string{"DPOP.REGISTER", "DPOP.THUMBPRINT"} {
			refused := alice.Do(command, harness.P{"public_jwk": key}).Fails(fault.Validation).Field("/public_jwk")
			if d, _ := private["d"].(string); strings.Contains(refused.Failure.Message, d) {
				t.Errorf("%s of a %s key quotes it: %s", command, name, refused.Failure.Message)
			}
		}
	}
	for _, name := range []string{"", "a\nb", strings.Repeat("x", 101)} {
		alice.Do("DPOP.REGISTER", harness.P{"public_jwk": h.Holder().JWK(), "name": name}).Fails(fault.Validation).Field("/name")
	}
	if events := h.Events(dpop.KindRegistered); len(events) != 0 {
		t.Errorf("refusals left the events %+v", events)
	}
}

func TestRegisterAKeyOnce(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice, bob := h.SignUp("alice@example.com"), h.SignUp("bob@example.com")
	key := harness.P{"public_jwk": h.Holder().JWK(), "ttl_hours": 1}
	first := alice.Do("DPOP.REGISTER", key).String("binding.id")
	again := alice.Do("DPOP.REGISTER", key).Fails(fault.Validation).Field("/public_jwk")
	if !strings.Contains(again.Failure.Message, "already registered") {
		t.Errorf("the second time is told as %q", again.Failure.Message)
	}
	bob.Do("DPOP.REGISTER", key).OK()
	alice.Do("DPOP.REVOKE", harness.P{"binding_id": first}).OK()
	alice.Do("DPOP.REGISTER", key).OK()
	h.Clock.Advance(time.Hour)
	h.Login("alice@example.com", harness.Password).Do("DPOP.REGISTER", key).OK()
}

func TestRegisterAtMostFifty(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	last := ""
	for range 50 {
		last = dpopRegister(h, alice)
	}
	alice.Do("DPOP.REGISTER", harness.P{"public_jwk": h.Holder().JWK()}).Fails(fault.Validation)
	dpopRegister(h, h.SignUp("bob@example.com"))
	alice.Do("DPOP.REVOKE", harness.P{"binding_id": last}).OK()
	dpopRegister(h, alice)
}

// TestRegisterInParallel: neither one key twice nor one more than fifty.
func TestRegisterInParallel(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	for range 47 {
		dpopRegister(h, alice)
	}
	same, won := h.Holder().JWK(), atomic.Int64{}
	var all sync.WaitGroup
	for i := range 12 {
		key := same
		if i%2 == 0 {
			key = h.Holder().JWK()
		}
		all.Go(func() {
			if r := alice.Do("DPOP.REGISTER", harness.P{"public_jwk": key}); r.Failure == nil {
				won.Add(1)
			} else {
				r.Fails(fault.Validation)
			}
		})
	}
	all.Wait()
	if won.Load() != 3 {
		t.Errorf("%d of twelve were registered beside 47, want 3", won.Load())
	}
	seen := map[any]bool{}
	for _, item := range alice.Do("DPOP.LIST", harness.P{"limit": 200}).List("items") {
		if seen[item["thumbprint"]] {
			t.Errorf("the key %v is registered twice", item["thumbprint"])
		}
		seen[item["thumbprint"]] = true
	}
}

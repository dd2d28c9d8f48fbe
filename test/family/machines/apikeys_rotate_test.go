package machines_test

import (
	"sync"
	"testing"
	"time"

	"gatehouse.internal/domain/apikey"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/test/harness"
)

// turn rotates a key.
func turn(h *harness.Service, who *harness.Actor, k heldKey, hours int) (heldKey, string) {
	turned := who.Do("API_KEY.ROTATE", harness.P{"key_id": k.id, "overlap_hours": hours}).OK()
	return heldKey{k.id, turned.String("key"), h.With(turned.String("key"))}, turned.String("overlap_until")
}

func works(t *testing.T, what string, k heldKey, want bool) {
	t.Helper()
	if r := k.holder.Do("AUTH.WHOAMI", nil); (r.Failure == nil) != want {
		t.Errorf("%s works: %t, want %t", what, !want, want)
	}
}

func TestRotateEndsTheOldTextAtOnce(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	old := mint(h, alice, "api_keys:read")
	turned := alice.Do("API_KEY.ROTATE", harness.P{"key_id": old.id}).OK()
	fresh := heldKey{old.id, turned.String("key"), h.With(turned.String("key"))}
	if fresh.text == old.text || turned.String("api_key.prefix") != fresh.text[:12] || turned.String("api_key.id") != old.id {
		t.Errorf("rotated to %v", turned.Data["api_key"])
	}
	if until := turned.String("overlap_until"); until != h.Clock.Now().Format(time.RFC3339Nano) {
		t.Errorf("overlap until %s, want now", until)
	}
	works(t, "the old text", old, false)
	fresh.holder.Do("API_KEY.SEARCH", nil).OK()
	if events := h.Events(apikey.KindRotated); len(events) != 1 || events[0].UserID != alice.UserID {
		t.Errorf("events %+v", events)
	}
}

func TestRotateWithOverlap(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	first := mint(h, alice)
	second, until := turn(h, alice, first, 2)
	if want := h.Clock.Now().Add(2 * time.Hour).Format(time.RFC3339Nano); until != want {
		t.Errorf("overlap until %s, want %s", until, want)
	}
	works(t, "the first text beside the second", first, true)
	third, _ := turn(h, alice, first, 720)
	works(t, "the first text beside the third", first, false)
	works(t, "the second text beside the third", second, true)
	works(t, "the third text", third, true)
	h.Clock.Advance(720*time.Hour - time.Second)
	works(t, "the second text before its end", second, true)
	h.Clock.Advance(time.Second)
	works(t, "the second text at its end", second, false)
	works(t, "the third text later", third, true)
}

func TestRotateInParallelLeavesOneNewText(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	old := mint(h, alice)
	texts := make([]heldKey, 6)
	var all sync.WaitGroup
	for i := range texts {
		all.Go(func() { texts[i], _ = turn(h, alice, old, 0) })
	}
	all.Wait()
	good := 0
	for _, k := range texts {
		if k.holder.Do("AUTH.WHOAMI", nil).Failure == nil {
			good++
		}
	}
	works(t, "the old text", old, false)
	if good != 1 {
		t.Errorf("%d texts work after rotations without overlap, want 1", good)
	}
}

func TestRotateRefuses(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	active, expired, revoked := statuses(h, alice)
	for _, ended := range []heldKey{expired, revoked} {
		alice.Do("API_KEY.ROTATE", harness.P{"key_id": ended.id}).Fails(fault.Validation)
	}
	for _, other := range []*harness.Actor{h.Superadmin(), enter(t, h, h.SignUp("carol@example.com"), alice, "carol@example.com", role.Owner)} {
		other.Do("API_KEY.ROTATE", harness.P{"key_id": active.id}).Fails(fault.NotFound)
	}
	alice.Do("API_KEY.ROTATE", harness.P{"key_id": keyStranger}).Fails(fault.NotFound)
	works(t, "the text after all that", active, true)
}

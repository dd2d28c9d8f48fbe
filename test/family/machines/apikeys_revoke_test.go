package machines_test

import (
	"strings"
	"testing"

	"gatehouse.internal/domain/apikey"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/test/harness"
)

// wantEnded checks that a key was ended once, for a reason.
func wantEnded(t *testing.T, h *harness.Service, k heldKey, reason string) {
	t.Helper()
	works(t, "a key that was ended", k, false)
	if events := keyAbout(h, apikey.KindRevoked, k.id); len(events) != 1 || !strings.Contains(string(events[0].Data), `"reason":"`+reason+`"`) {
		t.Errorf("events %+v, want one that tells %s", events, reason)
	}
}

func TestRevokeByTheUser(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	for name, by := range map[string]func(k heldKey) *harness.Actor{
		"session":         func(heldKey) *harness.Actor { return alice },
		"the key itself":  func(k heldKey) *harness.Actor { return k.holder },
		"another key":     func(heldKey) *harness.Actor { return mint(h, alice, "*").holder },
		"another session": func(heldKey) *harness.Actor { return h.Login("alice@example.com", harness.Password) },
	} {
		t.Run(name, func(t *testing.T) {
			made := mint(h, alice, "api_keys:*")
			other, _ := turn(h, alice, made, 1)
			if !by(made).Do("API_KEY.REVOKE", harness.P{"key_id": made.id}).Bool("revoked") {
				t.Error("revoked = false")
			}
			works(t, "its other text", other, false)
			alice.Do("API_KEY.REVOKE", harness.P{"key_id": made.id}).OK()
			wantEnded(t, h, made, apikey.ByUser)
		})
	}
}

func TestRevokeByOthers(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice, bob, carol := h.SignUp("alice@example.com"), h.SignUp("bob@example.com"), h.SignUp("carol@example.com")
	member := enter(t, h, bob, alice, "bob@example.com", role.Member)
	admin := enter(t, h, carol, alice, "carol@example.com", role.Admin)
	for name, by := range map[string]*harness.Actor{
		"an owner of the workspace":    alice,
		"an admin of it":               admin,
		"a key that has the right":     mint(h, alice, "api_keys:write").holder,
		"an app that has the right":    alice.Machine("janitor", "api_keys:write"),
		"a superadmin from outside it": h.Superadmin(),
	} {
		t.Run(name, func(t *testing.T) {
			made := mint(h, member)
			by.Do("API_KEY.REVOKE", harness.P{"key_id": made.id}).OK()
			wantEnded(t, h, made, apikey.ByAdmin)
		})
	}
	untouched := mint(h, alice)
	for name, by := range map[string]*harness.Actor{
		"a key without the right":  mint(h, alice, "apps:*").holder,
		"an app without the right": alice.Machine("reader", "api_keys:read"),
		"a key of its own person":  mint(h, alice, "api_keys:read").holder,
		"the key itself":           untouched.holder,
	} {
		by.Do("API_KEY.REVOKE", harness.P{"key_id": untouched.id}).Fails(fault.Denied)
		works(t, "a key that "+name+" wanted to end", untouched, true)
	}
	absent := bob.Do("API_KEY.REVOKE", harness.P{"key_id": keyStranger}).Fails(fault.NotFound)
	owners, members := mint(h, alice), mint(h, member)
	for name, c := range map[string]struct {
		by *harness.Actor
		of heldKey
	}{
		"a member":              {member, owners},
		"a stranger":            {bob, owners},
		"an admin, elsewhere":   {carol, members},
		"an app from elsewhere": {carol.Machine("outsider", "api_keys:write"), members},
	} {
		foreign := c.by.Do("API_KEY.REVOKE", harness.P{"key_id": c.of.id}).Fails(fault.NotFound)
		if foreign.Failure.Message != absent.Failure.Message {
			t.Errorf("%s: foreign is told as %q, absent as %q", name, foreign.Failure.Message, absent.Failure.Message)
		}
		works(t, "a key that "+name+" wanted to end", c.of, true)
	}
}

func TestRevokeOfAnExpiredKeyIsNoEvent(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	_, expired, _ := statuses(h, alice)
	alice.Do("API_KEY.REVOKE", harness.P{"key_id": expired.id}).OK()
	if events := keyAbout(h, apikey.KindRevoked, expired.id); len(events) != 0 {
		t.Errorf("events %+v", events)
	}
}

func TestAKeyEndsWithItsUsersRights(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice, bob, root := h.SignUp("alice@example.com"), h.SignUp("bob@example.com"), h.Superadmin()
	member := enter(t, h, bob, alice, "bob@example.com", role.Admin)
	made := mint(h, member, "api_keys:read")
	made.holder.Do("API_KEY.SEARCH", nil).OK()
	demote(t, h, bob, alice, role.Admin, role.Member)
	made.holder.Do("API_KEY.SEARCH", nil).Fails(fault.Denied)
	works(t, "the key of a member", made, true)
	if _, err := h.Store.Database().Write.Exec("DELETE FROM members WHERE user_id = '" + bob.UserID + "' AND org_id = '" + alice.OrgID + "'"); err != nil {
		t.Fatal(err)
	}
	works(t, "the key of somebody who left", made, false)
	own := mint(h, h.Login("bob@example.com", harness.Password))
	root.Do("USER.DISABLE", harness.P{"user_id": bob.UserID}).OK()
	works(t, "the key of a disabled user", own, false)
	root.Do("USER.ENABLE", harness.P{"user_id": bob.UserID}).OK()
	works(t, "the key of a user who is back", own, false)
}

// A key that ended itself hears so again when the answer got lost, and nothing else.
func TestSelfRevocationOfKeyIsReplayed(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	bob := h.SignUp("bob@example.com")
	itself := mint(h, alice, "api_keys:write")
	params := harness.P{"key_id": itself.id}
	itself.holder.Idempotent("end").Do("API_KEY.REVOKE", params).OK()
	if again := itself.holder.Idempotent("end").Do("API_KEY.REVOKE", params).OK(); !again.Replayed || !again.Bool("revoked") {
		t.Errorf("again: %v, replayed = %v", again.Data, again.Replayed)
	}
	itself.holder.Idempotent("other").Do("API_KEY.REVOKE", params).Fails(fault.Auth)
	itself.holder.Idempotent("end").Do("API_KEY.REVOKE", harness.P{"key_id": keyStranger}).Fails(fault.Auth)
	itself.holder.Idempotent("end").Do("USER.ME", nil).Fails(fault.Auth)

	// What it did before does not speak for a key that somebody else ended.
	another, victim := mint(h, bob, "api_keys:write"), mint(h, bob)
	params = harness.P{"key_id": victim.id}
	another.holder.Idempotent("end").Do("API_KEY.REVOKE", params).OK()
	bob.Do("API_KEY.REVOKE", harness.P{"key_id": another.id}).OK()
	another.holder.Idempotent("end").Do("API_KEY.REVOKE", params).Fails(fault.Auth)

	h.Superadmin().Do("USER.DISABLE", harness.P{"user_id": alice.UserID}).OK()
	itself.holder.Idempotent("end").Do("API_KEY.REVOKE", harness.P{"key_id": itself.id}).Fails(fault.Auth)
}

package signin_test

import (
	"testing"
	"time"

	"gatehouse.internal/domain/device"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

const alice = "alice@example.com"

// trusting is somebody who just logged in by a second factor.
func trusting(h *harness.Service, email string) (*harness.Actor, *harness.App) {
	app := h.SignUp(email).EnrollApp()
	return h.LoginBy(email, app), app
}

func TestTrust(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	actor, app := trusting(h, alice)
	r := actor.Do("DEVICE.TRUST", P{"name": "laptop"})
	token := r.String("device_token")
	ends := h.Clock.Now().AddDate(0, 0, 30).Format(time.RFC3339Nano)
	if r.String("device.name") != "laptop" || r.String("expires_at") != ends || r.String("device.expires_at") != ends ||
		r.String("device.user_agent") != "harness/1.0" || r.String("device.ip") == "" || len(token) != 43 {
		t.Errorf("trusted %v", r.Data)
	}
	if e := h.Events(device.KindTrusted); len(e) != 1 || e[0].UserID != actor.UserID {
		t.Errorf("events %+v", e)
	}
	login := P{"email": alice, "password": harness.Password, "device_token": token}
	h.Anonymous().Do("AUTH.LOGIN", login).OK().String("access_token")
	h.Anonymous().Do("AUTH.LOGIN", P{"email": alice, "password": "wrong", "device_token": token}).Fails(fault.Auth)
	items := actor.Do("DEVICE.LIST", nil).List("items")
	if len(items) != 1 || items[0]["id"] != r.String("device.id") || items[0]["last_used_at"] == nil || items[0]["device_token"] != nil {
		t.Errorf("listed %v", items)
	}
	h.Clock.Advance(30 * 24 * time.Hour)
	h.Anonymous().Do("AUTH.LOGIN", login).OK().String("challenge_token")
	if items := h.LoginBy(alice, app).Do("DEVICE.LIST", nil).List("items"); len(items) != 0 {
		t.Errorf("listed %v after their end", items)
	}
}

// Somebody else's token does nothing.
func TestTrustIsOnesOwn(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	mallory, _ := trusting(h, "mallory@example.com")
	token := mallory.Do("DEVICE.TRUST", nil).String("device_token")
	trusting(h, alice)
	for _, presented := range []string{token, token[:42], token + "A", "x"} {
		h.Anonymous().Do("AUTH.LOGIN", P{"email": alice, "password": harness.Password, "device_token": presented}).OK().String("challenge_token")
	}
}

func TestTrustRefuses(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	actor, app := trusting(h, alice)
	h.SignUp("bob@example.com").Do("DEVICE.TRUST", nil).Fails(fault.Auth)
	h.Clock.Advance(15*time.Minute - time.Microsecond)
	held := actor.Do("AUTH.REFRESH", P{"refresh_token": actor.RefreshToken}).String("access_token")
	h.With(held).Do("DEVICE.TRUST", nil).OK()
	h.Clock.Advance(time.Minute)
	h.With(held).Do("DEVICE.TRUST", nil).Fails(fault.Auth)
	h.Superadmin().Do("POLICY.SET", P{"kind": "mfa", "values": P{"remember_days": 0}}).OK()
	h.LoginBy(alice, app).Do("DEVICE.TRUST", nil).Fails(fault.Denied)
}

func TestTrustHoldsFewerDays(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	actor, _ := trusting(h, alice)
	actor.Do("POLICY.SET", P{"kind": "mfa", "org_id": actor.OrgID, "values": P{"remember_days": 3}}).OK()
	if got, want := actor.Do("DEVICE.TRUST", nil).String("expires_at"), h.Clock.Now().AddDate(0, 0, 3).Format(time.RFC3339Nano); got != want {
		t.Errorf("remembered until %s, want %s", got, want)
	}
}

// Fewer days hold at once, for devices that were remembered for more as well.
func TestFewerDaysEndTrust(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	actor, _ := trusting(h, alice)
	login := P{"email": alice, "password": harness.Password, "device_token": actor.Do("DEVICE.TRUST", nil).String("device_token")}
	h.Clock.Advance(48*time.Hour - time.Second)
	allow := func(days int) {
		h.Superadmin().Do("POLICY.SET", P{"kind": "mfa", "values": P{"remember_days": days}}).OK()
	}
	allow(2)
	h.Anonymous().Do("AUTH.LOGIN", login).OK().String("access_token")
	allow(1)
	h.Anonymous().Do("AUTH.LOGIN", login).OK().String("challenge_token")
}

func TestDeviceRevoke(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	actor, _ := trusting(h, alice)
	trust := func() (id, token string) {
		r := actor.Do("DEVICE.TRUST", nil)
		return r.String("device.id"), r.String("device_token")
	}
	skips := func(token string) bool {
		return h.Anonymous().Do("AUTH.LOGIN", P{"email": alice, "password": harness.Password, "device_token": token}).OK().Has("access_token")
	}
	first, one := trust()
	_, two := trust()
	_, three := trust()
	if n := actor.Do("DEVICE.REVOKE", P{"device_id": first}).Int("revoked_count"); n != 1 || skips(one) || !skips(two) {
		t.Errorf("%d were forgotten", n)
	}
	actor.Do("DEVICE.REVOKE", P{"device_id": first}).Fails(fault.NotFound)
	if n := actor.Do("DEVICE.REVOKE", P{"all": true}).Int("revoked_count"); n != 2 || skips(two) || skips(three) {
		t.Errorf("%d were forgotten", n)
	}
	if n := actor.Do("DEVICE.REVOKE", P{"all": true}).Int("revoked_count"); n != 0 || len(h.Events(device.KindRevoked)) != 3 {
		t.Errorf("%d were forgotten, %d events", n, len(h.Events(device.KindRevoked)))
	}
	for _, params := range []P{nil, {"all": false}, {"device_id": first, "all": true}, {"device_id": "x"}} {
		actor.Do("DEVICE.REVOKE", params).Fails(fault.Validation)
	}
}

// Others see and forget somebody's devices with users:manage alone, and a
// superadmin's only as superadmins.
func TestOthers(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root, bob := h.Superadmin(), h.SignUp("bob@example.com")
	actor, _ := trusting(h, alice)
	id := actor.Do("DEVICE.TRUST", nil).String("device.id")
	bob.Do("DEVICE.LIST", P{"user_id": actor.UserID}).Fails(fault.NotFound)
	bob.Do("DEVICE.LIST", P{"user_id": "usr_01jd7x9k2mf3q8v5t0abcdefgh"}).Fails(fault.NotFound)
	if n := len(bob.Do("DEVICE.LIST", P{"user_id": bob.UserID}).List("items")); n != 0 {
		t.Errorf("%d devices", n)
	}
	root.Do("DEVICE.LIST", P{"user_id": "usr_01jd7x9k2mf3q8v5t0abcdefgh"}).Fails(fault.NotFound)
	if items := root.Do("DEVICE.LIST", P{"user_id": actor.UserID}).List("items"); len(items) != 1 {
		t.Errorf("listed %v", items)
	}
	root.Do("DEVICE.REVOKE", P{"all": true}).OK()
	root.Do("DEVICE.REVOKE", P{"device_id": id}).OK()
	if items := actor.Do("DEVICE.LIST", nil).List("items"); len(items) != 0 {
		t.Errorf("listed %v", items)
	}
}

// A superadmin's device is out of reach for a manager, and an app has none of its own.
func TestManagers(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root := h.Superadmin()
	app := root.EnrollApp()
	root = h.LoginBy(harness.AdminEmail, app)
	shielded := root.Do("DEVICE.TRUST", nil).String("device.id")
	actor, _ := trusting(h, alice)
	own := actor.Do("DEVICE.TRUST", nil).String("device.id")
	machine := root.Machine("helpdesk", "users:manage")
	machine.Do("DEVICE.LIST", nil).Fails(fault.Denied)
	machine.Do("DEVICE.REVOKE", P{"all": true}).Fails(fault.Denied)
	machine.Do("DEVICE.REVOKE", P{"device_id": shielded}).Fails(fault.Denied)
	if n := len(machine.Do("DEVICE.LIST", P{"user_id": actor.UserID}).List("items")); n != 1 {
		t.Errorf("%d devices", n)
	}
	machine.Do("DEVICE.REVOKE", P{"device_id": own}).OK()
}

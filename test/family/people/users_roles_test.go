package people_test

import (
	"testing"
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

func TestRolesAreGivenAndTaken(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root, alice := h.Superadmin(), h.SignUp("alice@example.com")
	mate := userMember(h, root, alice.OrgID, "mate@example.com", "member")
	given := alice.Do("USER.SET_ROLE", P{"user_id": mate.UserID, "role": "admin"}).OK()
	userSame(t, given.Strings("roles"), []string{"member", "admin"})
	userSame(t, []string{given.String("user_id"), given.String("org_id")}, []string{mate.UserID, alice.OrgID})
	userSame(t, mate.Do("AUTH.WHOAMI", nil).Strings("roles"), []string{"member", "admin"})
	alice.Do("USER.SET_ROLE", P{"user_id": mate.UserID, "role": "admin"}).OK()
	events(t, h, mate.UserID, map[event.Kind]int{"role.assigned": 1})

	userSame(t, alice.Do("USER.UNSET_ROLE", P{"user_id": mate.UserID, "role": "admin"}).OK().Strings("roles"), []string{"member"})
	mate.Do("USER.SET_ROLE", P{"user_id": mate.UserID, "role": "member"}).Fails(fault.Denied)
	alice.Do("USER.UNSET_ROLE", P{"user_id": mate.UserID, "role": "admin", "org_id": alice.OrgID}).OK()
	events(t, h, mate.UserID, map[event.Kind]int{"role.unassigned": 1})
	userSame(t, alice.Do("USER.UNSET_ROLE", P{"user_id": mate.UserID, "role": "member"}).OK().Strings("roles"), []string{})
	dryRunRaises(t, alice.DryRun().Do("USER.SET_ROLE", P{"user_id": mate.UserID, "role": "admin"}), "role.assigned")
	userSame(t, mate.Do("AUTH.WHOAMI", nil).Strings("roles"), []string{})
}

func TestARoleEndsByItself(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root, alice := h.Superadmin(), h.SignUp("alice@example.com")
	mate := userMember(h, root, alice.OrgID, "mate@example.com", "member")
	now := h.Clock.Now()
	for _, past := range []time.Time{now, now.Add(-time.Hour)} {
		alice.Do("USER.SET_ROLE", P{"user_id": mate.UserID, "role": "admin", "expires_at": at(past)}).Fails(fault.Validation).Field("/expires_at")
	}
	until := P{"user_id": mate.UserID, "role": "admin", "expires_at": at(now.Add(10 * time.Minute))}
	alice.Do("USER.SET_ROLE", until).OK()
	alice.Do("USER.SET_ROLE", until).OK()
	events(t, h, mate.UserID, map[event.Kind]int{"role.assigned": 1})
	mate.Do("USER.SET_ROLE", P{"user_id": mate.UserID, "role": "member"}).OK()
	h.Clock.Advance(10 * time.Minute)
	mate.Do("USER.SET_ROLE", P{"user_id": mate.UserID, "role": "member"}).Fails(fault.Denied)
	userSame(t, mate.Do("AUTH.WHOAMI", nil).Strings("roles"), []string{"member"})
}

func TestNobodyGivesOrTakesMoreThanTheyHold(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root, alice := h.Superadmin(), h.SignUp("alice@example.com")
	admin := userMember(h, root, alice.OrgID, "admin@example.com", "admin")
	other := userMember(h, root, alice.OrgID, "other@example.com", "owner")
	admin.Do("USER.SET_ROLE", P{"user_id": admin.UserID, "role": "owner"}).Fails(fault.Denied)
	admin.Do("USER.SET_ROLE", P{"user_id": other.UserID, "role": "owner", "expires_at": at(h.Clock.Now().Add(time.Hour))}).Fails(fault.Denied)
	admin.Do("USER.UNSET_ROLE", P{"user_id": other.UserID, "role": "owner"}).Fails(fault.Denied)
	admin.Do("USER.SET_ROLE", P{"user_id": other.UserID, "role": "admin"}).OK()
	// Who holds more is not demoted, not even of what the other holds too.
	admin.Do("USER.UNSET_ROLE", P{"user_id": other.UserID, "role": "admin"}).Fails(fault.Denied)
	admin.Do("USER.SET_ROLE", P{"user_id": other.UserID, "role": "admin", "expires_at": at(h.Clock.Now().Add(time.Hour))}).Fails(fault.Denied)
	other.Do("USER.UNSET_ROLE", P{"user_id": other.UserID, "role": "admin"}).OK()
	other.Do("USER.UNSET_ROLE", P{"user_id": admin.UserID, "role": "admin"}).OK()
	alice.Do("USER.SET_ROLE", P{"user_id": admin.UserID, "role": "emperor"}).Fails(fault.Validation).Field("/role")
	root.Do("USER.SET_ROLE", P{"user_id": admin.UserID, "org_id": alice.OrgID, "role": "emperor"}).Fails(fault.Validation).Field("/role")
}

func TestRolesStayWithinTheWorkspace(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root, alice, bob := h.Superadmin(), h.SignUp("alice@example.com"), h.SignUp("bob@example.com")
	mate := userMember(h, root, alice.OrgID, "mate@example.com", "admin")
	for _, command := range []string{"USER.SET_ROLE", "USER.UNSET_ROLE"} {
		bob.Do(command, P{"user_id": mate.UserID, "role": "member"}).Fails(fault.NotFound)
		bob.Do(command, P{"user_id": mate.UserID, "role": "member", "org_id": alice.OrgID}).Fails(fault.NotFound)
		bob.Do(command, P{"user_id": mate.UserID, "role": "member", "org_id": userNowhere}).Fails(fault.NotFound)
		// Held in another workspace than the one that the call acts in, a role counts for nothing.
		within(h, mate.UserID, "mate@example.com", home(t, mate)).Do(command, P{"user_id": alice.UserID, "role": "member"}).Fails(fault.NotFound)
		root.Do(command, P{"user_id": bob.UserID, "role": "member", "org_id": alice.OrgID}).Fails(fault.NotFound)
		root.Do(command, P{"user_id": bob.UserID, "role": "member", "org_id": userNowhere}).Fails(fault.NotFound)
	}
	userSame(t, root.Do("USER.SET_ROLE", P{"user_id": mate.UserID, "role": "owner", "org_id": alice.OrgID}).OK().Strings("roles"), []string{"admin", "owner"})
}

func TestAnOwnerStays(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root, alice := h.Superadmin(), h.SignUp("alice@example.com")
	soon := at(h.Clock.Now().Add(time.Hour))
	refuse := func(by *harness.Actor, person, org string) {
		t.Helper()
		by.Do("USER.UNSET_ROLE", P{"user_id": person, "role": "owner", "org_id": org}).Fails(fault.Validation)
		by.Do("USER.SET_ROLE", P{"user_id": person, "role": "owner", "org_id": org, "expires_at": soon}).Fails(fault.Validation)
	}
	refuse(alice, alice.UserID, alice.OrgID)
	other := userMember(h, root, alice.OrgID, "other@example.com", "owner")
	// Whose personal workspace it is stays its owner, even beside others.
	refuse(other, alice.UserID, alice.OrgID)
	refuse(root, alice.UserID, alice.OrgID)
	other.Do("USER.SET_ROLE", P{"user_id": other.UserID, "role": "owner", "expires_at": soon}).OK()
	h.Clock.Advance(30 * time.Minute)
	h.Login("other@example.com", harness.Password)
	alice = h.Login("alice@example.com", harness.Password)
	alice.Do("USER.UNSET_ROLE", P{"user_id": other.UserID, "role": "owner"}).OK()
}

func TestTheLastOwnerOfASharedWorkspaceStays(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root, alice := h.Superadmin(), h.SignUp("alice@example.com")
	org := team(t, h, alice.UserID)
	first := within(h, alice.UserID, "alice@example.com", org)
	second := userMember(h, root, org, "second@example.com", "member")
	soon := at(h.Clock.Now().Add(time.Hour))
	first.Do("USER.SET_ROLE", P{"user_id": second.UserID, "role": "owner", "expires_at": soon}).OK()
	first.Do("USER.UNSET_ROLE", P{"user_id": first.UserID, "role": "owner"}).Fails(fault.Validation)
	first.Do("USER.SET_ROLE", P{"user_id": first.UserID, "role": "owner", "expires_at": soon}).Fails(fault.Validation)
	first.Do("USER.DELETE", P{"password": harness.Password}).Fails(fault.Validation)
	root.Do("USER.DELETE", P{"user_id": first.UserID}).Fails(fault.Validation)
	first.Do("USER.ME", nil).OK()
	first.Do("USER.SET_ROLE", P{"user_id": second.UserID, "role": "owner"}).OK()
	first.Do("USER.SET_ROLE", P{"user_id": first.UserID, "role": "owner", "expires_at": soon}).OK()
	second.Do("USER.UNSET_ROLE", P{"user_id": second.UserID, "role": "owner"}).Fails(fault.Validation)
	first.Do("USER.DELETE", P{"password": harness.Password}).OK()
	second.Do("USER.DELETE", P{"password": harness.Password}).Fails(fault.Validation)
}

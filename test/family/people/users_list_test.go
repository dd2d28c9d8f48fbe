package people_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

func TestListShowsWhatTheCallerMaySee(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root, alice, bob := h.Superadmin(), h.SignUp("alice@example.com"), h.SignUp("bob@example.com")
	mate := userMember(h, root, alice.OrgID, "mate@example.com", "member")
	alone := within(h, mate.UserID, "mate@example.com", home(t, mate))
	userSame(t, emails(root.Do("USER.LIST", nil)), []string{"mate@example.com", "bob@example.com", "alice@example.com", harness.AdminEmail})
	userSame(t, emails(root.Do("USER.LIST", P{"org_id": alice.OrgID})), []string{"mate@example.com", "alice@example.com"})
	userSame(t, emails(alice.Do("USER.LIST", nil)), []string{"mate@example.com", "alice@example.com"})
	userSame(t, emails(mate.Do("USER.LIST", P{"org_id": alice.OrgID})), []string{"mate@example.com", "alice@example.com"})
	userSame(t, emails(bob.Do("USER.LIST", nil)), []string{"bob@example.com"})
	userSame(t, emails(alone.Do("USER.LIST", nil)), []string{"mate@example.com"})
	// Without a role there is no permission, so one sees oneself.
	root.Do("USER.UNSET_ROLE", P{"user_id": mate.UserID, "org_id": alice.OrgID, "role": "member"}).OK()
	userSame(t, emails(mate.Do("USER.LIST", nil)), []string{"mate@example.com"})
	userSame(t, emails(mate.Do("USER.LIST", P{"query": "alice"})), nil)

	bob.Do("USER.LIST", P{"org_id": alice.OrgID}).Fails(fault.NotFound)
	bob.Do("USER.LIST", P{"org_id": userNowhere}).Fails(fault.NotFound)
	userSame(t, emails(alone.Do("USER.LIST", P{"org_id": alice.OrgID})), []string{"mate@example.com"})
	root.Do("USER.LIST", P{"org_id": userNowhere}).Fails(fault.NotFound)
	userSame(t, emails(root.Do("USER.LIST", P{"org_id": alice.OrgID, "query": "nobody"})), nil)
}

func TestListFilters(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root, alice := h.Superadmin(), h.SignUp("alice@example.com")
	began := h.Clock.Now()
	h.Clock.Advance(time.Minute)
	bob := h.SignUp("bob@example.com")
	bob.Do("USER.UPDATE", P{"display_name": "Alibaba"}).OK()
	userSame(t, emails(root.Do("USER.LIST", P{"query": "ALI"})), []string{"bob@example.com", "alice@example.com"})
	userSame(t, emails(root.Do("USER.LIST", P{"query": "li"})), nil)
	userSame(t, emails(root.Do("USER.LIST", P{"created_after": at(began)})), []string{"bob@example.com"})
	root.Do("USER.DISABLE", P{"user_id": alice.UserID, "until": at(h.Clock.Now().Add(time.Hour))}).OK()
	userSame(t, emails(root.Do("USER.LIST", P{"status": "disabled"})), []string{"alice@example.com"})
	userSame(t, emails(root.Do("USER.LIST", P{"status": "active"})), []string{"bob@example.com", harness.AdminEmail})
	lock(h, "bob@example.com")
	userSame(t, emails(root.Do("USER.LIST", P{"status": "locked"})), []string{"bob@example.com"})
	h.Clock.Advance(time.Hour)
	root = h.Superadmin()
	userSame(t, emails(root.Do("USER.LIST", P{"status": "locked"})), nil)
	userSame(t, emails(root.Do("USER.LIST", P{"status": "disabled"})), nil)
	for field, value := range map[string]any{
		"query": "", "status": "gone", "created_after": "yesterday", "org_id": "usr_1", "limit": 201,
	} {
		root.Do("USER.LIST", P{field: value}).Fails(fault.Validation).Field("/" + field)
	}
}

func TestUserListPages(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root, alice := h.Superadmin(), h.SignUp("alice@example.com")
	want := []string{harness.AdminEmail, "alice@example.com"}
	for i := range 5 {
		email := fmt.Sprintf("p%d@example.com", i)
		root.Do("USER.CREATE", P{"email": email}).OK()
		want = append(want, email)
	}
	slices.Reverse(want)
	var got []string
	for params := (P{"limit": 3}); ; {
		read := root.Do("USER.LIST", params).OK()
		got = append(got, emails(read)...)
		if read.Data["next_cursor"] == nil {
			break
		}
		params["cursor"] = read.String("next_cursor")
		alice.Do("USER.LIST", params).Fails(fault.Validation).Field("/cursor")
		root.Do("USER.LIST", P{"cursor": read.String("next_cursor"), "org_id": alice.OrgID}).Fails(fault.Validation).Field("/cursor")
		root.Do("SESSION.SEARCH", P{"cursor": read.String("next_cursor")}).Fails(fault.Validation).Field("/cursor")
	}
	userSame(t, got, want)
}

func TestGetFindsByEachKey(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root, alice := h.Superadmin(), h.SignUp("alice@example.com")
	mate := userMember(h, root, alice.OrgID, "mate@example.com", "admin")
	root.Do("USER.UPDATE", P{"user_id": mate.UserID, "external_id": "crm-7"}).OK()
	for _, by := range []P{{"user_id": mate.UserID}, {"email": "MATE@Example.com"}, {"external_id": "crm-7"}} {
		found := alice.Do("USER.GET", by).OK()
		if got := found.String("user.id"); got != mate.UserID {
			t.Errorf("%v found %s", by, got)
		}
		userSame(t, found.Strings("roles"), []string{"admin"})
		if found.String("last_login_at") != at(h.Clock.Now()) {
			t.Errorf("last_login_at = %v", found.Data["last_login_at"])
		}
	}
	idle := root.Do("USER.CREATE", P{"email": "idle@example.com"}).String("user.id")
	fresh := root.Do("USER.GET", P{"user_id": idle}).OK()
	userSame(t, fresh.Strings("roles"), []string{})
	if fresh.Data["last_login_at"] != nil {
		t.Errorf("last_login_at = %v", fresh.Data["last_login_at"])
	}
}

func TestGetHidesStrangers(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root, alice, bob := h.Superadmin(), h.SignUp("alice@example.com"), h.SignUp("bob@example.com")
	mate := userMember(h, root, alice.OrgID, "mate@example.com", "member")
	root.Do("USER.UPDATE", P{"user_id": alice.UserID, "external_id": "crm-7"}).OK()
	absent := bob.Do("USER.GET", P{"user_id": userNobody}).Fails(fault.NotFound).Failure.Message
	for _, by := range []P{
		{"user_id": alice.UserID}, {"email": "alice@example.com"}, {"external_id": "crm-7"}, {"email": "none@example.com"},
	} {
		if got := bob.Do("USER.GET", by).Fails(fault.NotFound).Failure.Message; got != absent {
			t.Errorf("%v answers %q, an absent one %q", by, got, absent)
		}
	}
	bob.Do("USER.GET", P{"user_id": bob.UserID}).OK()
	// It is the active workspace that counts, not any that both belong to.
	mate.Do("USER.GET", P{"user_id": alice.UserID}).OK()
	within(h, mate.UserID, "mate@example.com", home(t, mate)).Do("USER.GET", P{"user_id": alice.UserID}).Fails(fault.NotFound)
	for _, by := range []P{{}, {"user_id": bob.UserID, "email": "bob@example.com"}} {
		bob.Do("USER.GET", by).Fails(fault.Validation)
	}
	bob.Do("USER.GET", P{"email": "no address"}).Fails(fault.Validation).Field("/email")
	root.Do("USER.UNSET_ROLE", P{"user_id": mate.UserID, "org_id": alice.OrgID, "role": "member"}).OK()
	mate.Do("USER.GET", P{"user_id": mate.UserID}).Fails(fault.Denied)
}

package people_test

import (
	"context"
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
	userSame(t, emails(root.Do("USER.LIST", P{"query": " lib "})), []string{"bob@example.com"})
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

// Accounts are found by any part of an address or name, and by words where these are sealed; lists say how many there
// are.
func TestListFindsPartsOfNamesAndAddresses(t *testing.T) {
	t.Parallel()
	for name, variables := range map[string][]string{
		"in clear": nil, "sealed": {"ENCRYPTION_KEY=1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			harness.OnEachDatabase(t, func(t *testing.T, database string) {
				h := harness.On(t, database, variables...)
				root := h.Superadmin()
				for email, name := range map[string]string{"ada.l@engines.example": "Ada Lovelace", "grace@navy.example": "Grace Brewster-Hopper", "yamada@navy.example": "山田 太郎"} {
					root.Do("USER.CREATE", P{"email": email, "display_name": name}).OK()
				}
				texts := map[string]int{
					"lovelace": 1, "  Ada Lovelace ": 1, "navy.example": 2, "@navy.example": 2, "ada.l@engines.example": 1, "ADA.L": 1,
					"brewster-hopper": 1, "hopper": 1, "nobody": 0, "山田": 1, "   ": 4,
				}
				for text, n := range map[string]int{"velac": 1, "vy.ex": 2, "ster-ho": 1, "田 太": 1, "yamad": 1, "ya": 1, "ma": 0} {
					if texts[text] = n; variables != nil {
						texts[text] = 0
					}
				}
				for text, n := range texts {
					for _, list := range []P{{"query": text}, {"query": text, "limit": 1}} {
						found := root.Do("USER.LIST", list).OK()
						if found.Int("total") != n || found.Data["total_exact"] != true || found.Data["search_incomplete"] != nil {
							t.Errorf("%q: total = %v, %v, %v, want %d", text, found.Data["total"], found.Data["total_exact"], found.Data["search_incomplete"], n)
						}
						if listed := len(found.List("items")); list["limit"] == nil && listed != n || listed > n {
							t.Errorf("%q lists %d, want %d", text, listed, n)
						}
					}
				}
			})
		})
	}
}

// After an upgrade, searches say that they may miss accounts, until a job has indexed these.
func TestSearchSaysThatItIsIncomplete(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		root := h.Superadmin()
		root.Do("USER.CREATE", P{"email": "ada@engines.example"}).OK()
		for _, as := range []string{"DELETE FROM user_search", "UPDATE users SET searched_at = NULL"} {
			if _, err := h.Store.Database().Write.ExecContext(t.Context(), as); err != nil {
				t.Fatal(err)
			}
		}
		incomplete := func() any { return root.Do("USER.LIST", P{"query": "engine"}).OK().Data["search_incomplete"] }
		if incomplete() != true {
			t.Error("a search before the index is filled does not say so")
		}
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		go h.Keeper.Run(ctx)
		for deadline := time.Now().Add(time.Minute); incomplete() != nil; time.Sleep(20 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("the index is never filled")
			}
		}
		userSame(t, emails(root.Do("USER.LIST", P{"query": "engine"})), []string{"ada@engines.example"})
	})
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

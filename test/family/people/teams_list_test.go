package people_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// names are those of the items of a list.
func names(of []P, key string) (found []string) {
	for _, item := range of {
		found = append(found, fmt.Sprint(item[key]))
	}
	return found
}

func TestTeamList(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root, ada := h.Superadmin(), h.SignUp("ada@example.com")
	for _, name := range []string{"Engines", "Looms", "Enigmas"} {
		h.Clock.Advance(time.Millisecond)
		ada.Do("TEAM.CREATE", P{"name": name}).OK()
	}
	founded(h, "grace@example.com", "Compilers")
	for what, c := range map[string]struct {
		params P
		want   []string
	}{
		"all of one's own": {nil, []string{"Enigmas", "Looms", "Engines", "Personal workspace"}},
		"by a beginning":   {P{"query": "en"}, []string{"Enigmas", "Engines"}},
		"by the slug":      {P{"query": "personal-"}, []string{"Personal workspace"}},
		"by another's":     {P{"query": "compilers"}, nil},
	} {
		if got := names(ada.Do("TEAM.LIST", c.params).OK().List("items"), "name"); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", what, got, c.want)
		}
	}
	first := ada.Do("TEAM.LIST", P{"limit": 3}).OK()
	rest := ada.Do("TEAM.LIST", P{"limit": 3, "cursor": first.String("next_cursor")}).OK()
	if got := names(rest.List("items"), "name"); !slices.Equal(got, []string{"Personal workspace"}) || rest.Data["next_cursor"] != nil {
		t.Errorf("the second page is %q", got)
	}
	ada.Do("TEAM.LIST", P{"all": true}).Fails(fault.Denied)
	if got := names(root.Do("TEAM.LIST", P{"all": true, "query": "com"}).OK().List("items"), "name"); !slices.Equal(got, []string{"Compilers"}) {
		t.Errorf("a superadmin finds %q", got)
	}
	if got := len(root.Do("TEAM.LIST", P{"all": true}).OK().List("items")); got != 7 {
		t.Errorf("a superadmin sees %d workspaces, want 7", got)
	}
}

func TestListMembers(t *testing.T) {
	t.Parallel()
	for name, variables := range map[string][]string{
		"in clear": nil, "sealed": {"ENCRYPTION_KEY=1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := harness.On(t, harness.SQLite(t), variables...)
			root, ada := h.Superadmin(), founded(h, "ada@example.com", "Engines")
			grace := teamMember(h, root, ada.OrgID, "grace@example.com", "admin")
			linus := teamMember(h, root, ada.OrgID, "linus@example.com", "member")
			h.SignUp("elsewhere@example.com")
			ada.Do("USER.SET_ROLE", P{"user_id": linus.UserID, "role": "admin", "expires_at": h.Clock.Now().Add(time.Minute)}).OK()
			cases := map[string]struct {
				params P
				want   []string
			}{
				"everybody": {nil, []string{"linus@example.com", "grace@example.com", "ada@example.com"}},
				"admins":    {P{"role": "admin"}, []string{"linus@example.com", "grace@example.com"}},
				"owners":    {P{"role": "owner"}, []string{"ada@example.com"}},
				"members":   {P{"role": "member"}, []string{"linus@example.com"}},
				"one":       {P{"query": "GRACE@example.com"}, []string{"grace@example.com"}},
				"one admin": {P{"query": "grace@example.com", "role": "admin"}, []string{"grace@example.com"}},
				"no owner":  {P{"query": "grace@example.com", "role": "owner"}, nil},
				"no member": {P{"query": "elsewhere@example.com"}, nil},
				"by a part": {P{"query": " inu "}, []string{"linus@example.com"}},
			}
			if variables != nil {
				delete(cases, "by a part")
			}
			for what, c := range cases {
				found := linus.Do("TEAM.LIST_MEMBERS", c.params).OK()
				if got := names(found.List("items"), "email"); !slices.Equal(got, c.want) || found.Int("total") != len(c.want) {
					t.Errorf("%s: %q of %v, want %q", what, got, found.Data["total"], c.want)
				}
			}
			h.Clock.Advance(2 * time.Minute)
			left := grace.Do("TEAM.LIST_MEMBERS", P{"role": "admin", "limit": 1}).OK()
			if got := names(left.List("items"), "email"); !slices.Equal(got, []string{"grace@example.com"}) || left.Data["next_cursor"] != nil {
				t.Errorf("once a role has ended: %q, %v", got, left.Data["next_cursor"])
			}
			item := left.List("items")[0]
			if item["user_id"] != grace.UserID || item["status"] != "active" || item["joined_at"] == nil || fmt.Sprint(item["roles"]) != "[admin]" {
				t.Errorf("shown as %v", item)
			}
			ada.Do("TEAM.LIST_MEMBERS", P{"role": "nobody"}).Fails(fault.Validation).Field("/role")
			first := ada.Do("TEAM.LIST_MEMBERS", P{"limit": 2}).OK()
			rest := ada.Do("TEAM.LIST_MEMBERS", P{"limit": 2, "cursor": first.String("next_cursor")}).OK()
			if got := names(rest.List("items"), "email"); !slices.Equal(got, []string{"ada@example.com"}) {
				t.Errorf("the second page is %q", got)
			}
		})
	}
}

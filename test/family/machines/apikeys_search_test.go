package machines_test

import (
	"slices"
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/test/harness"
)

func TestSearchNarrows(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice, bob := h.SignUp("alice@example.com"), h.SignUp("bob@example.com")
	inside := enter(t, h, bob, alice, "bob@example.com", role.Admin)
	mint(h, bob, "*") // acts elsewhere
	everything := mint(h, alice, "*")
	pattern := mint(h, inside, "apps:*")
	h.Clock.Advance(10 * time.Minute)
	later := h.Clock.Now()
	exact, none := mint(h, alice, "apps:read"), mint(h, inside)
	pattern.holder.Do("AUTH.WHOAMI", nil).OK()
	inside.Do("API_KEY.REVOKE", harness.P{"key_id": none.id}).OK()
	at := later.Format(time.RFC3339Nano)
	for name, c := range map[string]struct {
		params harness.P
		want   []heldKey
	}{
		"all of the workspace":    {nil, []heldKey{none, exact, pattern, everything}},
		"a person's":              {harness.P{"user_id": bob.UserID}, []heldKey{none, pattern}},
		"what covers a scope":     {harness.P{"scope": "apps:read"}, []heldKey{exact, pattern, everything}},
		"what covers another":     {harness.P{"scope": "apps:write"}, []heldKey{pattern, everything}},
		"what covers a pattern":   {harness.P{"scope": "apps:*"}, []heldKey{pattern, everything}},
		"what is everything":      {harness.P{"scope": "*"}, []heldKey{everything}},
		"what no pattern covers":  {harness.P{"scope": "users:manage"}, nil},
		"idle ones":               {harness.P{"unused_since": at}, []heldKey{everything}},
		"idle ones, a bit later":  {harness.P{"unused_since": later.Add(time.Second).Format(time.RFC3339Nano)}, []heldKey{none, exact, pattern, everything}},
		"a prefix":                {harness.P{"prefix": exact.text[:12]}, []heldKey{exact}},
		"a prefix and somebody's": {harness.P{"prefix": exact.text[:12], "user_id": bob.UserID}, nil},
		"the prefix of all":       {harness.P{"prefix": "ak_live_", "scope": "*"}, []heldKey{everything}},
	} {
		want := []string{}
		for _, k := range c.want {
			want = append(want, k.id)
		}
		if got := ids(alice.Do("API_KEY.SEARCH", c.params).OK()); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if got := alice.Do("API_KEY.SEARCH", harness.P{"user_id": bob.UserID, "limit": 1}).List("items")[0]["status"]; got != "revoked" {
		t.Errorf("a key that was revoked is %v", got)
	}
}

func TestSearchGoesByPages(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	first, second := mint(h, alice), mint(h, alice)
	page := alice.Do("API_KEY.SEARCH", harness.P{"limit": 1})
	cursor := page.String("next_cursor")
	if got := append(ids(page), ids(alice.Do("API_KEY.SEARCH", harness.P{"limit": 1, "cursor": cursor}))...); !slices.Equal(got, []string{second.id, first.id}) {
		t.Errorf("pages give %q", got)
	}
	alice.Do("API_KEY.SEARCH", harness.P{"cursor": cursor, "scope": "*"}).Fails(fault.Validation).Field("/cursor")
	h.SignUp("bob@example.com").Do("API_KEY.SEARCH", harness.P{"cursor": cursor}).Fails(fault.Validation).Field("/cursor")
}

func TestSuperadminSearchesAllWorkspaces(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice, bob, root := h.SignUp("alice@example.com"), h.SignUp("bob@example.com"), h.Superadmin()
	first, second, third := mint(h, alice), mint(h, bob), mint(h, root)
	if got := ids(root.Do("API_KEY.SEARCH", nil)); !slices.Equal(got, []string{third.id, second.id, first.id}) {
		t.Errorf("a superadmin finds %q", got)
	}
	if got := ids(root.Do("API_KEY.SEARCH", harness.P{"user_id": bob.UserID})); !slices.Equal(got, []string{second.id}) {
		t.Errorf("a superadmin finds %q of somebody", got)
	}
	page := root.Do("API_KEY.SEARCH", harness.P{"limit": 1})
	if got := ids(root.Do("API_KEY.SEARCH", harness.P{"limit": 2, "cursor": page.String("next_cursor")})); !slices.Equal(got, []string{second.id, first.id}) {
		t.Errorf("the next page has %q", got)
	}
	// The key of a superadmin is bound to its workspace.
	if got := ids(mint(h, root, "*").holder.Do("API_KEY.SEARCH", harness.P{"user_id": bob.UserID})); len(got) != 0 {
		t.Errorf("the key of a superadmin finds %q", got)
	}
}

func TestSearchRefuses(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	reader := mint(h, alice, "api_keys:read")
	for field, value := range map[string]any{
		"prefix": reader.text, "user_id": "bob", "scope": "apps", "unused_since": "yesterday", "name": "backup",
	} {
		alice.Do("API_KEY.SEARCH", harness.P{field: value}).Fails(fault.Validation).Field("/" + field)
	}
}

package machines_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gatehouse.internal/domain/apikey"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/keytext"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/test/harness"
)

func TestCreate(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	end := h.Clock.Now().Add(24 * time.Hour)
	made := alice.Do("API_KEY.CREATE", harness.P{
		"name": "nightly backup", "scopes": []string{"users:read", "apps:*"}, "expires_at": end.Format(time.RFC3339Nano),
		"allowed_ips": []string{"192.0.2.7", "10.0.0.1/8"},
	}).OK()
	text := made.String("key")
	if !keytext.Valid(keytext.APIKey, text) {
		t.Errorf("the key has the form %q", text)
	}
	for path, want := range map[string]string{
		"name": "nightly backup", "user_id": alice.UserID, "org_id": alice.OrgID, "status": "active", "prefix": text[:12],
		"created_at": h.Clock.Now().Format(time.RFC3339Nano), "expires_at": end.Format(time.RFC3339Nano),
	} {
		if got := made.String("api_key." + path); got != want {
			t.Errorf("%s = %q, want %q", path, got, want)
		}
	}
	if got := made.Strings("api_key.scopes"); !slices.Equal(got, []string{"apps:*", "users:read"}) {
		t.Errorf("scopes %q", got)
	}
	if got := made.Strings("api_key.allowed_ips"); !slices.Equal(got, []string{"192.0.2.7", "10.0.0.0/8"}) {
		t.Errorf("allowed_ips %q", got)
	}
	object := made.Data["api_key"].(harness.P)
	if object["last_used_at"] != nil || object["revoked_at"] != nil || len(object) != 12 {
		t.Errorf("a new key is shown as %v", object)
	}
	who := h.With(text).Do("AUTH.WHOAMI", nil).OK()
	if who.String("kind") != "api_key" || who.String("subject") != alice.UserID {
		t.Errorf("the key is %v", who.Data)
	}
	events := h.Events(apikey.KindCreated)
	if len(events) != 1 || events[0].UserID != alice.UserID || events[0].OrgID != alice.OrgID || strings.Contains(string(events[0].Data), "backup") {
		t.Errorf("events %+v", events)
	}
}

func TestCreateKeepsNoText(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	made := mint(h, h.SignUp("alice@example.com"))
	for _, r := range h.Events("") {
		if strings.Contains(string(r.Data), made.text[8:]) {
			t.Errorf("%s holds the text of a key", r.Kind)
		}
	}
	for _, table := range []string{"api_keys", "api_key_secrets"} {
		rows, err := h.Store.Database().Read.Queryx("SELECT * FROM " + table)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			row, err := rows.SliceScan()
			if err != nil || strings.Contains(fmt.Sprint(row...), made.text[12:]) {
				t.Errorf("%s holds the text of a key: %v", table, err)
			}
		}
		if err := rows.Err(); err != nil {
			t.Error(err)
		}
	}
}

func TestScopesAreWhatTheMakerHolds(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice, bob, carol, root := h.SignUp("alice@example.com"), h.SignUp("bob@example.com"), h.SignUp("carol@example.com"), h.Superadmin()
	admin := enter(t, h, bob, alice, "bob@example.com", role.Admin)
	member := enter(t, h, carol, alice, "carol@example.com", role.Member)
	for _, c := range []struct {
		name  string
		who   *harness.Actor
		scope string
		want  fault.Code
	}{
		{"an owner, everything", alice, "*", ""},
		{"an owner, a pattern", alice, "*:read", ""},
		{"an owner, what reaches across workspaces", alice, "users:manage", fault.Denied},
		{"an admin, a permission", admin, "apps:write", ""},
		{"an admin, all of a resource", admin, "apps:*", ""},
		{"an admin, more of one than held", admin, "billing:*", fault.Denied},
		{"an admin, everything", admin, "*", fault.Denied},
		{"an admin, all reading", admin, "*:read", ""},
		{"an admin, everything in two parts", admin, "*:*", fault.Denied},
		{"a member, what is held", member, "users:read", ""},
		{"a member, what is not", member, "apps:read", fault.Denied},
		{"a member, a pattern", member, "users:*", ""},
		{"a superadmin, everything", root, "*", ""},
		{"a superadmin, what reaches across workspaces", root, "users:manage", ""},
		{"no permission", root, "apps:fly", fault.Validation},
		{"no resource", root, "planes:read", fault.Validation},
		{"a pattern of nothing", root, "planes:*", fault.Validation},
		{"a pattern of instance permissions alone", root, "*:manage", fault.Validation},
		{"half a permission", root, "apps", fault.Validation},
		{"a part of a pattern", root, "app*:read", fault.Validation},
		{"other case", root, "Apps:read", fault.Validation},
		{"nothing", root, "", fault.Validation},
	} {
		r := c.who.Do("API_KEY.CREATE", harness.P{"name": "n", "scopes": []string{"users:read", c.scope}})
		switch {
		case c.scope == "users:read":
			r.Fails(fault.Validation) // the same twice
			c.who.Do("API_KEY.CREATE", harness.P{"name": "n", "scopes": []string{c.scope}}).OK()
		case c.want == "":
			if r.Failure != nil {
				t.Errorf("%s: %v", c.name, r.Failure)
			}
		case r.Failure == nil || r.Failure.Code != c.want:
			t.Errorf("%s: %v, want %s", c.name, r.Failure, c.want)
		case c.want == fault.Denied && !strings.Contains(r.Failure.Message, c.scope):
			t.Errorf("%s: %q does not name %s", c.name, r.Failure.Message, c.scope)
		case c.want == fault.Validation:
			r.Field("/scopes/1")
		}
	}
}

func TestAPIKeyCreateRefuses(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	at := func(years int, more time.Duration) string {
		return h.Clock.Now().AddDate(years, 0, 0).Add(more).Format(time.RFC3339Nano)
	}
	many := make([]string, 51)
	for i := range many {
		many[i] = fmt.Sprintf("192.0.2.%d", i)
	}
	for field, values := range map[string][]any{
		"name":        {nil, "", strings.Repeat("n", 101), "two\nlines", 7},
		"scopes":      {nil, "apps:read"},
		"expires_at":  {at(0, 0), at(0, -time.Second), at(10, time.Microsecond), "tomorrow"},
		"allowed_ips": {many},
	} {
		for _, value := range values {
			params := harness.P{"name": "n", "scopes": []string{}}
			if params[field] = value; value == nil {
				delete(params, field)
			}
			alice.Do("API_KEY.CREATE", params).Fails(fault.Validation).Field("/" + field)
		}
	}
	alice.Do("API_KEY.CREATE", harness.P{"name": "n", "scopes": []string{}, "allowed_ips": []string{"10.0.0.1", "nowhere"}}).
		Fails(fault.Validation).Field("/allowed_ips/1")
	if n := len(h.Events(apikey.KindCreated)); n != 0 {
		t.Errorf("%d keys were made", n)
	}
}

func TestAKeyNeedsItsWorkspace(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice, bob := h.SignUp("alice@example.com"), h.SignUp("bob@example.com")
	member := enter(t, h, bob, alice, "bob@example.com", role.Member)
	if _, err := h.Store.Database().Write.Exec("DELETE FROM members WHERE user_id = '" + bob.UserID + "' AND org_id = '" + alice.OrgID + "'"); err != nil {
		t.Fatal(err)
	}
	member.Do("API_KEY.CREATE", harness.P{"name": "n", "scopes": []string{}}).Fails(fault.Validation)
}

func TestAtMostAHundredActiveKeys(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice, bob := h.SignUp("alice@example.com"), h.SignUp("bob@example.com")
	first := mint(h, alice)
	for range 97 {
		mint(h, alice)
	}
	// Only two of these find room, however they meet.
	var made sync.Map
	var all sync.WaitGroup
	for i := range 6 {
		all.Go(func() {
			if r := alice.Do("API_KEY.CREATE", harness.P{"name": "n", "scopes": []string{}}); r.Failure == nil {
				made.Store(i, true)
			} else {
				r.Fails(fault.Validation)
			}
		})
	}
	all.Wait()
	n := 0
	made.Range(func(any, any) bool { n++; return true })
	if n != 2 {
		t.Errorf("%d keys found room, want 2", n)
	}
	mint(h, bob)
	alice.Do("API_KEY.REVOKE", harness.P{"key_id": first.id}).OK()
	expiring := mintWith(h, alice, harness.P{"expires_at": h.Clock.Now().Add(time.Minute).Format(time.RFC3339Nano)})
	alice.Do("API_KEY.CREATE", harness.P{"name": "n", "scopes": []string{}}).Fails(fault.Validation)
	h.Clock.Advance(time.Minute)
	expiring.holder.Do("AUTH.WHOAMI", nil).Fails(fault.Auth)
	mint(h, alice)
}

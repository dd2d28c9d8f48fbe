package machines_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/apikey"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/test/harness"
)

func TestAPIKeyUpdateChangesWhatIsGiven(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	made := mint(h, alice, "apps:read", "users:read")
	made.holder.Do("API_KEY.LIST", nil).OK()
	end := h.Clock.Now().Add(time.Hour).Format(time.RFC3339Nano)
	used := h.Clock.Now().Format(time.RFC3339Nano)
	for _, c := range []struct {
		field string
		value any
		want  any
	}{
		{"name", "other", "other"},
		{"scopes", []string{"users:read"}, []any{"users:read"}},
		{"expires_at", end, end},
		{"allowed_ips", []string{"10.0.0.7/8"}, []any{"10.0.0.0/8"}},
		{"scopes", []string{}, []any{}},
		{"allowed_ips", []string{}, []any{}},
		{"scopes", []string{"*"}, []any{"*"}},
		{"expires_at", h.Clock.Now().AddDate(10, 0, 0).Format(time.RFC3339Nano), h.Clock.Now().AddDate(10, 0, 0).Format(time.RFC3339Nano)},
	} {
		before := len(h.Events(apikey.KindUpdated))
		changed := alice.Do("API_KEY.UPDATE", harness.P{"key_id": made.id, c.field: c.value}).OK()
		object := changed.Data["api_key"].(harness.P)
		got, isList := object[c.field].([]any)
		if want, ok := c.want.([]any); ok != isList || (ok && !slices.Equal(got, want)) || (!ok && object[c.field] != c.want) {
			t.Errorf("%s = %v, want %v", c.field, object[c.field], c.want)
		}
		if object["last_used_at"] != used {
			t.Errorf("last used %v, want %v", object["last_used_at"], used)
		}
		events := h.Events(apikey.KindUpdated)
		if len(events) != before+1 || !strings.Contains(string(events[0].Data), `"changed":["`+c.field+`"]`) {
			t.Errorf("%d events more after %s changed: %s", len(events)-before, c.field, events[0].Data)
		}
	}
	before := len(h.Events(apikey.KindUpdated))
	alice.Do("API_KEY.UPDATE", harness.P{"key_id": made.id, "scopes": []string{"*"}}).OK()
	alice.Do("API_KEY.UPDATE", harness.P{"key_id": made.id}).OK()
	if after := len(h.Events(apikey.KindUpdated)); after != before {
		t.Errorf("%d events of changes that change nothing", after-before)
	}
}

func TestUpdateTakesEffectAtOnce(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	made := mint(h, alice, "api_keys:read")
	made.holder.From(7).Do("API_KEY.SEARCH", nil).OK()
	alice.Do("API_KEY.UPDATE", harness.P{"key_id": made.id, "allowed_ips": []string{"10.0.0.8"}}).OK()
	made.holder.From(7).Do("API_KEY.SEARCH", nil).Fails(fault.Auth)
	made.holder.From(8).Do("API_KEY.SEARCH", nil).OK()
	alice.Do("API_KEY.UPDATE", harness.P{"key_id": made.id, "scopes": []string{}}).OK()
	made.holder.From(8).Do("API_KEY.SEARCH", nil).Fails(fault.Denied)
	alice.Do("API_KEY.UPDATE", harness.P{"key_id": made.id, "expires_at": h.Clock.Now().Add(time.Minute).Format(time.RFC3339Nano)}).OK()
	h.Clock.Advance(time.Minute)
	made.holder.From(8).Do("AUTH.WHOAMI", nil).Fails(fault.Auth)
}

func TestUpdateNeverWidensBeyondItsMaker(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice, bob := h.SignUp("alice@example.com"), h.SignUp("bob@example.com")
	inside := enter(t, h, bob, alice, "bob@example.com", role.Admin)
	made := mint(h, inside, "apps:read")
	change := func(who *harness.Actor, scopes ...string) *harness.Reply {
		return who.Do("API_KEY.UPDATE", harness.P{"key_id": made.id, "scopes": scopes})
	}
	change(inside, "apps:write", "apps:read").OK()
	change(inside, "*").Fails(fault.Denied)
	// At home bob is an owner; what counts is what he is in the key's workspace.
	change(bob, "apps:read").Fails(fault.Validation).Field("/org_id")
	there := func(scopes ...string) *harness.Reply {
		return bob.Do("API_KEY.UPDATE", harness.P{"key_id": made.id, "scopes": scopes, "org_id": alice.OrgID})
	}
	there("*").Fails(fault.Denied)
	there("teams:delete").Fails(fault.Denied)
	there("apps:write").OK()
	demote(t, h, bob, alice, role.Admin, role.Member)
	change(inside, "apps:write").Fails(fault.Denied)
	there("apps:write").Fails(fault.Denied)
	change(inside, "users:read").OK()
	if _, err := h.Store.Database().Write.Exec("DELETE FROM members WHERE user_id = '" + bob.UserID + "' AND org_id = '" + alice.OrgID + "'"); err != nil {
		t.Fatal(err)
	}
	there("users:read").Fails(fault.NotFound)
	bob.Do("API_KEY.REVOKE", harness.P{"key_id": made.id}).OK()
}

func TestAPIKeyUpdateRefuses(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice, root := h.SignUp("alice@example.com"), h.Superadmin()
	active, expired, revoked := statuses(h, alice)
	for _, ended := range []heldKey{expired, revoked} {
		alice.Do("API_KEY.UPDATE", harness.P{"key_id": ended.id, "name": "again"}).Fails(fault.Validation)
		alice.Do("API_KEY.UPDATE", harness.P{"key_id": ended.id, "expires_at": h.Clock.Now().Add(time.Hour).Format(time.RFC3339Nano)}).Fails(fault.Validation)
	}
	absent := alice.Do("API_KEY.UPDATE", harness.P{"key_id": keyStranger, "name": "n"}).Fails(fault.NotFound)
	for _, other := range []*harness.Actor{root, h.SignUp("bob@example.com"), enter(t, h, h.SignUp("carol@example.com"), alice, "carol@example.com", role.Owner)} {
		foreign := other.Do("API_KEY.UPDATE", harness.P{"key_id": active.id, "name": "mine"}).Fails(fault.NotFound)
		if foreign.Failure.Message != absent.Failure.Message {
			t.Errorf("foreign is told as %q, absent as %q", foreign.Failure.Message, absent.Failure.Message)
		}
	}
	for field, value := range map[string]any{
		"key_id": "ses" + keyStranger[3:], "name": "", "scopes": []string{"users:read", "users:read"}, "allowed_ips": []string{""},
		"expires_at": h.Clock.Now().Format(time.RFC3339Nano),
	} {
		params := harness.P{"key_id": active.id}
		params[field] = value
		path := "/" + field
		if field == "allowed_ips" {
			path += "/0"
		}
		alice.Do("API_KEY.UPDATE", params).Fails(fault.Validation).Field(path)
	}
	if n := len(h.Events(apikey.KindUpdated)); n != 0 {
		t.Errorf("%d keys were changed", n)
	}
}

package machines_test

import (
	"slices"
	"testing"
	"time"

	"gatehouse.internal/adapters/system"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/keytext"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/test/harness"
)

// verify checks a key for scopes.
func verify(who *harness.Actor, text string, scopes ...string) *harness.Reply {
	return who.Do("API_KEY.VERIFY", harness.P{"key": text, "scopes": append([]string{}, scopes...)}).OK()
}

func TestVerifyTellsWhatAKeyMayDo(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice, bob := h.SignUp("alice@example.com"), h.SignUp("bob@example.com")
	server := alice.Machine("server", "api_keys:verify")
	inside := enter(t, h, bob, alice, "bob@example.com", role.Admin)
	end := h.Clock.Now().Add(time.Hour).Format(time.RFC3339Nano)
	made := mintWith(h, inside, harness.P{"scopes": []string{"apps:*", "apps:read", "users:read"}, "expires_at": end})
	reply := verify(server, made.text, "apps:write", "flows:read", "apps:*", "users:manage", "*")
	if !reply.Bool("valid") || reply.String("user_id") != bob.UserID || reply.String("org_id") != alice.OrgID || reply.String("expires_at") != end {
		t.Errorf("told %v", reply.Data)
	}
	if got := reply.Strings("scopes"); !slices.Equal(got, []string{"apps:read", "apps:write", "users:read"}) {
		t.Errorf("scopes %q", got)
	}
	if got := reply.Strings("missing_scopes"); !slices.Equal(got, []string{"flows:read", "users:manage", "*"}) {
		t.Errorf("missing %q", got)
	}
	if used := inside.Do("API_KEY.LIST", nil).List("items")[0]["last_used_at"]; used != h.Clock.Now().Format(time.RFC3339Nano) {
		t.Errorf("last used %v, want now", used)
	}
	demote(t, h, bob, alice, role.Admin, role.Member)
	reply = verify(server, made.text, "apps:read", "users:read")
	if scopes, missing := reply.Strings("scopes"), reply.Strings("missing_scopes"); !slices.Equal(scopes, []string{"users:read"}) || !slices.Equal(missing, []string{"apps:read"}) {
		t.Errorf("after a demotion scopes %q, missing %q", scopes, missing)
	}
	bare := verify(server, mint(h, alice).text)
	if !bare.Bool("valid") || bare.Data["expires_at"] != nil || len(bare.Strings("scopes"))+len(bare.Strings("missing_scopes")) != 0 {
		t.Errorf("a key without scopes is told as %v", bare.Data)
	}
}

func TestVerifyOfASuperadminsKey(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root := h.Superadmin()
	server := root.Machine("server", "api_keys:verify")
	reply := verify(server, mint(h, root, "users:manage", "apps:*").text, "users:manage", "sessions:manage", "apps:read")
	if missing := reply.Strings("missing_scopes"); !slices.Equal(missing, []string{"sessions:manage"}) {
		t.Errorf("missing %q", missing)
	}
}

// What is not a key of the workspace that works looks alike, whatever it is.
func TestVerifyTellsNothingOfOthers(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice, bob, carol := h.SignUp("alice@example.com"), h.SignUp("bob@example.com"), h.SignUp("carol@example.com")
	server := alice.Machine("server", "api_keys:verify")
	active, expired, revoked := statuses(h, alice)
	rotated := mint(h, alice)
	turn(h, alice, rotated, 0)
	left, gone := mint(h, enter(t, h, bob, alice, "bob@example.com", role.Member)), mint(h, enter(t, h, carol, alice, "carol@example.com", role.Member))
	for _, k := range []heldKey{left, gone} {
		if !verify(server, k.text).Bool("valid") {
			t.Error("a member's key is not valid")
		}
	}
	if _, err := h.Store.Database().Write.Exec("DELETE FROM members WHERE user_id = '" + bob.UserID + "' AND org_id = '" + alice.OrgID + "'"); err != nil {
		t.Fatal(err)
	}
	h.Superadmin().Do("USER.DISABLE", harness.P{"user_id": carol.UserID}).OK()
	for name, text := range map[string]string{
		"garbage": "garbage", "another form": active.text + "x", "unknown": string(keytext.New(keytext.APIKey, system.Random{})),
		"an app's secret": string(keytext.New(keytext.AppSecret, system.Random{})),
		"foreign":         mint(h, bob, "*").text, "expired": expired.text, "revoked": revoked.text, "rotated": rotated.text,
		"of one who left": left.text, "of a disabled user": gone.text,
	} {
		reply := verify(server, text, "apps:read")
		if reply.Bool("valid") || reply.Data["user_id"] != nil || reply.Data["org_id"] != nil || reply.Data["expires_at"] != nil ||
			len(reply.Strings("scopes"))+len(reply.Strings("missing_scopes")) != 0 || len(reply.Data) != 6 {
			t.Errorf("%s: told %v", name, reply.Data)
		}
	}
	if used := alice.Do("API_KEY.LIST", harness.P{"status": "revoked"}).List("items")[0]["last_used_at"]; used != nil {
		t.Errorf("a key that was refused was last used %v", used)
	}
}

func TestVerifyRehearsedNotesNoUse(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	server := alice.Machine("server", "api_keys:verify")
	made := mint(h, alice)
	if !server.DryRun().Do("API_KEY.VERIFY", harness.P{"key": made.text}).Bool("valid") {
		t.Error("valid = false")
	}
	if used := alice.Do("API_KEY.LIST", nil).List("items")[0]["last_used_at"]; used != nil {
		t.Errorf("last used %v", used)
	}
}

func TestVerifyRefuses(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	made := mint(h, alice, "*")
	params := harness.P{"key": made.text}
	for name, by := range map[string]*harness.Actor{
		"a person": alice, "a superadmin": h.Superadmin(), "the key": made.holder, "an app with another scope": alice.Machine("other", "api_keys:read"),
	} {
		if r := by.Do("API_KEY.VERIFY", params); r.Failure == nil || r.Failure.Code != fault.Denied {
			t.Errorf("%s: %v", name, r.Failure)
		}
	}
	server := alice.Machine("server", "api_keys:verify")
	for field, value := range map[string]any{"key": "", "/scopes/0": []string{"apps:fly"}, "scopes": []string{"apps:read", "apps:read"}} {
		path := "/" + field
		if field[0] == '/' {
			path, field = field, "scopes"
		}
		server.Do("API_KEY.VERIFY", harness.P{"key": made.text, field: value}).Fails(fault.Validation).Field(path)
	}
}

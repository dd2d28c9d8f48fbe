package people_test

import (
	"strings"
	"testing"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// A command acts in the workspace that org_id names, without a switch: with the rights
// there, and under its policies.
func TestActingElsewhere(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada := h.SignUp("ada@example.com")
	org := ada.Do("TEAM.CREATE", P{"name": "Engines"}).OK().String("organization.id")
	if got := ada.Do("TEAM.GET", P{"org_id": org}).OK(); got.String("organization.id") != org || got.Strings("roles")[0] != "owner" {
		t.Errorf("got %v", got.Data)
	}
	made := ada.Do("APP.REGISTER", P{"org_id": org, "name": "App", "slug": "elsewhere"}).OK().String("app.id")
	ada.Do("APP.GET", P{"app_id": made}).Fails(fault.NotFound)
	ada.Do("APP.GET", P{"app_id": made, "org_id": org}).OK()
	if got := ada.Do("AUTH.WHOAMI", nil).OK().String("org_id"); got != ada.OrgID {
		t.Errorf("the active workspace is %s now", got)
	}
	// Rights are those there.
	root := h.Superadmin()
	grace := h.SignUp("grace@example.com")
	root.Do("TEAM.MEMBER_ADD", P{"user_id": grace.UserID, "org_id": org, "role": "member"}).OK()
	grace.Do("TEAM.UPDATE", P{"name": "Mine"}).OK()
	grace.Do("TEAM.UPDATE", P{"org_id": org, "name": "Mine"}).Fails(fault.Denied)
	grace.Do("TEAM.LIST_MEMBERS", P{"org_id": org}).OK()
	root.Do("TEAM.UPDATE", P{"org_id": org, "name": "Looms"}).OK()
	if got := ada.Do("TEAM.GET", P{"org_id": org}).OK().String("organization.name"); got != "Looms" {
		t.Errorf("the name is %q", got)
	}
	// Whoever does not belong there learns nothing of it.
	eve := h.SignUp("eve@example.com")
	none := eve.Do("TEAM.GET", P{"org_id": "org_01jd7x9k2mf3q8v5t0abcdefgh"}).Fails(fault.NotFound)
	if got := eve.Do("TEAM.GET", P{"org_id": org}).Fails(fault.NotFound); got.Failure.Message != none.Failure.Message {
		t.Errorf("answered %v and %v", got.Failure, none.Failure)
	}
	// A key knows its own workspace alone.
	key := h.With(ada.Do("API_KEY.CREATE", P{"name": "key", "scopes": access.Permissions{"*"}}).OK().String("key"))
	key.Do("TEAM.GET", P{"org_id": org}).Fails(fault.NotFound)
	key.Do("TEAM.GET", P{"org_id": ada.OrgID}).OK()
	// The policies of the target hold.
	ada.Do("POLICY.SET", P{"org_id": org, "kind": "mfa", "values": P{"required": true}}).OK()
	refused := ada.Do("TEAM.GET", P{"org_id": org}).Fails(fault.Auth)
	if !strings.Contains(refused.Failure.Message, "TEAM.SWITCH") {
		t.Errorf("refused by %q", refused.Failure.Message)
	}
	ada.Do("POLICY.SET", P{"org_id": ada.OrgID, "kind": "mfa", "values": P{"required": false}}).OK()
}

func TestActingElsewhereByAnotherMethod(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada := h.SignUp("ada@example.com")
	org := ada.Do("TEAM.CREATE", P{"name": "Engines"}).OK().String("organization.id")
	h.Superadmin().Do("TEAM.UPDATE", P{"org_id": org, "allowed_methods": []string{"passkey"}}).OK()
	refused := ada.Do("TEAM.GET", P{"org_id": org}).Fails(fault.Auth)
	if !strings.Contains(refused.Failure.Message, "TEAM.SWITCH") {
		t.Errorf("refused by %q", refused.Failure.Message)
	}
}

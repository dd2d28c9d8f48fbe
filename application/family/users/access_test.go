package users_test

import (
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// calls are well-formed calls of every command of the family.
func calls(id string) map[string]P {
	return map[string]P{
		"USER.ME": {}, "USER.LIST": {}, "USER.GET": {"user_id": id}, "USER.UPDATE": {"display_name": "Eve"},
		"USER.CREATE": {"email": "new@example.com"}, "USER.DELETE": {"user_id": id}, "USER.DISABLE": {"user_id": id},
		"USER.CHANGE_PASSWORD": {"current_password": harness.Password, "new_password": strongPW},
		"USER.SET_PASSWORD":    {"user_id": id, "password": strongPW}, "USER.ENABLE": {"user_id": id},
		"USER.UNLOCK": {"user_id": id}, "USER.SET_ROLE": {"user_id": id, "role": "admin"},
		"USER.UNSET_ROLE": {"user_id": id, "role": "admin"}, "USER.SET_METADATA": {"user_id": id, "metadata_json": P{}},
		"USER.SET_SUPERADMIN": {"user_id": id, "is_superadmin": true},
		"USER.BULK_IMPORT":    {"users": []any{P{"email": "new@example.com"}}},
	}
}

func TestNobodyGetsInWithoutACredential(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	for command, params := range calls(nobody) {
		h.Anonymous().Do(command, params).Fails(fault.Auth)
	}
}

func TestAdministrationNeedsThePermission(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	for _, command := range []string{
		"USER.CREATE", "USER.DISABLE", "USER.ENABLE", "USER.UNLOCK", "USER.SET_PASSWORD", "USER.SET_METADATA",
		"USER.SET_SUPERADMIN", "USER.BULK_IMPORT",
	} {
		alice.Do(command, calls(alice.UserID)[command]).Fails(fault.Denied)
	}
	mere := member(h, h.Superadmin(), alice.OrgID, "mere@example.com", "member")
	mere.Do("USER.SET_ROLE", P{"user_id": mere.UserID, "role": "admin"}).Fails(fault.Denied)
	mere.Do("USER.UNSET_ROLE", P{"user_id": alice.UserID, "role": "owner"}).Fails(fault.Denied)
}

func TestAbsentAccountsAreNotFound(t *testing.T) {
	t.Parallel()
	root := harness.New(t).Superadmin()
	for _, command := range []string{
		"USER.GET", "USER.DELETE", "USER.DISABLE", "USER.ENABLE", "USER.UNLOCK", "USER.SET_PASSWORD", "USER.SET_METADATA",
		"USER.SET_SUPERADMIN", "USER.SET_ROLE", "USER.UNSET_ROLE",
	} {
		root.Do(command, calls(nobody)[command]).Fails(fault.NotFound)
	}
	root.Do("USER.UPDATE", P{"user_id": nobody, "display_name": "Nobody"}).Fails(fault.NotFound)
}

package people_test

import (
	"errors"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/family/users"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/test/harness"
)

// No role holds users:manage yet, so the handlers are called as the engine will
// call them for who holds it and is no superadmin.
func TestManagersDoNotReachSuperadmins(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root, alice, bob := h.Superadmin(), h.SignUp("alice@example.com"), h.SignUp("bob@example.com")
	manager := access.Caller{Kind: access.Person, User: user.ID(bob.UserID), Org: "org_x", Permissions: access.Permissions{"users:manage"}}
	call := func(name string, params any) error {
		found, ok := h.Engine.Registry.Find(name)
		if !ok {
			t.Fatalf("no command %s", name)
		}
		_, err := found.Handle(t.Context(), command.Call{Caller: manager}, params)
		return err
	}
	name := user.DisplayName("Eve")
	calls := func(id string) map[string]any {
		of := user.ID(id)
		return map[string]any{
			"USER.UPDATE":       users.UpdateParams{UserID: of, DisplayName: &name},
			"USER.SET_PASSWORD": users.SetPasswordParams{UserID: of, Password: secret.New(strongPW)},
			"USER.SET_METADATA": users.SetMetadataParams{UserID: of, Metadata: P{"a": 1}},
			"USER.DISABLE":      users.DisableParams{UserID: of},
			"USER.ENABLE":       users.EnableParams{UserID: of},
			"USER.UNLOCK":       users.UnlockParams{UserID: of},
		}
	}
	for command, params := range calls(root.UserID) {
		if err := call(command, params); fault.From(err).Code != fault.Denied {
			t.Errorf("%s of a superadmin: %v", command, err)
		}
	}
	if err := call("USER.DELETE", users.DeleteParams{UserID: user.ID(root.UserID)}); fault.From(err).Code != fault.Denied {
		t.Errorf("USER.DELETE of a superadmin: %v", err)
	}
	for command, params := range calls(alice.UserID) {
		if err := call(command, params); err != nil {
			t.Errorf("%s: %v", command, err)
		}
	}
	create := users.CreateParams{OrgID: "org_x", Role: "member"}
	if err := call("USER.CREATE", create); fault.From(err).Code != fault.NotFound {
		t.Errorf("USER.CREATE into a workspace without members:write: %v", err)
	}
	if err := call("USER.DELETE", users.DeleteParams{UserID: user.ID(alice.UserID)}); err != nil {
		t.Errorf("USER.DELETE: %v", err)
	}
	if err := call("USER.GET", users.GetParams{UserID: user.ID(root.UserID)}); err != nil {
		t.Errorf("USER.GET: %v", err)
	}
	imported := users.BulkImportParams{OnConflict: "update", Users: []users.UpstreamUser{
		{"email": jsontext.Value(`"` + harness.AdminEmail + `"`), "password_hash": jsontext.Value(`"` + bcryptHash + `"`)},
	}}
	if err := call("USER.BULK_IMPORT", imported); err != nil {
		t.Errorf("USER.BULK_IMPORT: %v", err)
	}
	events(t, h, root.UserID, map[event.Kind]int{"password.set": 0, "session.revoked": 0})
	root.Do("USER.ME", nil).OK()
	if err := call("USER.GET", users.GetParams{UserID: userNobody}); !errors.Is(err, user.ErrNotFound) {
		t.Errorf("USER.GET of nobody: %v", err)
	}
}

package people_test

import (
	"context"
	"testing"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	peoplestore "gatehouse.internal/adapters/sqlstore/people"
	workspacesstore "gatehouse.internal/adapters/sqlstore/workspaces"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/people"
	"gatehouse.internal/ports/outbound/workspaces"
	"gatehouse.internal/test/harness"
)

const (
	permissionNowhere = "org_01jd7x9k2mf3q8v5t0abcdefgh"
	permissionNobody  = "usr_01jd7x9k2mf3q8v5t0abcdefgh"
)

// house is a workspace of alice's with bob as a member and carol as an admin.
type house struct {
	*harness.Service

	alice, bob, carol, dave, root *harness.Actor
}

func newHouse(t *testing.T) house {
	t.Helper()
	h := harness.New(t)
	made := house{
		Service: h, alice: h.SignUp("alice@example.com"), bob: h.SignUp("bob@example.com"),
		carol: h.SignUp("carol@example.com"), dave: h.SignUp("dave@example.com"), root: h.Superadmin(),
	}
	made.join(t, made.bob, role.Member, time.Time{})
	made.join(t, made.carol, role.Admin, time.Time{})
	return made
}

// join makes somebody a member of alice's workspace, with a role until a time.
func (h house) join(t *testing.T, who *harness.Actor, name string, until time.Time) {
	t.Helper()
	unit := sqlstore.NewUnit(h.Store, func(tx *sqlstore.Tx) workspaces.Workspaces { return workspacesstore.Workspaces(tx) })
	err := unit.Do(context.Background(), func(tx workspaces.Workspaces) error {
		m := workspace.JoinOther(workspace.ID(h.alice.OrgID), user.ID(who.UserID), workspace.Builtin(role.Member), h.Clock.Now())
		m.Unassign(workspace.Builtin(role.Member))
		m.Assign(workspace.Builtin(name), until)
		return tx.SaveMember(context.Background(), m)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// entered is somebody logged into alice's workspace.
func (h house) entered(email string) *harness.Actor {
	pair := h.Anonymous().Do("AUTH.LOGIN", harness.P{"email": email, "password": harness.Password, "org_id": h.alice.OrgID}).OK()
	return h.With(pair.String("access_token"))
}

// wantCheck holds an answer against the role that allows it, "" for none.
func wantCheck(t *testing.T, r *harness.Reply, via string) {
	t.Helper()
	allowed, got := r.Bool("allowed"), r.Data["via"]
	if allowed != (via != "") || (via == "" && got != nil) || (via != "" && got != via) {
		t.Errorf("allowed %t via %v, want %q", allowed, got, via)
	}
}

func pair(resource, action string) harness.P {
	return harness.P{"resource": resource, "action": action}
}

func permissionAbout(who *harness.Actor, resource, action string) harness.P {
	p := pair(resource, action)
	p["user_id"] = who.UserID
	return p
}

func in(org string, p harness.P) harness.P {
	p["org_id"] = org
	return p
}

func TestCheckOneself(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	bob, carol := h.entered("bob@example.com"), h.entered("carol@example.com")
	for _, c := range []struct {
		who              *harness.Actor
		resource, action string
		via              string
	}{
		{h.alice, "flows", "write", "role:owner"},
		{h.alice, "teams", "delete", "role:owner"},
		{h.alice, "invoices", "export", "role:owner"},
		{h.alice, "users", "manage", ""},
		{h.alice, "sessions", "manage", ""},
		{h.alice, "users", "impersonate", ""},
		{h.alice, "privacy", "manage", ""},
		{bob, "members", "read", "role:member"},
		{bob, "members", "write", ""},
		{bob, "invoices", "export", ""},
		{carol, "members", "write", "role:admin"},
		{carol, "teams", "delete", ""},
		{carol, "invoices", "export", ""},
		{h.root, "users", "manage", "superadmin"},
		{h.root, "flows", "write", "superadmin"},
	} {
		wantCheck(t, c.who.Do("PERMISSION.CHECK", pair(c.resource, c.action)), c.via)
	}
	wantCheck(t, h.alice.Do("PERMISSION.CHECK", permissionAbout(h.alice, "flows", "write")), "role:owner")
	wantCheck(t, bob.Do("PERMISSION.CHECK", permissionAbout(h.bob, "flows", "write")), "")
}

func TestCheckInAnotherWorkspace(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	wantCheck(t, h.bob.Do("PERMISSION.CHECK", pair("flows", "write")), "role:owner")
	wantCheck(t, h.bob.Do("PERMISSION.CHECK", in(h.alice.OrgID, pair("flows", "write"))), "")
	wantCheck(t, h.bob.Do("PERMISSION.CHECK", in(h.alice.OrgID, pair("users", "read"))), "role:member")
	wantCheck(t, h.root.Do("PERMISSION.CHECK", in(h.bob.OrgID, pair("users", "manage"))), "superadmin")
	h.root.Do("PERMISSION.CHECK", in(permissionNowhere, pair("users", "read"))).Fails(fault.NotFound)
}

func TestCheckOthers(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	wantCheck(t, h.alice.Do("PERMISSION.CHECK", permissionAbout(h.bob, "users", "read")), "role:member")
	wantCheck(t, h.alice.Do("PERMISSION.CHECK", permissionAbout(h.bob, "users", "write")), "")
	wantCheck(t, h.alice.Do("PERMISSION.CHECK", permissionAbout(h.carol, "members", "write")), "role:admin")
	wantCheck(t, h.carol.Do("PERMISSION.CHECK", in(h.alice.OrgID, permissionAbout(h.alice, "teams", "delete"))), "role:owner")
	wantCheck(t, h.root.Do("PERMISSION.CHECK", in(h.alice.OrgID, permissionAbout(h.bob, "users", "read"))), "role:member")

	// Only members can be asked about, by those who hold permissions:read.
	foreign := h.alice.Do("PERMISSION.CHECK", permissionAbout(h.dave, "users", "read")).Fails(fault.NotFound)
	ghost := pair("users", "read")
	ghost["user_id"] = permissionNobody
	absent := h.alice.Do("PERMISSION.CHECK", ghost).Fails(fault.NotFound)
	if foreign.Failure.Message != absent.Failure.Message {
		t.Errorf("foreign and absent answer differently: %q, %q", foreign.Failure.Message, absent.Failure.Message)
	}
	h.root.Do("PERMISSION.CHECK", in(h.alice.OrgID, permissionAbout(h.dave, "users", "read"))).Fails(fault.NotFound)
	h.entered("bob@example.com").Do("PERMISSION.CHECK", permissionAbout(h.carol, "users", "read")).Fails(fault.Denied)
	h.bob.Do("PERMISSION.CHECK", in(h.alice.OrgID, permissionAbout(h.carol, "users", "read"))).Fails(fault.Denied)
	h.bob.Do("PERMISSION.CHECK", in(h.alice.OrgID, ghost)).Fails(fault.Denied)
	h.dave.Do("PERMISSION.CHECK", in(h.alice.OrgID, permissionAbout(h.bob, "users", "read"))).Fails(fault.NotFound)
}

func TestCheckFollowsTime(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.join(t, h.dave, role.Admin, h.Clock.Now().Add(time.Minute))
	ask := func() *harness.Reply {
		return h.alice.Do("PERMISSION.CHECK", permissionAbout(h.dave, "flows", "write"))
	}
	wantCheck(t, ask(), "role:admin")
	h.Clock.Advance(2 * time.Minute)
	wantCheck(t, ask(), "")
}

func TestCheckOfAccounts(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	change := func(who *harness.Actor, change func(*user.User)) {
		unit := sqlstore.NewUnit(h.Store, func(tx *sqlstore.Tx) people.Users { return peoplestore.Users(tx) })
		err := unit.Do(context.Background(), func(tx people.Users) error {
			u, err := tx.ByID(context.Background(), user.ID(who.UserID))
			if err != nil {
				return err
			}
			change(u)
			return tx.Save(context.Background(), u)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	change(h.carol, func(u *user.User) { u.SetSuperadmin(true, h.Clock.Now()) })
	wantCheck(t, h.alice.Do("PERMISSION.CHECK", permissionAbout(h.carol, "users", "manage")), "superadmin")
	change(h.carol, func(u *user.User) { u.Disable("test", time.Time{}, h.Clock.Now()) })
	wantCheck(t, h.alice.Do("PERMISSION.CHECK", permissionAbout(h.carol, "users", "read")), "")
}

func TestCheckRefuses(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.alice.Do("PERMISSION.CHECK", pair("*", "read")).Fails(fault.Validation).Field("/resource")
	h.alice.Do("PERMISSION.CHECK", pair("users", "*")).Fails(fault.Validation).Field("/action")
	h.alice.Do("PERMISSION.CHECK", pair("users:read", "x")).Fails(fault.Validation).Field("/resource")
}

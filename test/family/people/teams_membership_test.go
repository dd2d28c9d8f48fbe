package people_test

import (
	"strings"
	"testing"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/test/harness"
)

// on is an actor who calls another replica.
func on(h *harness.Service, a *harness.Actor) *harness.Actor { return h.With(a.AccessToken) }

// Who leaves, or is removed, loses keys and rights there at once; their sessions go on at
// home, and nobody is signed out.
func TestTheEndOfAMembership(t *testing.T) {
	t.Parallel()
	for what, end := range map[string]func(ada, grace *harness.Actor) *harness.Reply{
		"left": func(ada, grace *harness.Actor) *harness.Reply { return grace.Do("TEAM.LEAVE", P{"org_id": ada.OrgID}) },
		"removed": func(ada, grace *harness.Actor) *harness.Reply {
			return ada.Do("TEAM.MEMBER_REMOVE", P{"user_id": grace.UserID})
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			h := harness.New(t)
			ada := founded(h, "ada@example.com", "Engines")
			grace := teamMember(h, h.Superadmin(), ada.OrgID, "grace@example.com", "admin")
			key := h.With(grace.Do("API_KEY.CREATE", P{"name": "key", "scopes": access.Permissions{"members:read"}}).OK().String("key"))
			if !end(ada, grace).OK().Bool(what) {
				t.Error("not told")
			}
			recorded := h.Events(workspace.KindMemberRemoved)[0]
			if recorded.OrgID != ada.OrgID || recorded.UserID != grace.UserID || strings.Contains(string(recorded.Data), `"left":true`) != (what == "left") {
				t.Errorf("told %+v %s", recorded, recorded.Data)
			}
			key.Do("USER.ME", nil).Fails(fault.Auth)
			grace.Do("USER.ME", nil).Fails(fault.TokenExpired)
			home := after(h, refreshed(h, grace.RefreshToken).OK())
			if home.OrgID == ada.OrgID || home.Do("TEAM.GET", nil).OK().Data["organization"].(P)["personal"] != true {
				t.Errorf("goes on in %s", home.OrgID)
			}
			home.Do("TEAM.SWITCH", P{"org_id": ada.OrgID}).Fails(fault.NotFound)
			if len(ada.Do("TEAM.LIST_MEMBERS", nil).OK().List("items")) != 1 || h.Login("grace@example.com", harness.Password).OrgID != home.OrgID {
				t.Error("still a member")
			}
			end(ada, home).Fails(fault.NotFound)
			// A key does not live again with the next membership.
			h.Superadmin().Do("TEAM.MEMBER_ADD", P{"user_id": grace.UserID, "org_id": ada.OrgID, "role": "member"}).OK()
			key.Do("USER.ME", nil).Fails(fault.Auth)
		})
	}
}

func TestWhoMustStay(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root, ada := h.Superadmin(), founded(h, "ada@example.com", "Engines")
	admin := teamMember(h, root, ada.OrgID, "admin@example.com", "admin")
	owner := teamMember(h, root, ada.OrgID, "owner@example.com", "owner")
	admin.Do("TEAM.MEMBER_REMOVE", P{"user_id": owner.UserID}).Fails(fault.Denied)
	owner.Do("TEAM.MEMBER_REMOVE", P{"user_id": ada.UserID}).OK()
	owner.Do("TEAM.LEAVE", P{"org_id": owner.OrgID}).Fails(fault.Validation)
	owner.Do("TEAM.MEMBER_REMOVE", P{"user_id": owner.UserID}).Fails(fault.Validation)
	personal := h.SignUp("grace@example.com")
	personal.Do("TEAM.LEAVE", P{"org_id": personal.OrgID}).Fails(fault.Validation)
	personal.Do("TEAM.LEAVE", P{"org_id": owner.OrgID}).Fails(fault.NotFound)
	refusal := owner.Do("USER.DELETE", P{"password": harness.Password}).Fails(fault.Validation).Failure
	if !strings.Contains(refusal.Message, "Engines (engines)") {
		t.Errorf("refused by %q", refusal.Message)
	}
	// A disabled owner is none that counts.
	second := teamMember(h, root, owner.OrgID, "second@example.com", "owner")
	root.Do("USER.DISABLE", P{"user_id": second.UserID}).OK()
	owner.Do("TEAM.LEAVE", P{"org_id": owner.OrgID}).Fails(fault.Validation)
	root.Do("USER.ENABLE", P{"user_id": second.UserID}).OK()
	owner.Do("TEAM.LEAVE", P{"org_id": owner.OrgID}).OK()
}

// An account with guests in its personal workspace is not deleted with what is theirs.
func TestDeletingAHostedWorkspace(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root, ada := h.Superadmin(), h.SignUp("ada@example.com")
	guest := teamMember(h, root, ada.OrgID, "guest@example.com", "member")
	root.Do("USER.DELETE", P{"user_id": ada.UserID}).Fails(fault.Validation)
	ada.Do("USER.DELETE", P{"password": harness.Password}).Fails(fault.Validation)
	ada.Do("TEAM.MEMBER_REMOVE", P{"user_id": guest.UserID}).OK()
	ada.Do("USER.DELETE", P{"password": harness.Password}).OK()
}

func TestMemberAdd(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root, ada, grace := h.Superadmin(), founded(h, "ada@example.com", "Engines"), h.SignUp("grace@example.com")
	add := P{"user_id": grace.UserID, "org_id": ada.OrgID, "role": "admin"}
	ada.Do("TEAM.MEMBER_ADD", add).Fails(fault.Denied)
	added := root.Do("TEAM.MEMBER_ADD", add).OK()
	if added.String("member.email") != "grace@example.com" || added.Data["member"].(P)["roles"].([]any)[0] != "admin" {
		t.Errorf("added %v", added.Data)
	}
	if recorded := h.Events(workspace.KindMemberAdded)[0]; recorded.OrgID != ada.OrgID || recorded.UserID != grace.UserID {
		t.Errorf("told %+v", recorded)
	}
	root.Do("TEAM.MEMBER_ADD", add).Fails(fault.Validation).Field("/user_id")
	if switched(h, grace, ada.OrgID).Do("TEAM.UPDATE", P{"name": "Looms"}).Failure != nil {
		t.Error("the role does not hold")
	}
	add["role"] = "nobody"
	root.Do("TEAM.MEMBER_ADD", add).Fails(fault.Validation).Field("/role")
}

func TestTransferOwnership(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root, ada := h.Superadmin(), founded(h, "ada@example.com", "Engines")
	grace := teamMember(h, root, ada.OrgID, "grace@example.com", "member")
	grace.Do("TEAM.TRANSFER_OWNERSHIP", P{"user_id": ada.UserID}).Fails(fault.Denied)
	ada.Do("TEAM.TRANSFER_OWNERSHIP", P{"user_id": ada.UserID}).Fails(fault.Validation).Field("/user_id")
	ada.Do("TEAM.TRANSFER_OWNERSHIP", P{"user_id": root.UserID}).Fails(fault.NotFound)
	ada.Do("TEAM.TRANSFER_OWNERSHIP", P{"user_id": grace.UserID, "keep_role": "owner"}).Fails(fault.Validation).Field("/keep_role")
	ada.Do("TEAM.TRANSFER_OWNERSHIP", P{"user_id": grace.UserID, "keep_role": "admin"}).OK()
	roles := func(a *harness.Actor) string { return strings.Join(a.Do("TEAM.GET", nil).OK().Strings("roles"), " ") }
	if roles(ada) != "admin" || roles(grace) != "member owner" {
		t.Errorf("the roles are %q and %q", roles(ada), roles(grace))
	}
	if recorded := h.Events(workspace.KindTransferred)[0]; recorded.UserID != grace.UserID || !strings.Contains(string(recorded.Data), ada.UserID) {
		t.Errorf("told %+v %s", recorded, recorded.Data)
	}
	grace.Do("TEAM.TRANSFER_OWNERSHIP", P{"user_id": ada.UserID}).OK()
	if roles(grace) != "member" || roles(ada) != "admin owner" {
		t.Errorf("the roles are %q and %q", roles(grace), roles(ada))
	}
	root.Do("USER.DISABLE", P{"user_id": grace.UserID}).OK()
	ada.Do("TEAM.TRANSFER_OWNERSHIP", P{"user_id": grace.UserID}).Fails(fault.Validation).Field("/user_id")
	personal := h.SignUp("alone@example.com")
	guest := teamMember(h, root, personal.OrgID, "guest@example.com", "member")
	personal.Do("TEAM.TRANSFER_OWNERSHIP", P{"user_id": guest.UserID}).Fails(fault.Validation)
}

// Of two owners who go at once, by whatever way and on whichever replica, one stays.
func TestOneOwnerStays(t *testing.T) {
	t.Parallel()
	type way func(h *harness.Service, self, other *harness.Actor) *harness.Reply
	leave := func(h *harness.Service, self, _ *harness.Actor) *harness.Reply {
		return on(h, self).Do("TEAM.LEAVE", P{"org_id": self.OrgID})
	}
	remove := func(h *harness.Service, self, other *harness.Actor) *harness.Reply {
		return on(h, self).Do("TEAM.MEMBER_REMOVE", P{"user_id": other.UserID})
	}
	demote := func(h *harness.Service, self, _ *harness.Actor) *harness.Reply {
		return on(h, self).Do("USER.UNSET_ROLE", P{"user_id": self.UserID, "role": "owner"})
	}
	vanish := func(h *harness.Service, self, _ *harness.Actor) *harness.Reply {
		return on(h, self).Do("USER.DELETE", P{"password": harness.Password})
	}
	transfer := func(h *harness.Service, self, other *harness.Actor) *harness.Reply {
		return on(h, self).Do("TEAM.TRANSFER_OWNERSHIP", P{"user_id": other.UserID})
	}
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		root := here.Superadmin()
		ways := map[string]way{"leave": leave, "remove": remove, "demote": demote, "vanish": vanish, "transfer": transfer}
		for one, first := range ways {
			for other, second := range ways {
				name := one + "-" + other
				ada := founded(here, name+"-a@example.com", name)
				grace := teamMember(here, root, ada.OrgID, name+"-g@example.com", "owner")
				harness.Together(2, func(i int) *harness.Reply {
					if i == 0 {
						return first(here, ada, grace)
					}
					return second(there, grace, ada)
				})
				if n := owners(t, here, ada.OrgID); n == 0 {
					t.Errorf("%s: no owner is left", name)
				}
			}
		}
	})
}

// owners counts the memberships of a workspace that hold the role owner for good.
func owners(t *testing.T, h *harness.Service, org string) (count int) {
	t.Helper()
	database := h.Store.Database()
	text := database.Dialect.Placeholders(`SELECT COUNT(*) FROM members WHERE org_id = ? AND grants LIKE '%{"role":"owner"}%'`)
	if err := database.Read.GetContext(t.Context(), &count, text, org); err != nil {
		t.Fatal(err)
	}
	return count
}

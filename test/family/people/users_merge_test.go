package people_test

import (
	"fmt"
	"slices"
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/test/harness"
)

// joins has a host invite somebody to the host's active workspace.
func joins(h *harness.Service, host, guest *harness.Actor, email, role string) {
	host.Do("TEAM.INVITE", P{"email": email, "role": role}).OK()
	guest.Do("TEAM.INVITATION_ACCEPT", P{"token": h.LastMail(email).Token()}).OK()
}

// onReplicas runs a test on both databases, with two replicas on PostgreSQL.
func onReplicas(t *testing.T, test func(t *testing.T, here, there *harness.Service)) {
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		h := harness.New(t)
		test(t, h, h)
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		dsn := harness.Postgres(t)
		test(t, harness.On(t, dsn), harness.On(t, dsn))
	})
}

func merge(by *harness.Actor, source, target string) *harness.Reply {
	return by.Do("USER.MERGE", P{"source_user_id": source, "target_user_id": target})
}

func TestMerge(t *testing.T) {
	t.Parallel()
	onReplicas(t, func(t *testing.T, here, there *harness.Service) {
		const was, stays = "ada.old@example.com", "ada@example.com"
		host, source, target := here.SignUpVerified("host@example.com"), here.SignUpVerified(was), here.SignUp(stays)
		joins(here, host, source, was, "admin")
		joins(here, host, target, stays, "member")
		group := host.Do("GROUP.CREATE", P{"name": "Ops"}).OK().String("group.id")
		host.Do("GROUP.MEMBER_ADD", P{"group_id": group, "user_ids": []string{source.UserID}}).OK()
		joins(here, source, host, "host@example.com", "member") // The personal workspace has a guest.
		source.Do("RELATION.MODEL_SET", P{"model": "model\n  schema 1.1\ntype user\ntype docs\n  relations\n    define edit: [user]"}).OK()
		source.Do("RELATION.WRITE", P{"tuples": []P{
			{"object": "docs:1", "relation": "edit", "subject": "user:" + source.UserID},
			{"object": "docs:2", "relation": "edit", "subject": "user:" + target.UserID},
			{"object": "docs:2", "relation": "edit", "subject": "user:" + source.UserID},
		}}).OK()
		key := here.With(source.Do("API_KEY.CREATE", P{"name": "ci", "scopes": []string{"*"}}).OK().String("key"))
		key.Do("USER.ME", nil).OK()
		machine := source.Machine("of-ada", "members:read")
		device := source.Passkey()
		source.Do("TEAM.INVITE", P{"org_id": host.OrgID, "email": "guest@example.com", "role": "admin"}).OK()
		invitation := P{"token": here.LastMail("guest@example.com").Token()}
		guest := here.SignUp("guest@example.com")
		before := len(source.Do("NOTIFICATION.LIST", nil).OK().List("items"))
		app := target.EnrollApp()
		root := here.Superadmin()

		dry := root.DryRun().Do("USER.MERGE", P{"source_user_id": source.UserID, "target_user_id": target.UserID}).OK()
		if !slices.Contains(dry.Strings("dry_run.events"), string(user.KindMerged)) {
			t.Errorf("a dry run tells of %v", dry.Data["dry_run"])
		}
		if got := dry.Data["dry_run"].(P)["counts"].(P)[string(user.KindMerged)]; got != float64(1) {
			t.Errorf("a dry run counts %v merges, want 1", got)
		}
		done := merge(root.Idempotent("merge-1"), source.UserID, target.UserID).OK()
		if again := merge(there.With(root.AccessToken).Idempotent("merge-1"), source.UserID, target.UserID).OK(); again.Int("moved.passkeys") != 1 {
			t.Errorf("the same call again answered %v", again.Data)
		}
		for name, want := range map[string]int{"identities": 0, "passkeys": 1, "api_keys": 1, "workspaces": 1, "groups": 1, "relations": 1, "invitations": 1, "notifications": before} {
			if got := done.Int("moved." + name); got != want {
				t.Errorf("%d %s were moved, want %d", got, name, want)
			}
		}
		if recorded := here.Events(user.KindMerged); len(recorded) != 1 || recorded[0].UserID != target.UserID {
			t.Errorf("told %v", recorded)
		}
		source.Do("USER.ME", nil).Fails(fault.Auth)
		merge(root, source.UserID, target.UserID).Fails(fault.NotFound)
		if me := key.Do("USER.ME", nil).OK(); me.String("id") != target.UserID {
			t.Errorf("the key is %s's", me.String("id"))
		}
		machine.Do("AUTH.WHOAMI", nil).OK()
		if by := there.Anonymous().Do("TEAM.INVITATION_GET", invitation).OK(); by.String("role") != "admin" {
			t.Errorf("the source's invitation offers %v", by.Data)
		}
		guest.Do("TEAM.INVITATION_ACCEPT", invitation).OK()
		entered := there.With(there.LoginByPasskey(device).OK().String("access_token"))
		if who := entered.Do("AUTH.WHOAMI", nil).OK(); who.String("subject") != target.UserID {
			t.Errorf("the passkey opens the account %s", who.String("subject"))
		}
		again := there.LoginBy(stays, app)
		shared := again.Do("TEAM.SWITCH", P{"org_id": host.OrgID}).OK()
		who := there.With(shared.String("access_token")).Do("AUTH.WHOAMI", nil).OK()
		roles := who.Strings("roles")
		if !slices.Contains(roles, "admin") || !slices.Contains(roles, "member") {
			t.Errorf("roles in the shared workspace: %v", roles)
		}
		if got := host.Do("GROUP.GET", P{"group_id": group}).OK(); got.Int("member_count") != 1 {
			t.Errorf("group = %v", got.Data)
		}
		again = there.With(shared.String("access_token"))
		home := again.Do("TEAM.GET", P{"org_id": source.OrgID}).OK()
		if home.Bool("organization.personal") || home.Int("member_count") != 2 {
			t.Errorf("what was the personal workspace: %v", home.Data)
		}
		for _, object := range []string{"docs:1", "docs:2"} {
			asked := P{"org_id": source.OrgID, "object": object, "relation": "edit", "subject": "user:" + target.UserID}
			if !again.Do("RELATION.CHECK", asked).OK().Bool("allowed") {
				t.Errorf("%s is not the target's", object)
			}
		}
		// Its address is free, and nobody gets in by it.
		here.Anonymous().Do("AUTH.LOGIN", P{"email": was, "password": harness.Password}).Fails(fault.Auth)
		here.SignUp(was)
		here.DeliverMail()
		for _, address := range []string{was, stays} {
			if len(here.Mail(address)) == 0 {
				t.Errorf("%s was not told", address)
			}
		}
	})
}

func TestMergeRefuses(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root, bob, eve := h.Superadmin(), h.SignUp("bob@example.com"), h.SignUp("eve@example.com")
	merge(bob, eve.UserID, bob.UserID).Fails(fault.Denied)
	merge(root, bob.UserID, bob.UserID).Fails(fault.Validation).Field("/target_user_id")
	merge(root, root.UserID, bob.UserID).Fails(fault.Validation).Field("/source_user_id")
	merge(root, bob.UserID, userNobody).Fails(fault.NotFound)
	merge(root, userNobody, bob.UserID).Fails(fault.NotFound)
	// Who is no superadmin themselves becomes none by a merge, nor ends one.
	key := h.With(root.Do("API_KEY.CREATE", P{"name": "ops", "scopes": []string{"users:manage"}}).OK().String("key"))
	merge(key, bob.UserID, root.UserID).Fails(fault.Denied)
	other := h.SignUp("other@example.com")
	root.Do("USER.SET_SUPERADMIN", P{"user_id": other.UserID, "is_superadmin": true}).OK()
	merge(key, other.UserID, bob.UserID).Fails(fault.Denied)
	root.Do("USER.DISABLE", P{"user_id": eve.UserID}).OK()
	merge(root, eve.UserID, bob.UserID).Fails(fault.Validation)
	merge(root, bob.UserID, eve.UserID).Fails(fault.Validation)
	if got := len(h.Events(user.KindMerged)); got != 0 {
		t.Errorf("%d merges", got)
	}
	// Superadmin is not handed over.
	if got := merge(root, other.UserID, bob.UserID).OK(); got.Bool("user.is_superadmin") {
		t.Error("a merge made a superadmin")
	}
}

// Of a merge of two accounts both ways at once, on two replicas, one succeeds, and what
// both had is the other's.
func TestMergeBothWays(t *testing.T) {
	t.Parallel()
	onReplicas(t, func(t *testing.T, here, there *harness.Service) {
		roots := []*harness.Actor{here.Superadmin(), there.Superadmin()}
		for i := range 3 {
			one, other := here.SignUp(fmt.Sprintf("one%d@example.com", i)), here.SignUp(fmt.Sprintf("other%d@example.com", i))
			orgs := []string{one.OrgID, other.OrgID}
			ids := []string{one.UserID, other.UserID}
			replies := harness.Together(2, func(i int) *harness.Reply { return merge(roots[i], ids[i], ids[1-i]) })
			codes := harness.Codes(replies)
			if codes[""] != 1 || codes[fault.NotFound] != 1 {
				t.Fatalf("answered %v", codes)
			}
			left := replies[0]
			if left.Failure != nil {
				left = replies[1]
			}
			address := left.String("user.email")
			who := here.Login(address, harness.Password)
			for _, org := range orgs {
				who.Do("TEAM.GET", P{"org_id": org}).OK()
			}
		}
	})
}

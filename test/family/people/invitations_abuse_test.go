package people_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// Whoever did not verify an address may be anybody, and invites nobody; nor do the machines of
// their workspaces.
func TestUnverifiedAccountsInviteNobody(t *testing.T) {
	t.Parallel()
	for _, database := range []string{harness.SQLite(t), harness.Postgres(t)} {
		h := harness.On(t, database)
		ada := h.SignUp("ada@example.com")
		verify := P{"token": h.LastMail("ada@example.com").Token()}
		ada.Do("ROLE.CREATE", P{"name": "Guest", "permissions": []string{"members:read"}}).OK()
		machine := ada.Machine("inviter", "members:read", "members:write")
		invite := P{"email": "guest@example.com", "role": "guest"}
		refused := func(by *harness.Actor, name string, p P) {
			t.Helper()
			refusal := by.Do(name, p).Fails(fault.Denied)
			if !strings.Contains(refusal.Failure.Message, "AUTH.VERIFY_EMAIL") {
				t.Errorf("%s: %s", name, refusal.Failure.Message)
			}
		}
		refused(ada, "TEAM.INVITE", invite)
		refused(ada, "TEAM.BULK_INVITE", P{"emails": []string{"guest@example.com"}, "role": "member"})
		refused(machine, "TEAM.INVITE", invite)
		if got := len(h.Mail("guest@example.com")); got != 0 {
			t.Errorf("%d mails to the guest", got)
		}
		ada.Do("AUTH.VERIFY_EMAIL", verify).OK()
		h.Login("ada@example.com", harness.Password).Do("TEAM.INVITE", invite).OK()
		machine.Do("TEAM.INVITE", P{"email": "other@example.com", "role": "guest"}).OK()
	}
}

// Invitations count for the inviter over all workspaces, and for the instance.
func TestInvitationsCountOverWorkspaces(t *testing.T) {
	t.Parallel()
	onReplicas(t, func(t *testing.T, here, there *harness.Service) {
		ada, bob := verified(here, "ada@example.com"), verified(here, "bob@example.com")
		second := ada.Do("TEAM.CREATE", P{"name": "Engines"}).OK().String("organization.id")
		here.Superadmin().Do("SETTINGS.SET", P{"values": P{"max_invitations_per_user": 3, "max_invitations": 5}}).OK()
		n := 0
		invite := func(by *harness.Actor, org string) *harness.Reply {
			n++
			return by.Do("TEAM.INVITE", P{"org_id": org, "email": fmt.Sprintf("guest%d@example.com", n), "role": "member"})
		}
		invite(ada, ada.OrgID).OK()
		invite(there.With(ada.AccessToken), second).OK()
		invite(ada, second).OK()
		if refusal := invite(there.With(ada.AccessToken), ada.OrgID).Fails(fault.RateLimited); refusal.Failure.RetryAfter <= 0 || refusal.Failure.RetryAfter > time.Hour {
			t.Errorf("the fourth of an inviter: %+v", refusal.Failure)
		}
		invite(bob, bob.OrgID).OK()
		invite(bob, bob.OrgID).OK()
		invite(there.With(bob.AccessToken), bob.OrgID).Fails(fault.RateLimited)
	})
}

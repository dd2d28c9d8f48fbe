package signin_test

import (
	"testing"
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/invitation"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/test/harness"
)

const guestAddress = "guest@example.com"

// invited has a host invite an address and closes registration.
func invited(h *harness.Service, host *harness.Actor, to string) string {
	host.Do("TEAM.INVITE", P{"email": to, "role": "member"}).OK()
	h.Superadmin().Do("SETTINGS.SET", P{"values": P{"public_registration": false}}).OK()
	return h.LastMail(to).Token()
}

// members counts who belongs to a host's workspace.
func members(host *harness.Actor) int {
	return len(host.Do("TEAM.LIST_MEMBERS", nil).OK().List("items"))
}

// Who is invited and has no account gets one by a mailed code or link, although
// registration is closed; of two answers at once one makes it.
func TestInvitedByMail(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		host := here.SignUpVerified("host@example.com")
		token := invited(here, host, guestAddress)
		authStart(here, P{"email": "eve@example.com", "invitation_token": token}).Fails(fault.Denied)
		authStart(here, P{"email": guestAddress, "invitation_token": token + "x"}).Fails(fault.Auth)
		plain := authStart(here, P{"email": guestAddress}).OK()
		if here.DeliverMail(); len(here.Mail(guestAddress)) != 1 {
			t.Fatalf("%d mails, want the invitation alone", len(here.Mail(guestAddress)))
		}
		enter(here, P{"challenge_id": plain.String("challenge_id"), "code": "123456"}).Fails(fault.Auth)

		begun := authStart(here, P{"email": "GUEST@example.com", "invitation_token": token}).OK()
		right := here.MailedCode(guestAddress)
		enter(here, P{"challenge_id": begun.String("challenge_id"), "code": wrongCode(right)}).Fails(fault.Auth)
		answer := P{"challenge_id": begun.String("challenge_id"), "code": right}
		replies := harness.Together(4, func(i int) *harness.Reply { return enter([]*harness.Service{here, there}[i%2], answer) })
		if n := harness.Codes(replies); n[""] != 1 {
			t.Fatalf("four answers at once = %v", n)
		}
		for _, one := range replies {
			if one.Failure != nil {
				continue
			}
			me := here.With(one.String("access_token")).Do("USER.ME", nil).OK()
			if me.String("email") != guestAddress || !me.Bool("email_verified") {
				t.Errorf("signed in as %v", me.Data)
			}
		}
		for kind, want := range map[event.Kind]int{invitation.KindAccepted: 1, workspace.KindMemberAdded: 1} {
			if got := len(here.Events(kind)); got != want {
				t.Errorf("%d of %s", got, kind)
			}
		}
		if got := members(host); got != 2 {
			t.Errorf("%d belong to the workspace", got)
		}
		authStart(here, P{"email": guestAddress, "invitation_token": token}).Fails(fault.Auth)

		host.Do("TEAM.INVITE", P{"email": "second@example.com", "role": "member"}).OK()
		token = here.LastMail("second@example.com").Token()
		authStart(here, P{"email": "second@example.com", "method": "link", "invitation_token": token}).OK()
		mailed := P{"token": here.LastMail("second@example.com").Token()}
		if seen := there.Anonymous().Do("AUTH.TICKET_GET", mailed).OK(); !seen.Bool("valid") || seen.String("purpose") != "login" {
			t.Errorf("the link of a guest is seen as %v", seen.Data)
		}
		enter(there, mailed).OK()
		if there.Anonymous().Do("AUTH.TICKET_GET", mailed).OK().Bool("valid") {
			t.Error("the link of a guest is seen as valid after its use")
		}
		if got := members(host); got != 3 {
			t.Errorf("%d belong to the workspace after the link", got)
		}
	})
}

// Who has an account joins once they gave their second factor, and is let in without the
// invitation where that is worth nothing by then.
func TestInvitedWithAccount(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		host, guest := here.SignUpVerified("host@example.com"), authVerified(here, guestAddress)
		token := invited(here, host, guestAddress)
		device := guest.EnrollApp()
		begin := func() P {
			begun := authStart(here, P{"email": guestAddress, "invitation_token": token}).OK()
			return P{"challenge_id": begun.String("challenge_id"), "code": here.MailedCode(guestAddress)}
		}
		factor := func(challenge *harness.Reply) *harness.Reply {
			here.Clock.Advance(time.Minute)
			if there != here {
				there.Clock.Advance(time.Minute)
			}
			return there.Anonymous().Do("AUTH.MFA_VERIFY", P{"challenge_token": challenge.String("challenge_token"), "code": device.Code()})
		}
		waiting := enter(here, begin()).OK()
		if !waiting.Bool("mfa_required") || members(host) != 1 {
			t.Fatalf("joined before the second factor: %v, %d members", waiting.Data, members(host))
		}
		second := enter(here, begin()).OK()
		factor(waiting).OK()
		if got := members(host); got != 2 {
			t.Fatalf("%d belong to the workspace", got)
		}
		factor(second).OK()
		if got := len(here.Events(invitation.KindAccepted)); got != 1 {
			t.Errorf("accepted %d times", got)
		}
	})
}

// What an invitation was worth when the code was asked for is judged anew.
func TestInvitationThatEndsMeanwhile(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		boss := here.SignUpVerified("boss@example.com")
		host := here.SignUpVerified("host@example.com")
		boss.Do("TEAM.INVITE", P{"email": "host@example.com", "role": "admin"}).OK()
		host.Do("TEAM.INVITATION_ACCEPT", P{"token": here.LastMail("host@example.com").Token()}).OK()
		host.Do("TEAM.INVITE", P{"org_id": boss.OrgID, "email": guestAddress, "role": "admin"}).OK()
		token := here.LastMail(guestAddress).Token()
		begun := authStart(here, P{"email": guestAddress, "invitation_token": token}).OK()
		answer := P{"challenge_id": begun.String("challenge_id"), "code": here.MailedCode(guestAddress)}
		boss.Do("USER.SET_ROLE", P{"user_id": host.UserID, "role": "member"}).OK()
		boss.Do("USER.UNSET_ROLE", P{"user_id": host.UserID, "role": "admin"})
		before := len(here.Events(user.KindCreated))
		enter(there, answer).Fails(fault.Denied)
		if got := here.Events(invitation.KindRevoked); len(got) != 1 || len(here.Events(user.KindCreated)) != before {
			t.Errorf("%d invitations were taken back, %d accounts made", len(got), len(here.Events(user.KindCreated))-before)
		}
		// An address that got an account meanwhile is no guest's any more.
		boss.Do("TEAM.INVITE", P{"email": "late@example.com", "role": "member"}).OK()
		token = here.LastMail("late@example.com").Token()
		begun = authStart(here, P{"email": "late@example.com", "invitation_token": token}).OK()
		answer = P{"challenge_id": begun.String("challenge_id"), "code": here.MailedCode("late@example.com")}
		here.SignUp("LATE@example.com")
		enter(there, answer).Fails(fault.Auth)
	})
}

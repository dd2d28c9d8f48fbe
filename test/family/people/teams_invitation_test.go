package people_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/invitation"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/test/harness"
)

// invited is the token of an invitation that is mailed to an address.
func invited(h *harness.Service, by *harness.Actor, email, role string) (token, id string) {
	id = by.Do("TEAM.INVITE", P{"email": email, "role": role}).OK().String("invitation.id")
	return h.LastMail(email).Token(), id
}

// verified signs somebody up whose address is theirs.
func verified(h *harness.Service, email string) *harness.Actor {
	h.SignUpVerified(email)
	return h.Login(email, harness.Password)
}

func TestInviteAndAccept(t *testing.T) {
	t.Parallel()
	for _, database := range []string{harness.SQLite(t), harness.Postgres(t)} {
		h := harness.On(t, database)
		ada, grace := founded(h, "ada@example.com", "Engines"), verified(h, "grace@example.com")
		sent := ada.Do("TEAM.INVITE", P{"email": "Grace@Example.com", "role": "admin", "message": "Welcome!", "expires_in_days": 2}).OK()
		if sent.String("invitation.status") != "pending" || sent.String("invitation.role") != "admin" || sent.String("invitation.invited_by") != ada.UserID {
			t.Errorf("sent %v", sent.Data)
		}
		letter := h.LastMail("Grace@example.com")
		if !strings.HasPrefix(letter.Link(), harness.Issuer+"/invitation?token=") || strings.Contains(letter.Text+letter.HTML, "Welcome!") {
			t.Errorf("mailed %s", letter.Text)
		}
		token := P{"token": letter.Token()}
		offer := h.Anonymous().Do("TEAM.INVITATION_GET", token).OK()
		if offer.String("organization.name") != "Engines" || offer.String("email_hint") != "G***@e***.com" || offer.String("role") != "admin" ||
			offer.String("message") != "Welcome!" || offer.Has("organization.metadata_json") {
			t.Errorf("offers %v", offer.Data)
		}
		got := grace.Do("TEAM.INVITATION_ACCEPT", token).OK()
		if got.String("organization.id") != ada.OrgID || got.Strings("roles")[0] != "admin" {
			t.Errorf("accepted %v", got.Data)
		}
		recorded, added := h.Events(invitation.KindAccepted)[0], h.Events(workspace.KindMemberAdded)[0]
		if recorded.OrgID != ada.OrgID || recorded.UserID != grace.UserID || added.UserID != grace.UserID {
			t.Errorf("told %+v, %+v", recorded, added)
		}
		if listed := ada.Do("TEAM.INVITATION_LIST", P{"status": "accepted"}).OK().List("items"); len(listed) != 1 || listed[0]["accepted_by"] != grace.UserID {
			t.Errorf("listed %v", listed)
		}
		if got := teamEntered(h, "grace@example.com", ada.OrgID).OrgID; got != ada.OrgID {
			t.Errorf("grace is in %s", got)
		}
		// Used twice, by whoever it is.
		grace.Do("TEAM.INVITATION_ACCEPT", token).Fails(fault.Auth)
		h.Anonymous().Do("TEAM.INVITATION_GET", token).Fails(fault.Auth)
		ada.Do("TEAM.INVITE", P{"email": "grace@example.com", "role": "member"}).Fails(fault.Validation)
	}
}

// Of those who accept at once, on two replicas, one does.
func TestAcceptAtOnce(t *testing.T) {
	t.Parallel()
	for _, database := range []string{harness.SQLite(t), harness.Postgres(t)} {
		h := harness.On(t, database)
		other := harness.On(t, database)
		ada, grace := founded(h, "ada@example.com", "Engines"), verified(h, "grace@example.com")
		token, _ := invited(h, ada, "grace@example.com", "member")
		replies := harness.Together(6, func(i int) *harness.Reply {
			if i%2 == 0 {
				return other.With(grace.AccessToken).Do("TEAM.INVITATION_ACCEPT", P{"token": token})
			}
			return grace.Do("TEAM.INVITATION_ACCEPT", P{"token": token})
		})
		if codes := harness.Codes(replies); codes[""] != 1 || codes[fault.Auth] != 5 {
			t.Errorf("answered %v", codes)
		}
		if n := len(h.Events(workspace.KindMemberAdded)); n != 1 {
			t.Errorf("%d members were added", n)
		}
	}
}

// A token is worth nothing to others, after its end, and once another was sent.
func TestWorthlessInvitations(t *testing.T) {
	t.Parallel()
	for _, database := range []string{harness.SQLite(t), harness.Postgres(t)} {
		h := harness.On(t, database)
		ada, grace, eve := founded(h, "ada@example.com", "Engines"), verified(h, "grace@example.com"), verified(h, "eve@example.com")
		first, id := invited(h, ada, "grace@example.com", "member")
		eve.Do("TEAM.INVITATION_ACCEPT", P{"token": first}).Fails(fault.Denied)
		worthless := func(token string) {
			t.Helper()
			grace.Do("TEAM.INVITATION_ACCEPT", P{"token": token}).Fails(fault.Auth)
			h.Anonymous().Do("TEAM.INVITATION_GET", P{"token": token}).Fails(fault.Auth)
		}
		worthless("guessed")
		worthless(strings.Repeat("A", 43))
		second, same := invited(h, ada, "grace@example.com", "admin")
		if same != id || len(h.Events(invitation.KindResent)) != 1 {
			t.Errorf("inviting again made %s of %s", same, id)
		}
		worthless(first)
		again := ada.Do("TEAM.INVITATION_RESEND", P{"invitation_id": id}).OK()
		if again.String("invitation.role") != "admin" {
			t.Errorf("sent again %v", again.Data)
		}
		worthless(second)
		third := h.LastMail("grace@example.com").Token()
		ada.Do("TEAM.INVITATION_REVOKE", P{"invitation_id": id}).OK()
		worthless(third)
		ada.Do("TEAM.INVITATION_REVOKE", P{"invitation_id": id}).Fails(fault.Validation)
		ada.Do("TEAM.INVITATION_RESEND", P{"invitation_id": id}).Fails(fault.Validation)
		for _, command := range []string{"TEAM.INVITATION_REVOKE", "TEAM.INVITATION_RESEND"} {
			eve.Do(command, P{"invitation_id": id}).Fails(fault.NotFound)
		}
		fourth, _ := invited(h, ada, "grace@example.com", "member")
		h.Clock.Advance(invitation.DefaultDays*24*time.Hour - time.Second)
		h.Anonymous().Do("TEAM.INVITATION_GET", P{"token": fourth}).OK()
		h.Clock.Advance(time.Second)
		ada, grace = teamEntered(h, "ada@example.com", ada.OrgID), h.Login("grace@example.com", harness.Password)
		worthless(fourth)
		if listed := ada.Do("TEAM.INVITATION_LIST", P{"status": "expired"}).OK().List("items"); len(listed) != 1 || listed[0]["status"] != "expired" {
			t.Errorf("listed %v", listed)
		}
		fifth, _ := invited(h, ada, "grace@example.com", "member") // renews the one that has expired
		grace.Do("TEAM.INVITATION_ACCEPT", P{"token": fifth}).OK()
	}
}

// What a sender may not offer any more is revoked, and the guest told to ask again.
func TestSenderLostTheRole(t *testing.T) {
	t.Parallel()
	for _, database := range []string{harness.SQLite(t), harness.Postgres(t)} {
		h := harness.On(t, database)
		root, ada, grace := h.Superadmin(), founded(h, "ada@example.com", "Engines"), verified(h, "grace@example.com")
		bob := teamMember(h, root, ada.OrgID, "bob@example.com", "admin")
		root.Do("USER.SET_EMAIL", P{"user_id": bob.UserID, "email": "bob@example.com", "verified": true}).OK()
		bob.Do("TEAM.INVITE", P{"email": "grace@example.com", "role": "owner"}).Fails(fault.Denied)
		token, id := invited(h, bob, "grace@example.com", "member")
		ada.Do("USER.SET_ROLE", P{"user_id": bob.UserID, "role": "member"}).OK()
		ada.Do("USER.UNSET_ROLE", P{"user_id": bob.UserID, "role": "admin"}).OK()
		got := grace.Do("TEAM.INVITATION_ACCEPT", P{"token": token}).Fails(fault.Denied)
		if !strings.Contains(got.Failure.Message, "ask for a new") {
			t.Errorf("told %s", got.Failure.Message)
		}
		if listed := ada.Do("TEAM.INVITATION_LIST", P{"status": "revoked"}).OK().List("items"); len(listed) != 1 || listed[0]["id"] != id {
			t.Errorf("listed %v", listed)
		}
		if recorded := h.Events(invitation.KindRevoked); len(recorded) != 1 || !strings.Contains(string(recorded[0].Data), "sender_lost_role") {
			t.Errorf("told %v", recorded)
		}
		grace.Do("TEAM.INVITATION_ACCEPT", P{"token": token}).Fails(fault.Auth)
	}
}

// An app's invitation holds as long as the app does.
func TestInvitedByAnApp(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada, grace := founded(h, "ada@example.com", "Engines"), verified(h, "grace@example.com")
	app := ada.Machine("inviter", "members:write", "members:read", "users:read", "products:read")
	app.Do("TEAM.INVITE", P{"email": "grace@example.com", "role": "admin"}).Fails(fault.Denied)
	token, _ := invited(h, app, "grace@example.com", "member")
	apps := ada.Do("APP.LIST", nil).OK().List("items")
	ada.Do("APP.UPDATE", P{"app_id": apps[0]["id"], "enabled": false}).OK()
	grace.Do("TEAM.INVITATION_ACCEPT", P{"token": token}).Fails(fault.Denied)
	grace.Do("TEAM.INVITATION_ACCEPT", P{"token": token}).Fails(fault.Auth)
}

// The token proves the mailbox: an address that was not verified is, and bound.
func TestAcceptVerifies(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada, grace := founded(h, "ada@example.com", "Engines"), h.SignUp("grace@example.com")
	token, _ := invited(h, ada, "grace@example.com", "member")
	grace.Do("TEAM.INVITATION_ACCEPT", P{"token": token}).OK()
	if !grace.Do("USER.ME", nil).OK().Bool("email_verified") {
		t.Error("the address is not verified")
	}
	if recorded := h.Events(user.KindEmailVerified); len(recorded) != 2 || !strings.Contains(string(recorded[0].Data), `"bound":true`) {
		t.Errorf("told %v", recorded)
	}
	// A mailbox that only folds alike may be somebody else's.
	eve := h.SignUp("Eve@example.com")
	token, _ = invited(h, ada, "eve@example.com", "member")
	eve.Do("TEAM.INVITATION_ACCEPT", P{"token": token}).Fails(fault.Denied)
}

// The mail of an invitation names the workspace, and the person who invites by name and
// verified address, whoever reads it. The token tells the whole address.
func TestInvitationsNameTheInviter(t *testing.T) {
	t.Parallel()
	for _, database := range []string{harness.SQLite(t), harness.Postgres(t)} {
		h := harness.On(t, database)
		ada := founded(h, "ada@example.com", "Engines")
		ada.Do("ROLE.CREATE", P{"name": "Guest", "permissions": []string{"members:read"}}).OK()
		machine := ada.Machine("inviter", "members:read", "members:write")
		read := func(inviter *harness.Actor) (text, invitedBy string) {
			token, _ := invited(h, inviter, "nobody@example.com", "guest")
			offer := h.Anonymous().Do("TEAM.INVITATION_GET", P{"token": token}).OK()
			if got := offer.String("email"); got != "nobody@example.com" {
				t.Errorf("the invitation is for %s", got)
			}
			letter := h.LastMail("nobody@example.com")
			return letter.Subject + "\n" + letter.Text + letter.HTML, offer.String("invited_by")
		}
		ada.Do("USER.UPDATE", P{"display_name": "Ada Lovelace"}).OK()
		if text, by := read(machine); strings.Contains(text, "Ada") || strings.Contains(text, "Engines") || by != "" {
			t.Errorf("by an app, %q reads %s", by, text)
		}
		text, by := read(ada)
		if strings.Count(text, "Ada Lovelace (ada@example.com) invited you to join the workspace Engines") != 2 || !strings.Contains(text, "invited to join Engines") || by != "Ada Lovelace" {
			t.Errorf("invited by %q: %s", by, text)
		}
		ada.Do("USER.UPDATE", P{"display_name": "win.example"}).OK()
		if text, _ := read(ada); strings.Contains(text, "win.example") || !strings.Contains(text, "ada@example.com invited you to join the workspace Engines") {
			t.Errorf("a name that is a link: %s", text)
		}
	}
}

// Reasons to skip an address say nothing of accounts.
func TestBulkInvite(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada := founded(h, "ada@example.com", "Engines")
	verified(h, "grace@example.com")
	got := ada.Do("TEAM.BULK_INVITE", P{"role": "member", "emails": []string{"grace@example.com", "nobody@example.com", "ada@example.com", "GRACE@example.com"}}).OK()
	if invited := got.List("invited"); len(invited) != 2 || invited[0]["email"] != "grace@example.com" || invited[1]["email"] != "nobody@example.com" {
		t.Errorf("invited %v", invited)
	}
	skipped := map[string]any{}
	for _, one := range got.List("skipped") {
		skipped[one["email"].(string)] = one["reason"]
	}
	if len(skipped) != 2 || skipped["ada@example.com"] != "member" || skipped["GRACE@example.com"] != "repeated" {
		t.Errorf("skipped %v", skipped)
	}
	ada.Do("TEAM.BULK_INVITE", P{"role": "nothing", "emails": []string{"x@example.com"}}).Fails(fault.Validation).Field("/role")
	many := make([]string, invitation.MaxAtOnce+1)
	for i := range many {
		many[i] = fmt.Sprintf("guest%d@example.com", i)
	}
	ada.Do("TEAM.BULK_INVITE", P{"role": "member", "emails": many}).Fails(fault.Validation).Field("/emails")
	// Two were sent already, so of a hundred the last two have to wait.
	got = ada.Do("TEAM.BULK_INVITE", P{"role": "member", "emails": many[:invitation.MaxAtOnce]}).OK()
	if left := got.List("skipped"); len(got.List("invited")) != 98 || len(left) != 2 || left[0]["reason"] != "limited" {
		t.Errorf("skipped %v", left)
	}
	refused := ada.Do("TEAM.INVITE", P{"email": "late@example.com", "role": "member"}).Fails(fault.RateLimited)
	if refused.Failure.RetryAfter <= 0 {
		t.Errorf("wait %v", refused.Failure.RetryAfter)
	}
	h.Clock.Advance(time.Hour)
	teamEntered(h, "ada@example.com", ada.OrgID).Do("TEAM.INVITE", P{"email": "late@example.com", "role": "member"}).OK()
}

// A mailbox gets five a day, whoever invites it.
func TestMailboxLimit(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	for i := range 6 {
		host := h.SignUpVerified(fmt.Sprintf("host%d@example.com", i))
		reply := host.Do("TEAM.INVITE", P{"email": "grace@example.com", "role": "member"})
		if i < 5 {
			reply.OK()
		} else {
			reply.Fails(fault.RateLimited)
		}
	}
}

// Who comes by an invitation makes an account although registration is closed, for that
// address alone; it is verified, and belongs to both workspaces.
func TestSignUpByInvitation(t *testing.T) {
	t.Parallel()
	for _, database := range []string{harness.SQLite(t), harness.Postgres(t)} {
		h := harness.On(t, database)
		ada := founded(h, "ada@example.com", "Engines")
		token, id := invited(h, ada, "grace@example.com", "member")
		h.Superadmin().Do("SETTINGS.SET", P{"values": P{"public_registration": false}}).OK()
		signUp := func(email, token string) *harness.Reply {
			return h.Anonymous().Do("AUTH.SIGNUP", P{"email": email, "password": harness.Password, "display_name": "Grace", "invitation_token": token})
		}
		signUp("eve@example.com", token).Fails(fault.Denied)
		signUp("grace@example.com", "guessed").Fails(fault.Auth)
		h.Anonymous().Do("AUTH.SIGNUP", P{"email": "grace@example.com", "password": harness.Password, "display_name": "Grace"}).Fails(fault.Denied)
		had := len(h.Mail("grace@example.com"))
		made := signUp("Grace@example.com", token).OK()
		if !made.Bool("user.email_verified") || made.String("user.email") != "grace@example.com" || !made.Bool("organization.personal") {
			t.Errorf("made %v", made.Data)
		}
		if len(h.Mail("grace@example.com")) != had {
			t.Errorf("a proved address is mailed %s", h.LastMail("grace@example.com").Text)
		}
		if got := teamEntered(h, "grace@example.com", ada.OrgID).OrgID; got != ada.OrgID {
			t.Errorf("grace is in %s", got)
		}
		if recorded := h.Events(invitation.KindAccepted); len(recorded) != 1 || recorded[0].UserID != made.String("user.id") || len(h.Events(workspace.KindMemberAdded)) != 1 {
			t.Errorf("told %v", recorded)
		}
		signUp("grace@example.com", token).Fails(fault.Auth)
		ada.Do("TEAM.INVITATION_REVOKE", P{"invitation_id": id}).Fails(fault.Validation)
	}
}

// Of several who sign up by one invitation at once, one does.
func TestSignUpAtOnce(t *testing.T) {
	t.Parallel()
	for _, database := range []string{harness.SQLite(t), harness.Postgres(t)} {
		h := harness.On(t, database)
		other := harness.On(t, database)
		ada := founded(h, "ada@example.com", "Engines")
		token, _ := invited(h, ada, "grace@example.com", "member")
		replies := harness.Together(4, func(i int) *harness.Reply {
			return []*harness.Service{h, other}[i%2].Anonymous().Do("AUTH.SIGNUP", P{
				"email": "grace@example.com", "password": harness.Password, "display_name": "Grace", "invitation_token": token,
			})
		})
		if codes := harness.Codes(replies); codes[""] != 1 || len(h.Events(workspace.KindMemberAdded)) != 1 {
			t.Errorf("answered %v", codes)
		}
	}
}

// An own role is offered by its name. It is not deleted while it is, but for another one.
func TestInvitedToAnOwnRole(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada, grace := founded(h, "ada@example.com", "Engines"), verified(h, "grace@example.com")
	made := ada.Do("ROLE.CREATE", P{"name": "Auditor", "permissions": []string{"audit:read"}}).OK()
	token, _ := invited(h, ada, "grace@example.com", "auditor")
	if got := h.Anonymous().Do("TEAM.INVITATION_GET", P{"token": token}).OK().String("role"); got != "Auditor" {
		t.Errorf("offers %q", got)
	}
	if got := ada.Do("TEAM.INVITATION_LIST", nil).OK().List("items"); got[0]["role"] != "Auditor" {
		t.Errorf("listed %v", got)
	}
	if got := grace.Do("TEAM.INVITATION_ACCEPT", P{"token": token}).OK().Strings("roles"); got[0] != "Auditor" {
		t.Errorf("roles %v", got)
	}
	bob := verified(h, "bob@example.com")
	ada.Do("ROLE.CREATE", P{"name": "Guest", "permissions": []string{"audit:read"}}).OK()
	token, _ = invited(h, ada, "bob@example.com", "Guest")
	for _, one := range ada.Do("ROLE.LIST", nil).OK().List("items") {
		if one["name"] == "Guest" {
			ada.Do("ROLE.DELETE", P{"role_id": one["id"]}).Fails(fault.Validation)
			ada.Do("ROLE.DELETE", P{"role_id": one["id"], "replace_with": "auditor"}).OK()
		}
	}
	if got := bob.Do("TEAM.INVITATION_ACCEPT", P{"token": token}).OK().Strings("roles"); got[0] != "Auditor" {
		t.Errorf("roles in place of one that is gone: %v", got)
	}
	if made.String("role.name") != "Auditor" {
		t.Errorf("made %v", made.Data)
	}
}

// What a stranger began in the personal workspace ends when the owner of the address comes.
func TestClaimEndsInvitations(t *testing.T) {
	t.Parallel()
	for _, database := range []string{harness.SQLite(t), harness.Postgres(t)} {
		h := harness.On(t, database)
		stranger, eve := h.SignUp("ada@example.com"), verified(h, "eve@example.com")
		// The owner of the mailbox followed the link, which binds no account of a stranger.
		h.Anonymous().Do("AUTH.VERIFY_EMAIL", P{"token": h.LastMail("ada@example.com").Token()}).OK()
		token, _ := invited(h, stranger, "eve@example.com", "admin")
		h.Anonymous().Do("AUTH.FORGOT_PASSWORD", P{"email": "ada@example.com"}).OK()
		h.Anonymous().Do("AUTH.RESET_PASSWORD", P{"token": h.LastMail("ada@example.com").Token(), "password": "the owner's own battery"}).OK()
		eve.Do("TEAM.INVITATION_ACCEPT", P{"token": token}).Fails(fault.Auth)
	}
}

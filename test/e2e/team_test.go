package e2e_test

import (
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"gatehouse.internal/test/fake/mailbox"
)

// choose chooses an option of the list with a label.
func (w *tab) choose(label, option string) *tab {
	w.t.Helper()
	w.find("the list "+label, `all => all.find(e => e.tagName === "SELECT" && [...e.labels].some(l => l.innerText.trim().startsWith(`+quoted(label)+`)))`)
	chosen, err := evaluate[bool](w, `(() => {
		const list = document.querySelector("[data-found]"), at = [...list.options].findIndex(o => o.text === `+quoted(option)+`);
		list.selectedIndex = at;
		return at >= 0;
	})()`)
	w.must(err)
	if !chosen {
		w.t.Fatalf("the list %s does not offer %s", label, option)
	}
	return w
}

// switcher opens what the header says of who is signed in and where.
func (w *tab) switcher() *tab {
	w.t.Helper()
	w.find("the switcher", `all => all.find(e => e.matches(".switcher summary"))`)
	w.do(chromedp.Click(found))
	return w
}

var verifyToken = regexp.MustCompile(`/verify\?token=([\w-]+)`)

// confirm verifies the address of an account by the mail that a development instance keeps.
func (r *replica) confirm(p person) {
	r.t.Helper()
	_, mails := r.fetch(http.MethodGet, "/dev/mail?to="+p.email+"&text=/verify&wait=10", "Accept=application/json")
	found := verifyToken.FindStringSubmatch(mails)
	if found == nil {
		r.t.Fatalf("no link to verify %s in %s", p.email, mails)
	}
	r.do(call{command: "AUTH.VERIFY_EMAIL", params: P{"token": found[1]}}).ok()
}

// Two people do the tour "Work in a team": one makes a workspace and invites the other,
// who finds the mail in the mailbox of the development instance.
func TestTwoPeopleWorkInATeam(t *testing.T) {
	onIts(t, postgres(), func(t *testing.T, on store) {
		at := house(t, on)
		ada, bob := newTab(t, at), newTab(t, at)
		a, b := newcomer(), newcomer()
		ada.register(a).press("Workspaces").at("/account/workspaces").sees("Personal workspace")
		at.confirm(a)
		ada.press("New workspace").fill("Name", "Acme").fill("Short name", "acme").press("Make the workspace").sees("you are its owner")
		ada.press("Switch to Acme").sees("You are in Acme now.")
		ada.press("Invitations").sees("There are none.").press("Invite somebody").fill("E-mail address", b.email).choose("Role", "member")
		ada.fill("Message", "See you on Monday").press("Send the invitation").sees("on its way to " + b.email)

		bob.open("/signup").fill("Name", "Bob").fill("E-mail address", b.email).fill("Password", b.password).press("Create account").at("/account")
		bob.open("/dev/mail").find("the mail", `all => all.find(e => e.matches("a") && e.innerText.startsWith("You are invited"))`)
		bob.follow().press("Open the link").at("/invitation").sees("Acme").sees("See you on Monday").press("Accept the invitation")
		bob.at("/account/workspaces").sees("You belong to Acme now.")
		bob.press("Members").sees(a.email).sees(b.email)
		if strings.Contains(bob.text(), "Manage") || strings.Contains(bob.text(), "Groups") {
			t.Error("a member is offered what only an admin may do")
		}
		check := func(want string) {
			t.Helper()
			bob.open("/dev/commands/PERMISSION.CHECK").fill("action", "write").fill("resource", "members").press("Run").sees(`"allowed": ` + want)
		}
		check("false")
		ada.press("Members").press("Manage Bob").choose("Give a role", "admin").press("Give").sees("Bob now has the role admin.")
		check("true")
		bob.open("/account/workspaces").press("Groups").press("New group").fill("Name", "On call").tick("member").press("Make the group").sees("0 members")
		bob.fill("Add a member by e-mail address", a.email).press("Add").sees("Ada Lovelace is in the group now.")

		bob.switcher().press("Personal workspace").at("/account/workspaces").sees("You are in Personal workspace now.")
		bob.press("Leave Acme").sees("API keys in it end").press("Leave").sees("You left the workspace.")
		ada.open("/account/workspaces/members").sees(a.email)
		if strings.Contains(ada.text(), b.email) {
			t.Error("who has left is still a member")
		}
	})
}

// A workspace that asks for a second factor is entered through the page for it.
func TestSwitchAsksForTheSecondFactor(t *testing.T) {
	onIts(t, sqlite(), func(t *testing.T, on store) {
		at := house(t, on)
		w, other := newTab(t, at), newTab(t, at)
		p := newcomer()
		w.register(p).open("/account/workspaces/new").fill("Name", "Vault").press("Make the workspace").sees("Vault")
		vault := w.attribute("main input[name=to]", "value")
		other.arrive(p).at("/account").open("/account/security").press("Add an authenticator app")
		secret := other.otpSecret()
		other.fill("Code", totp(t, secret, 0)).press("Turn on").sees("not shown again")
		at.as(at.admin(), "POLICY.SET", P{"org_id": vault, "kind": "mfa", "values": P{"required": true}}).ok()
		w.open("/account/keys").switcher().press("Vault").at("/login/factor").fill("Code", "000000").press("Verify").sees("wrong")
		w.fill("Code", totp(t, secret, 1)).press("Verify").at("/account/keys").sees("Vault")
	})
}

// Workspaces need no scripts.
func TestTeamWithoutJavaScript(t *testing.T) {
	onIts(t, sqlite(), func(t *testing.T, on store) {
		at := house(t, on)
		w := newTab(t, at).scripts(false)
		p := newcomer()
		w.register(p)
		at.confirm(p)
		w.open("/account/workspaces/new").fill("Name", "Acme").press("Make the workspace")
		w.open("/account/sessions").switcher().press("Acme").at("/account/sessions").sees("You are in Acme now.")
		w.open("/account/workspaces/roles/new").fill("Name", "Editor").tick("member").tick("See users of the workspace.").press("Make the role").sees("Editor")
		w.press("Groups").press("New group").fill("Name", "Writers").tick("Editor").press("Make the group").sees("Each holds Editor.")
		w.press("Invitations").press("Invite somebody").fill("E-mail address", "bob@example.com").choose("Role", "Editor").press("Send the invitation").sees("as Editor")
		w.press("Take back bob@example.com").press("Take back").sees("was taken back")
		w.press("Roles").press("Open Editor").press("Delete role").press("Delete").sees("the role is in use")
		w.choose("In its place", "member").press("Delete").sees("The role was deleted.")
	})
}

// TestEveryPageFits for workspaces.
func TestEveryPageOfWorkspacesFits(t *testing.T) {
	onIts(t, sqlite(), func(t *testing.T, on store) {
		if *screens != "" {
			if err := os.MkdirAll(*screens, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		post := mailbox.Start(t, mailbox.Options{})
		at := house(t, on, "SMTP_URL="+post.URL(), "MAIL_FROM=Gatehouse <gatehouse@example.com>")
		ada, bob := newTab(t, at), newTab(t, at)
		a, b := newcomer(), newcomer()
		ada.register(a).open(posted(t, post, a.email, "/verify")).press("Confirm address").open("/account/workspaces").picture("workspaces")
		ada.press("New workspace").picture("workspace-new")
		ada.fill("Name", "Acme").press("Make the workspace").press("Switch to Acme").picture("workspace-entered")
		ada.switcher().picture("switcher")
		ada.press("Leave Acme").picture("workspace-leave")
		ada.open("/account/workspaces/delete").picture("workspace-delete")
		ada.open("/account/workspaces/invitations").picture("invitations-empty")
		ada.press("Invite somebody").picture("invite")
		ada.fill("E-mail address", b.email).fill("Message", "See you on Monday").press("Send the invitation").picture("invitations")
		link := posted(t, post, b.email, "/invitation")
		bob.open(link).sees("See you on Monday").picture("invitation")
		bob.register(b).open(link).sees("You are signed in as").picture("invitation-signed-in")
		ada.press("Take back " + b.email).picture("invitation-revoke")
		bob.press("Accept the invitation").at("/account/workspaces").sees("You belong to Acme now.")

		ada.open("/account/workspaces/roles").picture("roles")
		ada.press("New role").picture("role-new")
		ada.fill("Name", "Member").press("Make the role").sees("Is the name of another role").picture("role-refused")
		ada.fill("Name", "Editor").fill("What it is for", "Edits what others write").tick("member").press("Make the role").sees("Editor")
		ada.press("Open Editor").picture("role")
		ada.press("Delete role").picture("role-delete")
		ada.open("/account/workspaces/groups").picture("groups-empty")
		ada.press("New group").picture("group-new")
		ada.fill("Name", "On call").tick("Editor").press("Make the group").sees("0 members")
		ada.fill("Add a member by e-mail address", b.email).press("Add").sees("1 member").picture("group")
		ada.press("Groups").picture("groups")
		ada.press("Open On call").press("Delete group").picture("group-delete")
		ada.press("Cancel").press("Domains").picture("domains-empty")
		ada.press("Add a domain").picture("domain-new")
		ada.fill("Domain", "acme.example").tick("People with").press("Add the domain").sees("gatehouse-verification=").picture("domains")
		ada.press("Change acme.example").picture("domain")
		ada.press("Cancel").press("Give up acme.example").picture("domain-remove")
		ada.open("/account/workspaces/members").picture("members")
		ada.find("the member", `all => all.find(e => (e.ariaLabel || "").startsWith("Manage") && e.closest("li").innerText.includes(`+quoted(b.email)+`))`)
		ada.follow().picture("member")
		ada.press("Hand over").picture("member-owner")
		ada.press("Cancel").press("Remove").picture("member-remove")
		bob.press("Members").picture("members-looked-at")
	})
}

package pages_test

import (
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"gatehouse.internal/test/e2e/browser"
	"gatehouse.internal/test/e2e/instance"
	"gatehouse.internal/test/fake/mailbox"
)

// choose chooses an option of the list with a label.
func choose(w *browser.Tab, label, option string) *browser.Tab {
	w.T.Helper()
	w.Find("the list "+label, `all => all.find(e => e.tagName === "SELECT" && [...e.labels].some(l => l.innerText.trim().startsWith(`+browser.Quoted(label)+`)))`)
	chosen, err := browser.Evaluate[bool](w, `(() => {
		const list = document.querySelector("[data-found]"), at = [...list.options].findIndex(o => o.text === `+browser.Quoted(option)+`);
		list.selectedIndex = at;
		return at >= 0;
	})()`)
	w.Must(err)
	if !chosen {
		w.T.Fatalf("the list %s does not offer %s", label, option)
	}
	return w
}

// switcher opens what the header says of who is signed in and where.
func switcher(w *browser.Tab) *browser.Tab {
	w.T.Helper()
	w.Find("the switcher", `all => all.find(e => e.matches(".switcher summary"))`)
	w.Do(chromedp.Click(browser.Found))
	return w
}

var verifyToken = regexp.MustCompile(`/verify\?token=([\w-]+)`)

// confirm verifies the address of an account by the mail that a development instance keeps.
func confirm(r *instance.Replica, p instance.Person) {
	r.T.Helper()
	_, mails := r.Fetch(http.MethodGet, "/dev/mail?to="+p.Email+"&text=/verify&wait=10", "Accept=application/json")
	found := verifyToken.FindStringSubmatch(mails)
	if found == nil {
		r.T.Fatalf("no link to verify %s in %s", p.Email, mails)
	}
	r.Do(instance.Call{Command: "AUTH.VERIFY_EMAIL", Params: P{"token": found[1]}}).OK()
}

// Two people do the tour "Manage workspaces and members": one makes a workspace and invites
// the other, who finds the mail in the mailbox of the development instance.
func TestTwoPeopleWorkInATeam(t *testing.T) {
	instance.OnIts(t, instance.Postgres(), func(t *testing.T, on instance.Store) {
		at := browser.House(t, on)
		ada, bob := browser.NewTab(t, at), browser.NewTab(t, at)
		a, b := instance.Newcomer(), instance.Newcomer()
		ada.Register(a).Press("Workspaces").At("/account/workspaces").Sees("Personal workspace")
		confirm(at, a)
		ada.Press("Create workspace").Fill("Name", "Acme").Fill("Slug", "acme").Press("Create workspace").Sees("you are its owner")
		ada.Press("Switch to Acme").Sees("You are now in Acme.")
		choose(ada.Press("Invitations").Sees("No pending invitations.").Press("Invite member").Fill("Email address", b.Email), "Role", "member")
		ada.Fill("Message", "See you on Monday").Press("Send invitation").Sees("was sent to " + b.Email)

		bob.Open("/signup").Fill("Name", "Bob").Fill("Email address", b.Email).Fill("Password", b.Password).Press("Create account").At("/account")
		bob.Open("/dev/mail").Find("the mail", `all => all.find(e => e.matches("a") && e.innerText.startsWith("You are invited"))`)
		bob.Follow().Press("Open the link").At("/invitation").Sees("Acme").Sees("See you on Monday").Press("Accept invitation")
		bob.At("/account/workspaces").Sees("You are now a member of Acme.")
		bob.Press("Members").Sees(a.Email).Sees(b.Email)
		if strings.Contains(bob.Text(), "Manage") || strings.Contains(bob.Text(), "Groups") {
			t.Error("a member is offered what only an admin may do")
		}
		check := func(want string) {
			t.Helper()
			bob.Open("/dev/commands/PERMISSION.CHECK").Fill("action", "write").Fill("resource", "members").Press("Run").Sees(`"allowed": ` + want)
		}
		check("false")
		choose(ada.Press("Members").Press("Manage Bob"), "Add a role", "admin").Press("Add role").Sees("Bob now has the role admin.")
		check("true")
		bob.Open("/account/workspaces").Press("Groups").Press("Create group").Fill("Name", "On call").Tick("member").Press("Create group").Sees("0 members")
		bob.Fill("Add a member by email address", a.Email).Press("Add").Sees("Ada Lovelace was added to the group.")

		switcher(bob).Press("Personal workspace").At("/account/workspaces").Sees("You are now in Personal workspace.")
		bob.Press("Leave Acme").Sees("lose your roles, groups and API keys").Press("Leave workspace").Sees("You left the workspace.")
		ada.Open("/account/workspaces/members").Sees(a.Email)
		if strings.Contains(ada.Text(), b.Email) {
			t.Error("who has left is still a member")
		}
	})
}

// A workspace that asks for a second factor is entered through the page for it.
func TestSwitchAsksForTheSecondFactor(t *testing.T) {
	instance.OnIts(t, instance.SQLite(), func(t *testing.T, on instance.Store) {
		at := browser.House(t, on)
		w, other := browser.NewTab(t, at), browser.NewTab(t, at)
		p := instance.Newcomer()
		w.Register(p).Open("/account/workspaces/new").Fill("Name", "Vault").Press("Create workspace").Sees("Vault")
		vault := w.Attribute("main input[name=to]", "value")
		arrive(other, p).At("/account").Open("/account/security").Press("Add an authenticator app")
		secret := otpSecret(other)
		other.Fill("Code", instance.TOTP(t, secret, 0)).Press("Enable").Sees("won't be shown again")
		at.As(at.Admin(), "POLICY.SET", P{"org_id": vault, "kind": "mfa", "values": P{"required": true}}).OK()
		switcher(w.Open("/account/keys")).Press("Vault").At("/login/factor").Fill("Code", "000000").Press("Verify").Sees("wrong")
		w.Fill("Code", instance.TOTP(t, secret, 1)).Press("Verify").At("/account/keys").Sees("Vault")
	})
}

// Workspaces need no scripts.
func TestTeamWithoutJavaScript(t *testing.T) {
	instance.OnIts(t, instance.SQLite(), func(t *testing.T, on instance.Store) {
		at := browser.House(t, on)
		w := browser.NewTab(t, at).Scripts(false)
		p := instance.Newcomer()
		w.Register(p)
		confirm(at, p)
		w.Open("/account/workspaces/new").Fill("Name", "Acme").Press("Create workspace")
		switcher(w.Open("/account/sessions")).Press("Acme").At("/account/sessions").Sees("You are now in Acme.")
		w.Open("/account/workspaces/roles/new").Fill("Name", "Editor").Tick("member").Tick("View the users of the workspace.").Press("Create role").Sees("Editor")
		w.Press("Groups").Press("Create group").Fill("Name", "Writers").Tick("Editor").Press("Create group").Sees("Each member has Editor.")
		choose(w.Press("Invitations").Press("Invite member").Fill("Email address", "bob@example.com"), "Role", "Editor").Press("Send invitation").Sees("as Editor")
		w.Press("Revoke bob@example.com").Press("Revoke").Sees("was revoked")
		w.Press("Roles").Press("Open Editor").Press("Delete role").Press("Delete role").Sees("the role is in use")
		choose(w, "Replacement", "member").Press("Delete role").Sees("The role was deleted.")
	})
}

// TestEveryPageFits for workspaces.
func TestEveryPageOfWorkspacesFits(t *testing.T) {
	instance.OnIts(t, instance.SQLite(), func(t *testing.T, on instance.Store) {
		if *browser.Screens != "" {
			if err := os.MkdirAll(*browser.Screens, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		post := mailbox.Start(t, mailbox.Options{})
		at := browser.House(t, on, "SMTP_URL="+post.URL(), "MAIL_FROM=Gatehouse <gatehouse@example.com>")
		ada, bob := browser.NewTab(t, at), browser.NewTab(t, at)
		a, b := instance.Newcomer(), instance.Newcomer()
		ada.Register(a).Open(posted(t, post, a.Email, "/verify")).Press("Confirm address").Open("/account/workspaces").Picture("workspaces")
		ada.Press("Create workspace").Picture("workspace-new")
		ada.Fill("Name", "Acme").Press("Create workspace").Press("Switch to Acme").Picture("workspace-entered")
		switcher(ada).Picture("switcher")
		ada.Press("Leave Acme").Picture("workspace-leave")
		ada.Open("/account/workspaces/delete").Picture("workspace-delete")
		ada.Open("/account/workspaces/invitations").Picture("invitations-empty")
		ada.Press("Invite member").Picture("invite")
		ada.Fill("Email address", b.Email).Fill("Message", "See you on Monday").Press("Send invitation").Picture("invitations")
		link := posted(t, post, b.Email, "/invitation")
		bob.Open(link).Sees("See you on Monday").Picture("invitation")
		bob.Register(b).Open(link).Sees("You are signed in as").Picture("invitation-signed-in")
		ada.Press("Revoke " + b.Email).Picture("invitation-revoke")
		bob.Press("Accept invitation").At("/account/workspaces").Sees("You are now a member of Acme.")

		ada.Open("/account/workspaces/roles").Picture("roles")
		ada.Press("Create role").Picture("role-new")
		ada.Fill("Name", "Member").Press("Create role").Sees("Is already the name of a custom or built-in role").Picture("role-refused")
		ada.Fill("Name", "Editor").Fill("Description", "Edits what others write").Tick("member").Press("Create role").Sees("Editor")
		ada.Press("Open Editor").Picture("role")
		ada.Press("Delete role").Picture("role-delete")
		ada.Open("/account/workspaces/groups").Picture("groups-empty")
		ada.Press("Create group").Picture("group-new")
		ada.Fill("Name", "On call").Tick("Editor").Press("Create group").Sees("0 members")
		ada.Fill("Add a member by email address", b.Email).Press("Add").Sees("1 member").Picture("group")
		ada.Press("Groups").Picture("groups")
		ada.Press("Open On call").Press("Delete group").Picture("group-delete")
		ada.Press("Cancel").Press("Domains").Picture("domains-empty")
		ada.Press("Add domain").Picture("domain-new")
		ada.Fill("Domain", "acme.example").Tick("Add people with").Press("Add domain").Sees("gatehouse-verification=").Picture("domains")
		ada.Press("Change acme.example").Picture("domain")
		ada.Press("Cancel").Press("Remove acme.example").Picture("domain-remove")
		ada.Open("/account/workspaces/members").Picture("members")
		ada.Find("the member", `all => all.find(e => (e.ariaLabel || "").startsWith("Manage") && e.closest("li").innerText.includes(`+browser.Quoted(b.Email)+`))`)
		ada.Follow().Picture("member")
		ada.Press("Transfer ownership").Picture("member-owner")
		ada.Press("Cancel").Press("Remove member").Picture("member-remove")
		bob.Press("Members").Picture("members-looked-at")
	})
}

package pages_test

import (
	"net/http"
	"regexp"
	"strconv"
	"testing"
	"time"

	"gatehouse.internal/test/harness"
)

const workspacesPage = "/account/workspaces"

var switchTo = regexp.MustCompile(`name="to" value="([^"]+)"`)

// team creates a workspace on the pages and switches to it.
func (b *browser) team(name string) (org string) {
	b.t.Helper()
	b.get(workspacesPage+"/new").fill(workspacesPage+"/new", "name="+name).goes(workspacesPage).follow().shows(http.StatusOK, name)
	org = b.found(switchTo) // sorted by creation, newest first
	b.fill(workspacesPage+"/switch", "to="+org).goes(workspacesPage).follow().shows(http.StatusOK, "You are now in "+name+".")
	return org
}

// guest creates the account bob@example.com and joins it to a workspace by an
// invitation of ada@example.com.
func guest(t *testing.T, h *harness.Service, b *browser, role string) *browser {
	t.Helper()
	const address = "bob@example.com"
	h.Anonymous().Verify("ada@example.com")
	b.get(workspacesPage+"/invitations/new").fill(workspacesPage+"/invitations/new", "email="+address, "role="+role, "days=7").
		goes(workspacesPage+"/invitations").follow().shows(http.StatusOK, "The invitation was sent to "+address, "pending")
	token := h.LastMail(address).Token()
	other := visit(t, h)
	other.get("/signup?return_to=%2Finvitation%3Ftoken%3D" + token)
	return other.fill("/signup", "display_name=Guest", "email="+address, "password="+harness.Password).goes("/account").follow()
}

func TestWorkspacePages(t *testing.T) {
	t.Parallel()
	h := service(t)
	ada := visit(t, h).signUp("ada@example.com")
	ada.get(workspacesPage).shows(http.StatusOK, "Personal workspace", "Active", "Create workspace").lacks("/leave/")
	ada.get(workspacesPage+"/new").fill(workspacesPage+"/new", "name=", "slug=Not A Slug").shows(http.StatusUnprocessableEntity, "Error: New workspace")
	acme := ada.team(`Acme & <b>Sons`)
	ada.lacks("<b>Sons")

	bob := guest(t, h, ada, "member")
	bob.get(workspacesPage).shows(http.StatusOK, "Acme")
	bob.fill(workspacesPage+"/switch", "to="+acme, "return_to=//evil.example").goes(workspacesPage)
	bob.get("/account/keys/new").fill(workspacesPage+"/switch", "to="+acme, "return_to=/account/keys").goes("/account/keys")
	bob.get(workspacesPage).shows(http.StatusOK, "Members", "Invitations").lacks(">Roles<", ">Groups<", "/invitations/new")
	bob.get(workspacesPage+"/members").shows(http.StatusOK, "ada@example.com", "bob@example.com").lacks("Manage")
	bob.get(workspacesPage+"/members?q=bob").shows(http.StatusOK, "bob@example.com").lacks("ada@example.com,")
	bob.get(workspacesPage+"/invitations").lacks("Resend", "Invite member")
	for _, page := range []string{"/roles/new", "/groups/new", "/invitations/new"} {
		bob.get(workspacesPage + page).shows(http.StatusNotFound)
	}
	bob.fill(workspacesPage+"/roles/new", "name=King", "permissions=roles:write").shows(http.StatusUnprocessableEntity, "Error: New role", "roles:write")

	ada.get(workspacesPage+"/leave/"+acme).shows(http.StatusOK, "You are its only owner").lacks("danger sure")
	ada.fill(workspacesPage+"/leave", "id="+acme).shows(http.StatusUnprocessableEntity, "last owner")
	bob.get(workspacesPage+"/leave/"+acme).shows(http.StatusOK, "lose your roles, groups and API keys")
	bob.fill(workspacesPage+"/leave", "id="+acme).goes(workspacesPage).follow().shows(http.StatusOK, "You left the workspace.").lacks("Sons")
	bob.fill(workspacesPage+"/switch", "to="+acme).shows(http.StatusUnprocessableEntity, "No such workspace.")
}

func TestMemberPages(t *testing.T) {
	t.Parallel()
	h := service(t)
	ada := visit(t, h).signUp("ada@example.com")
	acme := ada.team("Acme")
	bob := guest(t, h, ada, "admin")
	bobID := idOf(t, ada, "Guest")
	bob.get(workspacesPage).fill(workspacesPage+"/switch", "to="+acme)
	adaID := idOf(t, bob, "Ada")
	members, page := workspacesPage+"/members", workspacesPage+"/members/"+bobID

	// An admin cannot manage an owner, and the last owner cannot be demoted.
	bob.get(members+"/"+adaID).shows(http.StatusOK, "owner", "Add a role").lacks("/members/take", "/remove", "/owner\"", "<option>owner")
	bob.get(members + "/" + adaID + "/remove").shows(http.StatusNotFound)
	bob.get(members).fill(members+"/remove", "user_id="+adaID).shows(http.StatusUnprocessableEntity, "holds permissions that you do not hold")
	bob.get(members).fill(members+"/give", "user_id="+bobID, "role=owner").shows(http.StatusUnprocessableEntity, "if you hold every permission it grants")
	ada.get(members+"/"+adaID).shows(http.StatusOK).lacks("/members/take", "/remove", "/owner\"")

	ada.get(page).shows(http.StatusOK, "admin", "Transfer ownership", "Remove member")
	ada.fill(members+"/give", "user_id="+bobID, "name=Guest", "role=member").goes(page).follow().shows(http.StatusOK, "Guest now has the role member.")
	ada.fill(members+"/take", "user_id="+bobID, "name=Guest", "role=admin").goes(page).follow().shows(http.StatusOK, "Guest no longer has the role admin.")
	ada.get(page+"/owner").shows(http.StatusOK, "This member becomes the owner of Acme")
	ada.fill(members+"/owner", "user_id="+bobID).goes(workspacesPage).follow().shows(http.StatusOK, "The ownership was transferred.").lacks(">Groups<")
	ada.get(members).lacks("Manage")
	bob.get(members+"/"+adaID).shows(http.StatusOK, "/members/take", "Transfer ownership")
	bob.get(members+"/"+adaID+"/remove").shows(http.StatusOK, "Ada, ada@example.com", "loses their roles, groups and API keys")
	bob.fill(members+"/remove", "user_id="+adaID).goes(members).follow().shows(http.StatusOK, "The member was removed").lacks("ada@example.com,")
	ada.get("/account").shows(http.StatusOK, "Personal workspace").lacks("Acme")
}

// idOf returns the identifier of a member, found by the label of the button.
func idOf(t *testing.T, b *browser, name string) string {
	t.Helper()
	b.get(workspacesPage+"/members").shows(http.StatusOK, "Manage")
	return b.found(regexp.MustCompile(`/members/(usr_[^"]+)" aria-label="Manage ` + name + `"`))
}

func TestInvitationPages(t *testing.T) {
	t.Parallel()
	h := service(t)
	ada := visit(t, h).signUp("ada@example.com")
	h.Anonymous().Verify("ada@example.com")
	ada.team("Acme")
	page := workspacesPage + "/invitations"
	ada.get(page+"/new").shows(http.StatusOK, "Send invitation").found(regexp.MustCompile(`(<option selected>member)`))
	ada.fill(page+"/new", "email=nobody", "role=member", "days=7").shows(http.StatusUnprocessableEntity).found(regexp.MustCompile(`value="nobody"[^>]* aria-describedby="(email-error)"`))
	ada.fill(page+"/new", "email=bob@example.com", "role=admin", "message=See <you>", "days=1").goes(page).follow().shows(http.StatusOK, "bob@example.com", "as admin")
	first := h.LastMail("bob@example.com").Token()
	id := ada.found(regexp.MustCompile(`name="id" value="(inv_[^"]+)"`))
	ada.fill(page+"/resend", "id="+id).goes(page).follow().shows(http.StatusOK, "was sent again")
	second := h.LastMail("bob@example.com").Token()
	visit(t, h).get("/invitation?token="+first).shows(http.StatusOK, "no longer valid")
	visit(t, h).get("/invitation?token="+second).shows(http.StatusOK, "See <you>", "Acme")
	ada.get(page+"/"+id+"/revoke").shows(http.StatusOK, "Revoke this invitation?", "bob@example.com")
	ada.fill(page+"/revoke", "id="+id).goes(page).follow().shows(http.StatusOK, "was revoked", "No pending invitations.")
	ada.get(page+"?all=1").shows(http.StatusOK, "bob@example.com", "revoked").lacks("Resend")
	ada.fill(page+"/resend", "id="+id).shows(http.StatusUnprocessableEntity, "was revoked")
	ada.get(page + "/" + id + "/revoke").shows(http.StatusNotFound)
}

func TestRolePages(t *testing.T) {
	t.Parallel()
	h := service(t)
	ada := visit(t, h).signUp("ada@example.com")
	acme := ada.team("Acme")
	roles := workspacesPage + "/roles"
	ada.get(roles).shows(http.StatusOK, "owner", "Built in", "Create role")
	ada.get(roles+"/new").shows(http.StatusOK, "flows", "Inherited roles").lacks("users:manage")
	ada.fill(roles+"/new", "name=Member", "permissions=flows:read").shows(http.StatusUnprocessableEntity, "Is already the name of a custom or built-in role")
	ada.fill(roles+"/new", "name=Editor", "description=Edits <things>", "permissions=flows:read", "inherits=member").goes(roles).
		follow().shows(http.StatusOK, "Editor", "Edits <things>", "1 permission, plus those of member.")
	id := ada.found(regexp.MustCompile(`/roles/(rol_[^"]+)"`))
	ada.get(roles+"/"+id).shows(http.StatusOK, "Editor", "Role deletion")
	for _, kept := range []string{`value="flows:read" checked`, `value="member" checked`} {
		ada.found(regexp.MustCompile("(" + kept + ")"))
	}
	ada.fill(roles+"/change", "role_id="+id, "name=Writer", "permissions=flows:write").goes(roles).follow().shows(http.StatusOK, "Writer", "1 permission.").lacks("plus those of member")

	bob := guest(t, h, ada, "Writer")
	bob.get(workspacesPage).fill(workspacesPage+"/switch", "to="+acme).follow().shows(http.StatusOK).lacks(">Roles<")
	ada.get(roles+"/"+id+"/delete").shows(http.StatusOK, "Delete this role?", "Replacement")
	ada.fill(roles+"/delete", "role_id="+id).shows(http.StatusUnprocessableEntity, "Is required because the role is in use:").lacks("ROLE.")
	ada.fill(roles+"/delete", "role_id="+id, "replace_with=member").goes(roles).follow().shows(http.StatusOK, "The role was deleted.").lacks("Writer")
	ada.get(roles + "/" + id).shows(http.StatusNotFound)
	ada.get(roles + "/" + id + "/delete").shows(http.StatusNotFound)
}

func TestGroupPages(t *testing.T) {
	t.Parallel()
	h := service(t)
	ada := visit(t, h).signUp("ada@example.com")
	acme := ada.team("Acme")
	bob := guest(t, h, ada, "member")
	bobID := idOf(t, ada, "Guest")
	groups := workspacesPage + "/groups"
	ada.get(groups).shows(http.StatusOK, "No groups yet.")
	ada.get(groups+"/new").fill(groups+"/new", "name=").shows(http.StatusUnprocessableEntity, "Error: New group")
	ada.fill(groups+"/new", "name=Ops <team>", "roles=admin")
	page := ada.page.to
	ada.follow().shows(http.StatusOK, "Ops <team>", "0 members", "Each member has admin.")
	id := page[len(groups)+1:]
	ada.fill(groups+"/add", "group_id="+id, "email=nobody@example.com").shows(http.StatusUnprocessableEntity, "No member of the workspace")
	ada.found(regexp.MustCompile(`(name="name" type="text" dir="auto" value="Ops)`))
	ada.fill(groups+"/add", "group_id="+id, "email=bob@example.com").goes(page).follow().shows(http.StatusOK, "Guest was added to the group.", "1 member")
	ada.get(workspacesPage+"/members/"+bobID).shows(http.StatusOK, "Ops <team>")
	bob.get(workspacesPage).fill(workspacesPage+"/switch", "to="+acme).follow().shows(http.StatusOK, "Roles", "Groups")
	ada.get(page).fill(groups+"/roles", "group_id="+id).goes(page).follow().shows(http.StatusOK, "This group gives its members no roles.")
	bob.get(workspacesPage).lacks(">Groups<")
	bob.get(page).shows(http.StatusForbidden)
	ada.get(page).fill(groups+"/change", "group_id="+id, "name=Crew", "description=On call").goes(page).follow().shows(http.StatusOK, "Crew", "On call")
	ada.fill(groups+"/remove", "group_id="+id, "user_id="+bobID).goes(page).follow().shows(http.StatusOK, "0 members")
	ada.get(page+"/delete").shows(http.StatusOK, "Delete this group?", "Crew")
	ada.fill(groups+"/delete", "group_id="+id).goes(groups).follow().shows(http.StatusOK, "The group was deleted.", "No groups yet.")
}

// A form acts in the workspace that it was shown for, even if another tab has switched.
func TestFormsStayInTheirWorkspace(t *testing.T) {
	t.Parallel()
	h := service(t)
	ada := visit(t, h).signUp("ada@example.com")
	acme := ada.team("Acme")
	form := ada.get(workspacesPage + "/groups/new").found(regexp.MustCompile(`name="org_id" value="([^"]+)"`))
	if form != acme {
		t.Fatalf("the form is for %s, want %s", form, acme)
	}
	ada.copied().team("Beta")
	ada.fill(workspacesPage+"/groups/new", "org_id="+form, "name=Ops")
	ada.get(workspacesPage+"/groups").shows(http.StatusOK, "Beta").lacks(">Ops<")
	ada.fill(workspacesPage+"/switch", "to="+acme)
	ada.get(workspacesPage+"/groups").shows(http.StatusOK, "Ops")
	ada.fill(workspacesPage+"/groups/new", "org_id=org_01k00000000000000000000000", "name=Spies").shows(http.StatusNotFound, "such workspace")
}

// Switching to a workspace that requires a second factor leads through its page and
// back; after the challenge has expired, to the list of workspaces.
func TestSwitchThroughTheSecondFactor(t *testing.T) {
	t.Parallel()
	h := service(t)
	ada := visit(t, h).signUp("ada@example.com")
	org := ada.team("Vault")
	late := visit(t, h).login(harness.Password).follow()
	late.fill(workspacesPage+"/switch", "to="+late.found(switchTo))
	secret, _ := ada.get("/account/security").enroll(h)
	h.Superadmin().Do("POLICY.SET", harness.P{"org_id": org, "kind": "mfa", "values": harness.P{"required": true}}).OK()
	page := "/account/keys"
	begin := func() {
		late.get(page).fill(workspacesPage+"/switch", "to="+org, "return_to="+page).goes("/login/factor").follow().shows(http.StatusOK, "Verify it's you")
	}
	begin()
	h.Clock.Advance(11 * time.Minute)
	late.fill("/login/factor", "method=totp", "code="+code(t, h, secret)).goes(workspacesPage).follow().shows(http.StatusOK, "Start again.")
	begin()
	late.fill("/login/factor", "method=totp", "code=000000").shows(http.StatusUnprocessableEntity)
	late.fill("/login/factor", "method=totp", "code="+code(t, h, secret)).goes(page).follow().shows(http.StatusOK, "Vault")
}

// Long lists have a link to the next page.
func TestLongListsGoOn(t *testing.T) {
	t.Parallel()
	h := service(t)
	ada := visit(t, h).signUp("ada@example.com")
	actor := h.Login("ada@example.com", harness.Password)
	for i := range 51 {
		actor.Do("GROUP.CREATE", harness.P{"name": "group " + strconv.Itoa(i)}).OK()
	}
	ada.get(workspacesPage+"/groups").shows(http.StatusOK, "group 50", "Older groups").lacks(">group 0<")
	ada.get(ada.found(regexp.MustCompile(`href="([^"]+)">Older groups`))).shows(http.StatusOK, "group 0").lacks("Older groups")
}

func TestDeleteAWorkspaceByItsPage(t *testing.T) {
	t.Parallel()
	h := service(t)
	ada := visit(t, h).signUp("ada@example.com")
	page := workspacesPage + "/delete"
	ada.get(workspacesPage).lacks("Workspace deletion")
	ada.get(page).shows(http.StatusNotFound)
	acme := ada.team("Acme")
	bob := guest(t, h, ada, "admin")
	bob.get(workspacesPage).fill(workspacesPage+"/switch", "to="+acme)
	bob.get(workspacesPage).lacks("Workspace deletion")
	bob.get(page).shows(http.StatusNotFound)
	ada.get(workspacesPage).shows(http.StatusOK, "Workspace deletion")
	ada.get(page).shows(http.StatusOK, "Type acme to confirm.", "This cannot be undone.")
	ada.fill(page, "org_id="+acme, "confirm_slug=another").shows(http.StatusUnprocessableEntity, "Error: Delete this workspace?")
	ada.fill(page, "org_id="+acme, "confirm_slug=acme").goes(workspacesPage).follow().
		shows(http.StatusOK, "The workspace was deleted.", "Personal workspace").lacks("Acme")
	bob.get(workspacesPage).shows(http.StatusOK, "Personal workspace").lacks("Acme")
}

// A suspended workspace is marked, and only leaving it is offered.
func TestSuspendedWorkspace(t *testing.T) {
	t.Parallel()
	h := service(t)
	ada := visit(t, h).signUp("ada@example.com")
	acme := ada.team("Acme")
	bob := guest(t, h, ada, "member")
	h.Superadmin().Do("TEAM.DISABLE", harness.P{"org_id": acme}).OK()
	ada.get(workspacesPage).shows(http.StatusOK, "Suspended", "Personal workspace", "Workspace deletion").lacks(">Members<", ">Roles<")
	ada.get(workspacesPage+"/members").shows(http.StatusForbidden, "The workspace is suspended.")
	ada.get("/account").shows(http.StatusOK, "ada@example.com")
	ada.get(workspacesPage+"/leave/"+acme).shows(http.StatusOK, "Acme", "lose your roles, groups and API keys")
	bob.get(workspacesPage).shows(http.StatusOK, "Suspended").lacks(`aria-label="Switch to Acme"`, `value="`+acme+`"`)
	bob.fill(workspacesPage+"/switch", "to="+acme).shows(http.StatusUnprocessableEntity, "The workspace is suspended.")
	ada.fill(workspacesPage+"/switch", "to="+ada.found(switchTo)).goes(workspacesPage).follow().shows(http.StatusOK, "Members")
	h.Superadmin().Do("TEAM.ENABLE", harness.P{"org_id": acme}).OK()
	bob.get(workspacesPage).fill(workspacesPage+"/switch", "to="+acme).goes(workspacesPage)
}

// Where the sign-in rules of a workspace are tightened, the browser of a member who does not meet
// them goes on in the personal workspace, without a new sign-in.
func TestPagesLeaveAWorkspaceWithTighterRules(t *testing.T) {
	t.Parallel()
	h := service(t)
	ada := visit(t, h).signUp("ada@example.com")
	acme := ada.team("Acme")
	bob := guest(t, h, ada, "member")
	bob.get(workspacesPage).fill(workspacesPage+"/switch", "to="+acme).goes(workspacesPage).follow().shows(http.StatusOK, "You are now in Acme.")
	h.Login("ada@example.com", harness.Password).Do("POLICY.SET", harness.P{"org_id": acme, "kind": "mfa", "values": harness.P{"required": true}}).OK()
	h.Clock.Advance(16 * time.Minute)
	bob.get("/account").shows(http.StatusOK, "bob@example.com")
	bob.get(workspacesPage).shows(http.StatusOK, "bob@example.com · Personal workspace", "Acme")
}

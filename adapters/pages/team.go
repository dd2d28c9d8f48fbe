package pages

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"strings"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/ports/inbound"
)

// workspacesPath is the list of a person's workspaces.
const workspacesPath = "/account/workspaces"

// Names of the workspace tabs in addresses.
const (
	membersTab     = "members"
	invitationsTab = "invitations"
	rolesTab       = "roles"
	groupsTab      = "groups"
	domainsTab     = "domains"
)

// workspaceSection is the workspace of a page and the caller in it.
type workspaceSection struct {
	caller

	// Tab is the current tab.
	Tab string
}

// workspaceSection returns the active workspace, or for a form the workspace that it was shown for,
// which may differ if another tab has switched since.
func (v *visit) workspaceSection(tab string) (workspaceSection, error) {
	who, err := v.whoami()
	who.Org = cmp.Or(v.form.text("org_id"), who.Org)
	return workspaceSection{who, tab}, err
}

// workspaceForm returns the workspace for a form that requires a permission and a recent
// login. Without the permission it fails with errNoPage, except for POST, where the
// command reports the error.
func (v *visit) workspaceForm(tab, permission string) (workspaceSection, error) {
	if _, err := v.recent(); err != nil {
		return workspaceSection{}, err
	}
	in, err := v.workspaceSection(tab)
	if err == nil && !in.May(permission) && v.r.Method != http.MethodPost {
		err = errNoPage
	}
	return in, err
}

// act executes a command in the workspace of the form.
func (v *visit) act(command string, p params, into any) error {
	if p == nil {
		p = params{}
	}
	return v.call(command, p.text("org_id", v.form.text("org_id")), into)
}

// id returns the identifier in the path, or else in the form.
func (v *visit) id(field string) string { return cmp.Or(v.r.PathValue("id"), v.form.text(field)) }

// cursor returns the cursor of a list page.
func (v *visit) cursor() string { return v.r.URL.Query().Get("cursor") }

// May reports whether the person has a permission in the workspace.
func (r workspaceSection) May(permission string) bool { return r.Scopes.Cover(permission) }

// Tabs returns the workspace pages that the person may see.
func (r workspaceSection) Tabs() []entry {
	tabs := []entry{{Path: workspacesPath, Label: "Your workspaces", Here: r.Tab == ""}}
	for _, one := range []struct{ name, label, permission string }{
		{membersTab, "Members", "members:read"},
		{invitationsTab, "Invitations", "members:read"},
		{rolesTab, "Roles", "roles:read"},
		{groupsTab, "Groups", "groups:read"},
		{domainsTab, "Domains", "domains:read"},
	} {
		if r.May(one.permission) {
			tabs = append(tabs, entry{Path: workspacesPath + "/" + one.name, Label: one.label, Here: r.Tab == one.name})
		}
	}
	return tabs
}

type organization struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Slug     string `json:"slug"`
	Personal bool   `json:"personal"`
	Disabled bool   `json:"disabled"`
	// Leave reports whether the person may leave the workspace, if another owner
	// remains.
	Leave bool `json:"-"`
}

// workspaceDetails is the result of TEAM.GET.
type workspaceDetails struct {
	Organization organization `json:"organization"`
	Roles        []string     `json:"roles"`
}

// switcher returns the workspaces offered in the header, and the page to continue at:
// the start of the section, since other pages may not exist in another workspace. If
// the lookup fails, there are none.
func (v *visit) switcher(shown page) (offered []organization, back string) {
	const few = 7
	var held list[organization]
	if shown.Holder == nil || v.call("TEAM.LIST", params{"limit": few}, &held) != nil {
		return nil, ""
	}
	back = shown.Here
	if below, inAccount := strings.CutPrefix(back, account+"/"); inAccount {
		part, _, _ := strings.Cut(below, "/")
		back = account + "/" + part
	}
	suspended := func(one organization) bool { return one.Disabled }
	return slices.DeleteFunc(held.Items, suspended), back
}

// workspacesData is the data of the list of workspaces.
type workspacesData struct {
	workspaceSection

	Items []organization
	More  string
	// Create reports whether the person may create a workspace, Delete whether they may
	// delete the active one, and Disabled whether that is suspended.
	Create, Delete, Disabled bool
}

func (v *visit) workspaces() error {
	who, err := v.whoami()
	if err != nil {
		return err
	}
	var held list[organization]
	if err := v.call("TEAM.LIST", params{}.text("cursor", v.cursor()), &held); err != nil {
		return err
	}
	for i, one := range held.Items {
		held.Items[i].Leave = v.mayLeave(one)
	}
	data := workspacesData{workspaceSection: workspaceSection{who, ""}, Items: held.Items, More: held.NextCursor, Create: v.mayCreate()}
	active, err := v.membership(who.Org)
	if err != nil && !errors.Is(err, errNoPage) {
		return err
	}
	data.Delete = err == nil && !active.Personal && data.May("teams:delete")
	if data.Disabled = active.Disabled; data.Disabled {
		data.Scopes = nil // so that no management pages are offered
	}
	return v.show("workspaces", "Workspaces", data)
}

// mayLeave reports whether the person may leave a workspace: any except their personal
// one.
func (v *visit) mayLeave(one organization) bool {
	if !one.Personal {
		return true
	}
	var own workspaceDetails
	err := v.call("TEAM.GET", params{"org_id": one.ID}, &own)
	return err == nil && !slices.Contains(own.Roles, role.Owner)
}

// mayCreate reports whether the settings of the instance allow the person to create a
// workspace.
func (v *visit) mayCreate() bool {
	raw, err := encoded("TEAM.CREATE", params{"name": "Workspace"})
	if err != nil {
		return false
	}
	reply, err := v.asHolder(inbound.Request{Command: "TEAM.CREATE", Params: raw, DryRun: true})
	return err == nil && reply.Failure == nil
}

func (v *visit) newWorkspace() error { return v.show("newworkspace", "New workspace", nil) }

func (v *visit) createWorkspace() error {
	var made workspaceDetails
	err := v.call("TEAM.CREATE", params{"name": v.form.text("name")}.text("slug", v.form.text("slug")), &made)
	if err != nil {
		return v.retry(err, (*visit).newWorkspace, "name", "slug")
	}
	return v.done(made.Organization.Name+" was created, and you are its owner. Switch to it to invite others.", workspacesPath)
}

// switchWorkspace switches to another workspace.
func (v *visit) switchWorkspace() error {
	err := v.switchTo(v.form.text("to"), cmp.Or(local(v.form.text("return_to")), workspacesPath))
	if _, refused := errors.AsType[*fault.Error](err); refused {
		return v.retry(err, (*visit).workspaces)
	}
	return err
}

// enterWorkspace switches to a workspace that the person has just joined. If its sign-in
// rules ask for more, they go on in the workspace they are in.
func (v *visit) enterWorkspace(org, to string) error {
	err := v.switchTo(org, to)
	if _, refused := errors.AsType[*fault.Error](err); refused {
		return v.redirect(to)
	}
	return err
}

// switchTo switches to a workspace and continues at an address, after a second factor if
// required.
func (v *visit) switchTo(org, to string) error {
	var o outcome
	if err := v.call("TEAM.SWITCH", params{"org_id": org}, &o); err != nil {
		return err
	}
	if o.MFARequired {
		v.pending.Challenge, v.pending.Methods, v.pending.Switching, v.pending.ReturnTo = o.ChallengeToken, o.Methods, true, to
		return v.redirect("/login/factor")
	}
	if len(o.RequiredActions) > 0 {
		return v.entered(o)
	}
	v.tokens = tokens{Access: o.AccessToken, Refresh: o.RefreshToken}
	if h := v.holder(); h != nil && v.state.Done == "" {
		v.state.Done = "You are now in " + h.Workspace + "."
	}
	return v.redirect(to)
}

// leaving is the data of the page to confirm leaving a workspace.
type leaving struct {
	organization

	// Alone reports whether the person is the last owner, who cannot leave.
	Alone bool
}

// askLeave asks for confirmation before leaving a workspace.
func (v *visit) askLeave() error {
	one, err := v.membership(v.r.PathValue("id"))
	if err != nil {
		return err
	}
	q := leaving{organization: one}
	var own workspaceDetails
	// TEAM.GET fails if the workspace is suspended or requires another login method; it
	// may be left all the same.
	if v.call("TEAM.GET", params{"org_id": one.ID}, &own) == nil && slices.Contains(own.Roles, role.Owner) {
		var owners list[member]
		if err := v.call("TEAM.LIST_MEMBERS", params{"org_id": one.ID, "role": role.Owner, "limit": 2}, &owners); err != nil {
			return err
		}
		q.Alone = len(owners.Items) < 2
	}
	return v.show("leave", "Leave this workspace?", q)
}

// membership returns a workspace that the person belongs to. It fails with errNoPage.
func (v *visit) membership(id string) (organization, error) {
	for next := ""; ; {
		var held list[organization]
		if err := v.call("TEAM.LIST", params{"limit": mostListed}.text("cursor", next), &held); err != nil {
			return organization{}, err
		}
		if at := slices.IndexFunc(held.Items, func(one organization) bool { return one.ID == id }); at >= 0 {
			return held.Items[at], nil
		}
		if next = held.NextCursor; next == "" {
			return organization{}, errNoPage
		}
	}
}

func (v *visit) leaveWorkspace() error {
	if err := v.call("TEAM.LEAVE", params{"org_id": v.form.text("id")}, nil); err != nil {
		return v.retry(err, (*visit).workspaces)
	}
	return v.done("You left the workspace.", workspacesPath)
}

// askDeletion asks for confirmation before the active workspace is deleted.
func (v *visit) askDeletion() error {
	in, err := v.workspaceForm("", "teams:delete")
	if err != nil {
		return err
	}
	one, err := v.membership(in.Org)
	if err == nil && one.Personal {
		err = errNoPage
	}
	if err != nil {
		return err
	}
	return v.show("deleteworkspace", "Delete this workspace?", one)
}

func (v *visit) deleteWorkspace() error {
	if err := v.act("TEAM.DELETE", params{"confirm_slug": v.form.text("confirm_slug")}, nil); err != nil {
		return v.retry(err, (*visit).askDeletion, "confirm_slug")
	}
	return v.done("The workspace was deleted.", workspacesPath)
}

package pages

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"strings"

	"gatehouse.internal/domain/role"
	"gatehouse.internal/ports/inbound"
)

// workspacesPath is the page of the workspaces that somebody belongs to.
const workspacesPath = "/account/workspaces"

// Tabs of a workspace, as their addresses name them.
const (
	membersTab     = "members"
	invitationsTab = "invitations"
	rolesTab       = "roles"
	groupsTab      = "groups"
	domainsTab     = "domains"
)

// room is the active workspace and what the person may do in it: what its pages have in
// common.
type room struct {
	caller

	// Tab is the one of its pages that this is.
	Tab string
}

// room asks for the active workspace. A form that comes back belongs to the one that it
// was shown for, which another tab may have left meanwhile.
func (v *visit) room(tab string) (room, error) {
	who, err := v.whoami()
	who.Org = cmp.Or(v.form.text("org_id"), who.Org)
	return room{who, tab}, err
}

// workbench returns the active workspace for a form that needs a permission, and a proof of
// presence. Who does not have the permission finds no page; a form that was sent is
// refused by its command, in words of its own.
func (v *visit) workbench(tab, permission string) (room, error) {
	if _, err := v.recent(); err != nil {
		return room{}, err
	}
	in, err := v.room(tab)
	if err == nil && !in.May(permission) && v.r.Method != http.MethodPost {
		err = errNoPage
	}
	return in, err
}

// act executes a command in the workspace that a form was shown for.
func (v *visit) act(command string, p params, into any) error {
	if p == nil {
		p = params{}
	}
	return v.call(command, p.text("org_id", v.form.text("org_id")), into)
}

// id returns what a page is about: by its address, or by the form that comes back to it.
func (v *visit) id(field string) string { return cmp.Or(v.r.PathValue("id"), v.form.text(field)) }

// cursor is where the list of a page goes on.
func (v *visit) cursor() string { return v.r.URL.Query().Get("cursor") }

// May reports whether the person has a permission in the workspace.
func (r room) May(permission string) bool { return r.Scopes.Cover(permission) }

// Tabs returns the pages of the workspace that the person may see.
func (r room) Tabs() []entry {
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

// organization is a workspace.
type organization struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Slug     string `json:"slug"`
	Personal bool   `json:"personal"`
	Disabled bool   `json:"disabled"`
	// Leave reports whether the person may leave it, unless they are its last owner.
	Leave bool `json:"-"`
}

// insight is what TEAM.GET tells of a workspace.
type insight struct {
	Organization organization `json:"organization"`
	Roles        []string     `json:"roles"`
}

// switcher returns the workspaces that the header of a page offers to enter, and where that
// leads to: to the part of the account that this is, for what is below it may belong to
// the workspace that is left. Where they cannot be told at the moment, there are none.
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

// workspacesData is what the page of all workspaces shows.
type workspacesData struct {
	room

	Items []organization
	More  string
	// Create reports whether the person may make another one, and Delete whether they may
	// delete the active one.
	Create, Delete bool
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
	data := workspacesData{room: room{who, ""}, Items: held.Items, More: held.NextCursor, Create: v.mayCreate()}
	active, err := v.membership(who.Org)
	if err != nil && !errors.Is(err, errNoPage) {
		return err
	}
	data.Delete = err == nil && !active.Personal && data.May("teams:delete")
	if active.Disabled {
		data.Scopes = nil // nobody may do anything else in it
	}
	return v.show("workspaces", "Workspaces", data)
}

// mayLeave reports whether the person may leave a workspace: any but their personal one,
// which they own.
func (v *visit) mayLeave(one organization) bool {
	if !one.Personal {
		return true
	}
	var own insight
	err := v.call("TEAM.GET", params{"org_id": one.ID}, &own)
	return err == nil && !slices.Contains(own.Roles, role.Owner)
}

// mayCreate reports whether the person may make a workspace: settings of the instance say
// who may, and how many.
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
	var made insight
	err := v.call("TEAM.CREATE", params{"name": v.form.text("name")}.text("slug", v.form.text("slug")), &made)
	if err != nil {
		return v.retry(err, (*visit).newWorkspace, "name", "slug")
	}
	return v.done(made.Organization.Name+" was made, and you are its owner. Switch to it to invite others.", workspacesPath)
}

// switchWorkspace enters another workspace. Where that asks for a second factor which is
// missing, the page for it comes first.
func (v *visit) switchWorkspace() error {
	to := cmp.Or(local(v.form.text("return_to")), workspacesPath)
	var o outcome
	if err := v.call("TEAM.SWITCH", params{"org_id": v.form.text("to")}, &o); err != nil {
		return v.retry(err, (*visit).workspaces)
	}
	if o.MFARequired {
		v.state.Challenge, v.state.Methods, v.state.Switching, v.state.ReturnTo = o.ChallengeToken, o.Methods, true, to
		return v.redirect("/login/factor")
	}
	if len(o.RequiredActions) > 0 {
		return v.entered(o)
	}
	v.tokens = tokens{Access: o.AccessToken, Refresh: o.RefreshToken}
	if h := v.holder(); h != nil {
		v.state.Done = "You are in " + h.Workspace + " now."
	}
	return v.redirect(to)
}

// leaving is what is asked before somebody leaves a workspace.
type leaving struct {
	organization

	// Alone reports whether there is no other owner, who would be needed.
	Alone bool
}

// askLeave asks before somebody leaves a workspace.
func (v *visit) askLeave() error {
	one, err := v.membership(v.r.PathValue("id"))
	if err != nil {
		return err
	}
	q := leaving{organization: one}
	var own insight
	// A workspace that is suspended, or asks for another way to sign in, tells nothing, and may be left.
	if v.call("TEAM.GET", params{"org_id": one.ID}, &own) == nil && slices.Contains(own.Roles, role.Owner) {
		var owners list[member]
		if err := v.call("TEAM.LIST_MEMBERS", params{"org_id": one.ID, "role": role.Owner, "limit": 2}, &owners); err != nil {
			return err
		}
		q.Alone = len(owners.Items) < 2
	}
	return v.show("leave", "Leave this workspace?", q)
}

// membership finds a workspace that the person belongs to. It fails with errNoPage.
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

// askDeletion asks before a workspace is deleted, the active one.
func (v *visit) askDeletion() error {
	in, err := v.workbench("", "teams:delete")
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
	return v.show("deleteworkspace", "Delete this workspace", one)
}

func (v *visit) deleteWorkspace() error {
	if err := v.act("TEAM.DELETE", params{"confirm_slug": v.form.text("confirm_slug")}, nil); err != nil {
		return v.retry(err, (*visit).askDeletion, "confirm_slug")
	}
	return v.done("The workspace was deleted.", workspacesPath)
}

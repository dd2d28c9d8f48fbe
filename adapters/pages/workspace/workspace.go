package workspace

import (
	"cmp"
	"errors"
	"slices"

	"gatehouse.internal/adapters/pages/kit"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/ports/inbound"
)

// Names of the workspace tabs in addresses.
const (
	membersTab     = "members"
	invitationsTab = "invitations"
	rolesTab       = "roles"
	groupsTab      = "groups"
	domainsTab     = "domains"
)

// workspaceSection is the workspace of a page about it.
type workspaceSection struct{ kit.Section }

func (v *visit) workspaceSection(tab string) (workspaceSection, error) {
	in, err := v.Section(tab)
	return workspaceSection{in}, err
}

// workspaceForm returns the workspace of a form that requires a permission.
func (v *visit) workspaceForm(tab, permission string) (workspaceSection, error) {
	in, err := v.Permitted(tab, permission)
	return workspaceSection{in}, err
}

// Tabs returns the workspace pages that the person may see.
func (r workspaceSection) Tabs() []kit.Entry {
	tabs := []kit.Entry{{Path: kit.WorkspacesPath, Label: "Your workspaces", Here: r.Tab == ""}}
	for _, one := range []struct{ name, label, permission string }{
		{membersTab, "Members", "members:read"},
		{invitationsTab, "Invitations", "members:read"},
		{rolesTab, "Roles", "roles:read"},
		{groupsTab, "Groups", "groups:read"},
		{domainsTab, "Domains", "domains:read"},
	} {
		if r.May(one.permission) {
			tabs = append(tabs, kit.Entry{Path: kit.WorkspacesPath + "/" + one.name, Label: one.label, Here: r.Tab == one.name})
		}
	}
	return tabs
}

// workspacesData is the data of the list of workspaces.
type workspacesData struct {
	workspaceSection

	Items []kit.Organization
	More  string
	// Create reports whether the person may create a workspace, Delete whether they may
	// delete the active one, and Disabled whether that is suspended.
	Create, Delete, Disabled bool
}

func (v *visit) workspaces() error {
	who, err := v.Whoami()
	if err != nil {
		return err
	}
	var held kit.List[kit.Organization]
	if err := v.Call("TEAM.LIST", kit.Params{}.Text("cursor", v.Cursor()), &held); err != nil {
		return err
	}
	for i, one := range held.Items {
		held.Items[i].Leave = v.mayLeave(one)
	}
	data := workspacesData{workspaceSection: workspaceSection{kit.Section{Caller: who}}, Items: held.Items, More: held.NextCursor, Create: v.mayCreate()}
	active, err := v.membership(who.Org)
	if err != nil && !errors.Is(err, kit.ErrNoPage) {
		return err
	}
	data.Delete = err == nil && !active.Personal && data.May("teams:delete")
	if data.Disabled = active.Disabled; data.Disabled {
		data.Scopes = nil // so that no management pages are offered
	}
	return v.Show("workspaces", "Workspaces", data)
}

// mayLeave reports whether the person may leave a workspace: any except their personal
// one.
func (v *visit) mayLeave(one kit.Organization) bool {
	if !one.Personal {
		return true
	}
	var own kit.WorkspaceDetails
	err := v.Call("TEAM.GET", kit.Params{"org_id": one.ID}, &own)
	return err == nil && !slices.Contains(own.Roles, role.Owner)
}

// mayCreate reports whether the settings of the instance allow the person to create a
// workspace.
func (v *visit) mayCreate() bool {
	raw, err := kit.Encoded("TEAM.CREATE", kit.Params{"name": "Workspace"})
	if err != nil {
		return false
	}
	reply, err := v.AsHolder(inbound.Request{Command: "TEAM.CREATE", Params: raw, DryRun: true})
	return err == nil && reply.Failure == nil
}

func (v *visit) newWorkspace() error { return v.Show("newworkspace", "New workspace", nil) }

func (v *visit) createWorkspace() error {
	var made kit.WorkspaceDetails
	err := v.Call("TEAM.CREATE", kit.Params{"name": v.Form.Text("name")}.Text("slug", v.Form.Text("slug")), &made)
	if err != nil {
		return v.Retry(err, v.newWorkspace, "name", "slug")
	}
	return v.Done(made.Organization.Name+" was created, and you are its owner. Switch to it to invite others.", kit.WorkspacesPath)
}

// switchWorkspace switches to another workspace.
func (v *visit) switchWorkspace() error {
	err := v.SwitchTo(v.Form.Text("to"), cmp.Or(kit.Local(v.Form.Text("return_to")), kit.WorkspacesPath))
	if _, refused := errors.AsType[*fault.Error](err); refused {
		return v.Retry(err, v.workspaces)
	}
	return err
}

// leaving is the data of the page to confirm leaving a workspace.
type leaving struct {
	kit.Organization

	// Alone reports whether the person is the last owner, who cannot leave.
	Alone bool
}

// askLeave asks for confirmation before leaving a workspace.
func (v *visit) askLeave() error {
	one, err := v.membership(v.Request.PathValue("id"))
	if err != nil {
		return err
	}
	q := leaving{Organization: one}
	var own kit.WorkspaceDetails
	// TEAM.GET fails if the workspace is suspended or requires another login method; it
	// may be left all the same.
	if v.Call("TEAM.GET", kit.Params{"org_id": one.ID}, &own) == nil && slices.Contains(own.Roles, role.Owner) {
		var owners kit.List[member]
		if err := v.Call("TEAM.LIST_MEMBERS", kit.Params{"org_id": one.ID, "role": role.Owner, "limit": 2}, &owners); err != nil {
			return err
		}
		q.Alone = len(owners.Items) < 2
	}
	return v.Show("leave", "Leave this workspace?", q)
}

// membership returns a workspace that the person belongs to. It fails with kit.ErrNoPage.
func (v *visit) membership(id string) (kit.Organization, error) {
	for next := ""; ; {
		var held kit.List[kit.Organization]
		if err := v.Call("TEAM.LIST", kit.Params{"limit": kit.MostListed}.Text("cursor", next), &held); err != nil {
			return kit.Organization{}, err
		}
		if at := slices.IndexFunc(held.Items, func(one kit.Organization) bool { return one.ID == id }); at >= 0 {
			return held.Items[at], nil
		}
		if next = held.NextCursor; next == "" {
			return kit.Organization{}, kit.ErrNoPage
		}
	}
}

func (v *visit) leaveWorkspace() error {
	if err := v.Call("TEAM.LEAVE", kit.Params{"org_id": v.Form.Text("id")}, nil); err != nil {
		return v.Retry(err, v.workspaces)
	}
	return v.Done("You left the workspace.", kit.WorkspacesPath)
}

// askDeletion asks for confirmation before the active workspace is deleted.
func (v *visit) askDeletion() error {
	in, err := v.workspaceForm("", "teams:delete")
	if err != nil {
		return err
	}
	one, err := v.membership(in.Org)
	if err == nil && one.Personal {
		err = kit.ErrNoPage
	}
	if err != nil {
		return err
	}
	return v.Show("deleteworkspace", "Delete this workspace?", one)
}

func (v *visit) deleteWorkspace() error {
	if err := v.Act("TEAM.DELETE", kit.Params{"confirm_slug": v.Form.Text("confirm_slug")}, nil); err != nil {
		return v.Retry(err, v.askDeletion, "confirm_slug")
	}
	return v.Done("The workspace was deleted.", kit.WorkspacesPath)
}

package workspace

import (
	"cmp"
	"errors"
	"slices"

	"gatehouse.internal/adapters/client"
	"gatehouse.internal/adapters/pages/kit"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/role"
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

// organization is a workspace of the person. Leave reports whether they may leave it, if another
// owner remains.
type organization struct {
	client.TeamOrganization

	Leave bool
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
	who, err := v.Whoami()
	if err != nil {
		return err
	}
	held, err := v.Me().TeamList(v.Context(), client.TeamListParams{Cursor: client.Given(v.Cursor())})
	if err != nil {
		return err
	}
	data := workspacesData{workspaceSection: workspaceSection{kit.Section{Caller: who}}, Items: kit.Map(held.Items, v.leavable), More: held.NextCursor, Create: v.mayCreate()}
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

func (v *visit) leavable(one client.TeamOrganization) organization {
	return organization{one, v.mayLeave(one)}
}

// mayLeave reports whether the person may leave a workspace: any except their personal
// one.
func (v *visit) mayLeave(one client.TeamOrganization) bool {
	if !one.Personal {
		return true
	}
	own, err := v.Me().TeamGet(v.Context(), client.TeamGetParams{OrgID: new(one.ID)})
	return err == nil && !slices.Contains(own.Roles, role.Owner)
}

// mayCreate reports whether the settings of the instance allow the person to create a
// workspace.
func (v *visit) mayCreate() bool {
	_, err := v.Trial().TeamCreate(v.Context(), client.TeamCreateParams{Name: "Workspace"})
	return err == nil
}

func (v *visit) newWorkspace() error { return v.Show("newworkspace", "New workspace", nil) }

func (v *visit) createWorkspace() error {
	made, err := v.Me().TeamCreate(v.Context(), client.TeamCreateParams{Name: v.Form.Text("name"), Slug: client.Given(v.Form.Text("slug"))})
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
	client.TeamOrganization

	// Alone reports whether the person is the last owner, who cannot leave.
	Alone bool
}

// askLeave asks for confirmation before leaving a workspace.
func (v *visit) askLeave() error {
	one, err := v.membership(v.Request.PathValue("id"))
	if err != nil {
		return err
	}
	q := leaving{TeamOrganization: one}
	// TEAM.GET fails if the workspace is suspended or requires another login method; it
	// may be left all the same.
	own, err := v.Me().TeamGet(v.Context(), client.TeamGetParams{OrgID: new(one.ID)})
	if err == nil && slices.Contains(own.Roles, role.Owner) {
		owners, err := v.Me().TeamListMembers(v.Context(), client.TeamListMembersParams{OrgID: new(one.ID), Role: new(role.Owner), Limit: new(2)})
		if err != nil {
			return err
		}
		q.Alone = len(owners.Items) < 2
	}
	return v.Show("leave", "Leave this workspace?", q)
}

// membership returns a workspace that the person belongs to. It fails with kit.ErrNoPage.
func (v *visit) membership(id string) (client.TeamOrganization, error) {
	for next := ""; ; {
		held, err := v.Me().TeamList(v.Context(), client.TeamListParams{Limit: new(kit.MostListed), Cursor: client.Given(next)})
		if err != nil {
			return client.TeamOrganization{}, err
		}
		if at := slices.IndexFunc(held.Items, func(one client.TeamOrganization) bool { return one.ID == id }); at >= 0 {
			return held.Items[at], nil
		}
		if next = held.NextCursor; next == "" {
			return client.TeamOrganization{}, kit.ErrNoPage
		}
	}
}

func (v *visit) leaveWorkspace() error {
	if _, err := v.Me().TeamLeave(v.Context(), client.TeamLeaveParams{OrgID: v.Form.Text("id")}); err != nil {
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
	if _, err := v.Me().TeamDelete(v.Context(), client.TeamDeleteParams{ConfirmSlug: v.Form.Text("confirm_slug"), OrgID: v.Form.Text("org_id")}); err != nil {
		return v.Retry(err, v.askDeletion, "confirm_slug")
	}
	return v.Done("The workspace was deleted.", kit.WorkspacesPath)
}

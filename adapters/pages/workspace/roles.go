package workspace

import (
	"net/url"
	"slices"

	"gatehouse.internal/adapters/client"
	"gatehouse.internal/adapters/pages/kit"
	"gatehouse.internal/domain/access"
)

// rolesData is the data of the list of roles.
type rolesData struct {
	workspaceSection

	Items rights
}

func (v *visit) roles() error {
	in, err := v.workspaceSection(rolesTab)
	if err != nil {
		return err
	}
	all, err := v.rights()
	if err != nil {
		return err
	}
	return v.Show("roles", "Roles", rolesData{in, all})
}

// roleData is the data of the page of a role.
type roleData struct {
	workspaceSection
	workspaceRole

	// Effective are the permissions including inherited ones.
	Effective []string
	// Edit reports whether the person may change the role; if so, Others are the roles
	// that it can inherit, and Resources the permissions that it can have.
	Edit      bool
	Others    []string
	Resources []kit.Resource
}

func (v *visit) newRole() error {
	in, err := v.workspaceForm(rolesTab, "roles:write")
	if err != nil {
		return err
	}
	all, err := v.rights()
	if err != nil {
		return err
	}
	data := roleData{workspaceSection: in, Edit: true}
	if err := v.offer(&data, all); err != nil {
		return err
	}
	return v.Show("role", "New role", data)
}

// offer sets the permissions and roles that the person can put into a role: those they
// hold.
func (v *visit) offer(data *roleData, all rights) error {
	known, err := v.Me().PermissionList(v.Context(), client.PermissionListParams{OrgID: v.Org()})
	if err != nil {
		return err
	}
	given := slices.DeleteFunc(known.Items, func(s client.Permission) bool { return access.IsInstance(s.Permission) })
	data.Resources = kit.ByResource(given, data.Scopes)
	// Roles created by the API may hold patterns such as docs:*, which are kept.
	var patterns []client.Permission
	for _, one := range data.Permissions {
		if !slices.ContainsFunc(given, func(s client.Permission) bool { return s.Permission == one }) {
			patterns = append(patterns, client.Permission{Permission: one})
		}
	}
	data.Resources = append(data.Resources, kit.ByResource(patterns, data.Scopes)...)
	data.Others = slices.DeleteFunc(all.within(data.Scopes).names(), func(name string) bool { return name == data.Name })
	return nil
}

func (v *visit) role() error {
	in, err := v.workspaceSection(rolesTab)
	if err != nil {
		return err
	}
	found, err := v.Me().RoleGet(v.Context(), client.RoleGetParams{RoleID: v.ID("role_id"), OrgID: v.Org()})
	if err != nil {
		return err
	}
	data := roleData{workspaceSection: in, workspaceRole: roleOf(found.Role), Effective: found.EffectivePermissions}
	data.Edit = in.May("roles:write") && in.Scopes.CoverAll(found.EffectivePermissions)
	if !data.Edit {
		return v.Show("role", found.Role.Name, data)
	}
	if _, err := v.Recent(); err != nil {
		return err
	}
	all, err := v.rights()
	if err != nil {
		return err
	}
	if err := v.offer(&data, all); err != nil {
		return err
	}
	if v.Form.Values == nil {
		v.Form.Values = url.Values{
			"name": {found.Role.Name}, "description": {found.Role.Description},
			"permissions": found.Role.Permissions, "inherits": found.Role.Inherits,
		}
	}
	return v.Show("role", found.Role.Name, data)
}

// ticked returns the values of a group of checkboxes, which are none if nothing is ticked.
func (v *visit) ticked(name string) []string { return append([]string{}, v.Form.Values[name]...) }

func (v *visit) createRole() error {
	_, err := v.Me().RoleCreate(v.Context(), client.RoleCreateParams{
		Name: v.Form.Text("name"), Description: new(v.Form.Text("description")),
		Permissions: v.ticked("permissions"), Inherits: v.ticked("inherits"), OrgID: v.Org(),
	})
	if err != nil {
		return v.Retry(err, v.newRole, "name", "description", "permissions", "inherits")
	}
	return v.Done("The role was created.", kit.WorkspacesPath+"/roles")
}

func (v *visit) changeRole() error {
	_, err := v.Me().RoleUpdate(v.Context(), client.RoleUpdateParams{
		RoleID: v.Form.Text("role_id"), Name: new(v.Form.Text("name")), Description: new(v.Form.Text("description")),
		Permissions: v.ticked("permissions"), Inherits: v.ticked("inherits"), OrgID: v.Org(),
	})
	if err != nil {
		return v.Retry(err, v.role, "name", "description", "permissions", "inherits")
	}
	return v.Done("The role was updated. The change applies immediately.", kit.WorkspacesPath+"/roles")
}

// askRole asks for confirmation before a role is deleted, and for its replacement.
func (v *visit) askRole() error {
	in, err := v.workspaceForm(rolesTab, "roles:write")
	if err != nil {
		return err
	}
	all, err := v.rights()
	if err != nil {
		return err
	}
	id := v.ID("role_id")
	at := slices.IndexFunc(all, func(one workspaceRole) bool { return one.ID != "" && one.ID == id })
	if at < 0 {
		return kit.ErrNoPage
	}
	data := roleData{workspaceSection: in, workspaceRole: all[at]}
	data.Others = slices.DeleteFunc(all.within(in.Scopes).names(), func(name string) bool { return name == all[at].Name })
	return v.Show("deleterole", "Delete this role?", data)
}

func (v *visit) deleteRole() error {
	p := client.RoleDeleteParams{RoleID: v.Form.Text("role_id"), ReplaceWith: client.Given(v.Form.Text("replace_with")), OrgID: v.Org()}
	if _, err := v.Me().RoleDelete(v.Context(), p); err != nil {
		return v.Retry(err, v.askRole, "replace_with")
	}
	return v.Done("The role was deleted.", kit.WorkspacesPath+"/roles")
}

package pages

import (
	"net/url"
	"slices"

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
	return v.show("roles", "Roles", rolesData{in, all})
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
	Resources []resource
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
	return v.show("role", "New role", data)
}

// offer sets the permissions and roles that the person can put into a role: those they
// hold.
func (v *visit) offer(data *roleData, all rights) error {
	var known list[scope]
	if err := v.act("PERMISSION.LIST", nil, &known); err != nil {
		return err
	}
	given := slices.DeleteFunc(known.Items, func(s scope) bool { return access.IsInstance(s.Name) })
	data.Resources = byResource(given, data.Scopes)
	// Roles created by the API may hold patterns such as docs:*, which are kept.
	var patterns []scope
	for _, one := range data.Permissions {
		if !slices.ContainsFunc(given, func(s scope) bool { return s.Name == one }) {
			patterns = append(patterns, scope{Name: one})
		}
	}
	data.Resources = append(data.Resources, byResource(patterns, data.Scopes)...)
	data.Others = slices.DeleteFunc(all.within(data.Scopes).names(), func(name string) bool { return name == data.Name })
	return nil
}

func (v *visit) role() error {
	in, err := v.workspaceSection(rolesTab)
	if err != nil {
		return err
	}
	var found struct {
		Role      workspaceRole      `json:"role"`
		Effective access.Permissions `json:"effective_permissions"`
	}
	if err := v.act("ROLE.GET", params{"role_id": v.id("role_id")}, &found); err != nil {
		return err
	}
	data := roleData{workspaceSection: in, workspaceRole: found.Role, Effective: found.Effective}
	data.Edit = in.May("roles:write") && in.Scopes.CoverAll(found.Effective)
	if !data.Edit {
		return v.show("role", found.Role.Name, data)
	}
	if _, err := v.recent(); err != nil {
		return err
	}
	all, err := v.rights()
	if err != nil {
		return err
	}
	if err := v.offer(&data, all); err != nil {
		return err
	}
	if v.form.values == nil {
		v.form.values = url.Values{
			"name": {found.Role.Name}, "description": {found.Role.Description},
			"permissions": found.Role.Permissions, "inherits": found.Role.Inherits,
		}
	}
	return v.show("role", found.Role.Name, data)
}

// draft returns the parameters of the role form.
func (v *visit) draft() params {
	p := params{"name": v.form.text("name"), "description": v.form.text("description"), "permissions": []string{}, "inherits": []string{}}
	for _, name := range []string{"permissions", "inherits"} {
		if ticked := v.form.values[name]; ticked != nil {
			p[name] = ticked
		}
	}
	return p
}

func (v *visit) createRole() error {
	if err := v.act("ROLE.CREATE", v.draft(), nil); err != nil {
		return v.retry(err, (*visit).newRole, "name", "description", "permissions", "inherits")
	}
	return v.done("The role was created.", workspacesPath+"/roles")
}

func (v *visit) changeRole() error {
	p := v.draft()
	p["role_id"] = v.form.text("role_id")
	if err := v.act("ROLE.UPDATE", p, nil); err != nil {
		return v.retry(err, (*visit).role, "name", "description", "permissions", "inherits")
	}
	return v.done("The role was updated. The change applies immediately.", workspacesPath+"/roles")
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
	id := v.id("role_id")
	at := slices.IndexFunc(all, func(one workspaceRole) bool { return one.ID != "" && one.ID == id })
	if at < 0 {
		return errNoPage
	}
	data := roleData{workspaceSection: in, workspaceRole: all[at]}
	data.Others = slices.DeleteFunc(all.within(in.Scopes).names(), func(name string) bool { return name == all[at].Name })
	return v.show("deleterole", "Delete this role?", data)
}

func (v *visit) deleteRole() error {
	p := params{"role_id": v.form.text("role_id")}.text("replace_with", v.form.text("replace_with"))
	if err := v.act("ROLE.DELETE", p, nil); err != nil {
		return v.retry(err, (*visit).askRole, "replace_with")
	}
	return v.done("The role was deleted.", workspacesPath+"/roles")
}

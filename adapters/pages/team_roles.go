package pages

import (
	"net/url"
	"slices"

	"gatehouse.internal/domain/access"
)

// rolesData is what the page of all roles shows.
type rolesData struct {
	room

	Items rights
}

func (v *visit) roles() error {
	in, err := v.room(rolesTab)
	if err != nil {
		return err
	}
	all, err := v.rights()
	if err != nil {
		return err
	}
	return v.show("roles", "Roles", rolesData{in, all})
}

// roleData is what the page of a role shows.
type roleData struct {
	room
	workspaceRole

	// Effective is all that it grants, with what it inherits.
	Effective []string
	// Edit reports whether the person may change it: then Others are the roles that it may
	// inherit, and Resources the permissions that it may have.
	Edit      bool
	Others    []string
	Resources []resource
}

func (v *visit) newRole() error {
	in, err := v.workbench(rolesTab, "roles:write")
	if err != nil {
		return err
	}
	all, err := v.rights()
	if err != nil {
		return err
	}
	data := roleData{room: in, Edit: true}
	if err := v.offer(&data, all); err != nil {
		return err
	}
	return v.show("role", "New role", data)
}

// offer finds out what a role may be made of: what its maker holds.
func (v *visit) offer(data *roleData, all rights) error {
	var known list[scope]
	if err := v.act("PERMISSION.LIST", nil, &known); err != nil {
		return err
	}
	given := slices.DeleteFunc(known.Items, func(s scope) bool { return access.IsInstance(s.Name) })
	data.Resources = byResource(given, data.Scopes)
	// A role that was not made here may hold patterns such as docs:*, which stay.
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
	in, err := v.room(rolesTab)
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
	data := roleData{room: in, workspaceRole: found.Role, Effective: found.Effective}
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

// draft returns a role as it was filled in.
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
	return v.done("The role was made.", workspacesPath+"/roles")
}

func (v *visit) changeRole() error {
	p := v.draft()
	p["role_id"] = v.form.text("role_id")
	if err := v.act("ROLE.UPDATE", p, nil); err != nil {
		return v.retry(err, (*visit).role, "name", "description", "permissions", "inherits")
	}
	return v.done("The role was changed. Who holds it feels it at once.", workspacesPath+"/roles")
}

// askRole asks before a role is deleted, and for what takes its place.
func (v *visit) askRole() error {
	in, err := v.workbench(rolesTab, "roles:write")
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
	data := roleData{room: in, workspaceRole: all[at]}
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

package pages

import (
	"cmp"
	"net/url"
)

// group is a group of members.
type group struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Roles       []string `json:"roles"`
}

// groupsData is the data of the list of groups.
type groupsData struct {
	workspaceSection

	Items []group
	More  string
}

func (v *visit) groups() error {
	in, err := v.workspaceSection(groupsTab)
	if err != nil {
		return err
	}
	var held list[group]
	if err := v.act("GROUP.LIST", params{}.text("cursor", v.cursor()), &held); err != nil {
		return err
	}
	return v.show("groups", "Groups", groupsData{in, held.Items, held.NextCursor})
}

// groupData is the data of the page of a group.
type groupData struct {
	workspaceSection

	Group   group
	Count   int
	Members []groupMember
	More    string
	// Offer are the roles that the person may assign to the group. Holds reports
	// whether the person holds all permissions of the group, which is required to
	// change its members.
	Offer []string
	Holds bool
}

// Fill and SetRoles report whether the person may change the members and the roles of
// the group.
func (d groupData) Fill() bool     { return d.Holds && d.May("groups:write") }
func (d groupData) SetRoles() bool { return d.Holds && d.May("roles:write") }

type groupMember struct {
	ID          string `json:"user_id"`
	Name, Email string `json:"-"`
	// Remove reports whether the person may remove the member.
	Remove bool `json:"-"`
}

// Title returns the name of the member, or else the address or identifier.
func (m groupMember) Title() string { return cmp.Or(m.Name, m.Email, m.ID) }

func (v *visit) newGroup() error {
	in, err := v.workspaceForm(groupsTab, "groups:write")
	if err != nil {
		return err
	}
	all, err := v.rights()
	if err != nil {
		return err
	}
	return v.show("newgroup", "New group", groupData{workspaceSection: in, Offer: all.within(in.Scopes).names()})
}

func (v *visit) createGroup() error {
	p := params{"name": v.form.text("name"), "description": v.form.text("description")}
	if ticked := v.form.values["roles"]; ticked != nil {
		p["roles"] = ticked
	}
	var made struct {
		Group group `json:"group"`
	}
	if err := v.act("GROUP.CREATE", p, &made); err != nil {
		return v.retry(err, (*visit).newGroup, "name", "description", "roles")
	}
	return v.done("The group was created.", workspacesPath+"/groups/"+url.PathEscape(made.Group.ID))
}

// someGroup returns the group of the page, and the roles of the workspace.
func (v *visit) someGroup() (groupData, rights, error) {
	in, err := v.workspaceSection(groupsTab)
	if err != nil {
		return groupData{}, nil, err
	}
	var found struct {
		Group group `json:"group"`
		Count int   `json:"member_count"`
	}
	if err := v.act("GROUP.GET", params{"group_id": v.id("group_id")}, &found); err != nil {
		return groupData{}, nil, err
	}
	all, err := v.rights()
	return groupData{
		workspaceSection: in, Group: found.Group, Count: found.Count,
		Offer: all.within(in.Scopes).names(), Holds: in.Scopes.CoverAll(all.grants(found.Group.Roles...)),
	}, all, err
}

func (v *visit) group() error {
	data, all, err := v.someGroup()
	if err != nil {
		return err
	}
	if data.Fill() || data.SetRoles() {
		if _, err := v.recent(); err != nil {
			return err
		}
	}
	const few = 20 // one more request for each
	var held list[groupMember]
	if err := v.act("GROUP.MEMBER_LIST", params{"group_id": data.Group.ID, "limit": few}.text("cursor", v.cursor()), &held); err != nil {
		return err
	}
	for i := range held.Items {
		v.resolveMember(&held.Items[i], data, all)
	}
	data.Members, data.More = held.Items, held.NextCursor
	v.prefill(data.Group)
	return v.show("group", data.Group.Name, data)
}

// prefill sets the values of the forms on the page that were not submitted.
func (v *visit) prefill(of group) {
	if v.form.values == nil {
		v.form.values = url.Values{}
	}
	if !v.form.values.Has("name") {
		v.form.values["name"], v.form.values["description"] = []string{of.Name}, []string{of.Description}
	}
	if v.r.URL.Path != workspacesPath+"/groups/roles" {
		v.form.values["roles"] = of.Roles
	}
}

// resolveMember looks up a member of a group. Without permission, the identifier is shown.
func (v *visit) resolveMember(m *groupMember, in groupData, all rights) {
	var known memberDetails
	if v.act("USER.GET", params{"user_id": m.ID}, &known) != nil {
		m.Remove = in.Fill()
		return
	}
	m.Name, m.Email = known.User.DisplayName, known.User.Email
	m.Remove = in.Fill() && (len(in.Group.Roles) == 0 || in.Scopes.CoverAll(all.grants(known.Roles...)))
}

// groupPage returns the page of the group in the form.
func (v *visit) groupPage() string {
	return workspacesPath + "/groups/" + url.PathEscape(v.form.text("group_id"))
}

func (v *visit) changeGroup() error {
	p := params{"group_id": v.form.text("group_id"), "name": v.form.text("name"), "description": v.form.text("description")}
	if err := v.act("GROUP.UPDATE", p, nil); err != nil {
		return v.retry(err, (*visit).group, "name", "description")
	}
	return v.done("The group was updated.", v.groupPage())
}

func (v *visit) setGroupRoles() error {
	p := params{"group_id": v.form.text("group_id"), "roles": []string{}}
	if ticked := v.form.values["roles"]; ticked != nil {
		p["roles"] = ticked
	}
	if err := v.act("GROUP.SET_ROLES", p, nil); err != nil {
		return v.retry(err, (*visit).group, "roles")
	}
	return v.done("The roles of the group were updated. The change applies immediately.", v.groupPage())
}

func (v *visit) addToGroup() error {
	found, err := v.memberBy(v.form.text("email"))
	if err != nil {
		return v.retry(err, (*visit).group)
	}
	if found == nil {
		return v.complain((*visit).group, "email", "No member of the workspace has this address.")
	}
	p := params{"group_id": v.form.text("group_id"), "user_ids": []string{found.ID}}
	if err := v.act("GROUP.MEMBER_ADD", p, nil); err != nil {
		return v.retry(err, (*visit).group)
	}
	return v.done(found.Title()+" was added to the group.", v.groupPage())
}

func (v *visit) removeFromGroup() error {
	p := params{"group_id": v.form.text("group_id"), "user_ids": []string{v.form.text("user_id")}}
	if err := v.act("GROUP.MEMBER_REMOVE", p, nil); err != nil {
		return v.retry(err, (*visit).group)
	}
	return v.done("The member was removed from the group.", v.groupPage())
}

// askGroup asks for confirmation before a group is deleted.
func (v *visit) askGroup() error {
	if _, err := v.recent(); err != nil {
		return err
	}
	data, _, err := v.someGroup()
	if err != nil {
		return err
	}
	if !data.Fill() {
		return errNoPage
	}
	q := question{
		Name: data.Group.Name, Text: "Its members stay in the workspace.", Org: data.Org,
		Action: workspacesPath + "/groups/delete", Field: "group_id", Value: data.Group.ID, Button: "Delete group",
		Back: workspacesPath + "/groups/" + url.PathEscape(data.Group.ID),
	}
	if len(data.Group.Roles) > 0 {
		q.Text = plural(data.Count, "member loses", "members lose") + " the roles that it gives."
	}
	return v.show("question", "Delete this group?", q)
}

func (v *visit) deleteGroup() error {
	if err := v.act("GROUP.DELETE", params{"group_id": v.form.text("group_id")}, nil); err != nil {
		return v.retry(err, (*visit).groups)
	}
	return v.done("The group was deleted.", workspacesPath+"/groups")
}

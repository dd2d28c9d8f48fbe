package workspace

import (
	"cmp"
	"net/url"

	"gatehouse.internal/adapters/pages/kit"
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
	var held kit.List[group]
	if err := v.Act("GROUP.LIST", kit.Params{}.Text("cursor", v.Cursor()), &held); err != nil {
		return err
	}
	return v.Show("groups", "Groups", groupsData{in, held.Items, held.NextCursor})
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
	return v.Show("newgroup", "New group", groupData{workspaceSection: in, Offer: all.within(in.Scopes).names()})
}

func (v *visit) createGroup() error {
	p := kit.Params{"name": v.Form.Text("name"), "description": v.Form.Text("description")}
	if ticked := v.Form.Values["roles"]; ticked != nil {
		p["roles"] = ticked
	}
	var made struct {
		Group group `json:"group"`
	}
	if err := v.Act("GROUP.CREATE", p, &made); err != nil {
		return v.Retry(err, v.newGroup, "name", "description", "roles")
	}
	return v.Done("The group was created.", kit.WorkspacesPath+"/groups/"+url.PathEscape(made.Group.ID))
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
	if err := v.Act("GROUP.GET", kit.Params{"group_id": v.ID("group_id")}, &found); err != nil {
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
		if _, err := v.Recent(); err != nil {
			return err
		}
	}
	const few = 20 // one more request for each
	var held kit.List[groupMember]
	if err := v.Act("GROUP.MEMBER_LIST", kit.Params{"group_id": data.Group.ID, "limit": few}.Text("cursor", v.Cursor()), &held); err != nil {
		return err
	}
	for i := range held.Items {
		v.resolveMember(&held.Items[i], data, all)
	}
	data.Members, data.More = held.Items, held.NextCursor
	v.prefill(data.Group)
	return v.Show("group", data.Group.Name, data)
}

// prefill sets the values of the forms on the page that were not submitted.
func (v *visit) prefill(of group) {
	if v.Form.Values == nil {
		v.Form.Values = url.Values{}
	}
	if !v.Form.Values.Has("name") {
		v.Form.Values["name"], v.Form.Values["description"] = []string{of.Name}, []string{of.Description}
	}
	if v.Request.URL.Path != kit.WorkspacesPath+"/groups/roles" {
		v.Form.Values["roles"] = of.Roles
	}
}

// resolveMember looks up a member of a group. Without permission, the identifier is shown.
func (v *visit) resolveMember(m *groupMember, in groupData, all rights) {
	var known memberDetails
	if v.Act("USER.GET", kit.Params{"user_id": m.ID}, &known) != nil {
		m.Remove = in.Fill()
		return
	}
	m.Name, m.Email = known.User.DisplayName, known.User.Email
	m.Remove = in.Fill() && (len(in.Group.Roles) == 0 || in.Scopes.CoverAll(all.grants(known.Roles...)))
}

// groupPage returns the page of the group in the form.
func (v *visit) groupPage() string {
	return kit.WorkspacesPath + "/groups/" + url.PathEscape(v.Form.Text("group_id"))
}

func (v *visit) changeGroup() error {
	p := kit.Params{"group_id": v.Form.Text("group_id"), "name": v.Form.Text("name"), "description": v.Form.Text("description")}
	if err := v.Act("GROUP.UPDATE", p, nil); err != nil {
		return v.Retry(err, v.group, "name", "description")
	}
	return v.Done("The group was updated.", v.groupPage())
}

func (v *visit) setGroupRoles() error {
	p := kit.Params{"group_id": v.Form.Text("group_id"), "roles": []string{}}
	if ticked := v.Form.Values["roles"]; ticked != nil {
		p["roles"] = ticked
	}
	if err := v.Act("GROUP.SET_ROLES", p, nil); err != nil {
		return v.Retry(err, v.group, "roles")
	}
	return v.Done("The roles of the group were updated. The change applies immediately.", v.groupPage())
}

func (v *visit) addToGroup() error {
	found, err := v.memberBy(v.Form.Text("email"))
	if err != nil {
		return v.Retry(err, v.group)
	}
	if found == nil {
		return v.Complain(v.group, "email", "No member of the workspace has this address.")
	}
	p := kit.Params{"group_id": v.Form.Text("group_id"), "user_ids": []string{found.ID}}
	if err := v.Act("GROUP.MEMBER_ADD", p, nil); err != nil {
		return v.Retry(err, v.group)
	}
	return v.Done(found.Title()+" was added to the group.", v.groupPage())
}

func (v *visit) removeFromGroup() error {
	p := kit.Params{"group_id": v.Form.Text("group_id"), "user_ids": []string{v.Form.Text("user_id")}}
	if err := v.Act("GROUP.MEMBER_REMOVE", p, nil); err != nil {
		return v.Retry(err, v.group)
	}
	return v.Done("The member was removed from the group.", v.groupPage())
}

// askGroup asks for confirmation before a group is deleted.
func (v *visit) askGroup() error {
	if _, err := v.Recent(); err != nil {
		return err
	}
	data, _, err := v.someGroup()
	if err != nil {
		return err
	}
	if !data.Fill() {
		return kit.ErrNoPage
	}
	q := kit.Question{
		Name: data.Group.Name, Text: "Its members stay in the workspace.", Org: data.Org,
		Action: kit.WorkspacesPath + "/groups/delete", Field: "group_id", Value: data.Group.ID, Button: "Delete group",
		Back: kit.WorkspacesPath + "/groups/" + url.PathEscape(data.Group.ID),
	}
	if len(data.Group.Roles) > 0 {
		q.Text = kit.Plural(data.Count, "member loses", "members lose") + " the roles that it gives."
	}
	return v.Show("question", "Delete this group?", q)
}

func (v *visit) deleteGroup() error {
	if err := v.Act("GROUP.DELETE", kit.Params{"group_id": v.Form.Text("group_id")}, nil); err != nil {
		return v.Retry(err, v.groups)
	}
	return v.Done("The group was deleted.", kit.WorkspacesPath+"/groups")
}

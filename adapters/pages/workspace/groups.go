package workspace

import (
	"cmp"
	"net/url"

	"gatehouse.internal/adapters/client"
	"gatehouse.internal/adapters/pages/kit"
)

// groupsData is the data of the list of groups.
type groupsData struct {
	workspaceSection

	Items []client.Group
	More  string
}

func (v *visit) groups() error {
	in, err := v.workspaceSection(groupsTab)
	if err != nil {
		return err
	}
	held, err := v.Me().GroupList(v.Context(), client.GroupListParams{Cursor: client.Given(v.Cursor()), OrgID: v.Org()})
	if err != nil {
		return err
	}
	return v.Show("groups", "Groups", groupsData{in, held.Items, held.NextCursor})
}

// groupData is the data of the page of a group.
type groupData struct {
	workspaceSection

	Group   client.Group
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

// groupMember is a member of a group. Name and Email are empty unless the person may read them.
type groupMember struct {
	ID, Name, Email string
	// Remove reports whether the person may remove the member.
	Remove bool
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
	made, err := v.Me().GroupCreate(v.Context(), client.GroupCreateParams{
		Name: v.Form.Text("name"), Description: new(v.Form.Text("description")), Roles: v.Form.Values["roles"], OrgID: v.Org(),
	})
	if err != nil {
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
	found, err := v.Me().GroupGet(v.Context(), client.GroupGetParams{GroupID: v.ID("group_id"), OrgID: v.Org()})
	if err != nil {
		return groupData{}, nil, err
	}
	all, err := v.rights()
	return groupData{
		workspaceSection: in, Group: found.Group, Count: found.MemberCount,
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
	held, err := v.Me().GroupMemberList(v.Context(), client.GroupMemberListParams{GroupID: data.Group.ID, Limit: new(few), Cursor: client.Given(v.Cursor()), OrgID: v.Org()})
	if err != nil {
		return err
	}
	for _, one := range held.Items {
		data.Members = append(data.Members, v.resolveMember(one.UserID, data, all))
	}
	data.More = held.NextCursor
	v.prefill(data.Group)
	return v.Show("group", data.Group.Name, data)
}

// prefill sets the values of the forms on the page that were not submitted.
func (v *visit) prefill(of client.Group) {
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
func (v *visit) resolveMember(id string, in groupData, all rights) groupMember {
	known, err := v.Me().UserGet(v.Context(), client.UserGetParams{UserID: new(id), OrgID: v.Org()})
	if err != nil {
		return groupMember{ID: id, Remove: in.Fill()}
	}
	return groupMember{
		ID: id, Name: known.User.DisplayName, Email: known.User.Email,
		Remove: in.Fill() && (len(in.Group.Roles) == 0 || in.Scopes.CoverAll(all.grants(known.Roles...))),
	}
}

// groupPage returns the page of the group in the form.
func (v *visit) groupPage() string {
	return kit.WorkspacesPath + "/groups/" + url.PathEscape(v.Form.Text("group_id"))
}

func (v *visit) changeGroup() error {
	_, err := v.Me().GroupUpdate(v.Context(), client.GroupUpdateParams{
		GroupID: v.Form.Text("group_id"), Name: new(v.Form.Text("name")), Description: new(v.Form.Text("description")), OrgID: v.Org(),
	})
	if err != nil {
		return v.Retry(err, v.group, "name", "description")
	}
	return v.Done("The group was updated.", v.groupPage())
}

func (v *visit) setGroupRoles() error {
	p := client.GroupSetRolesParams{GroupID: v.Form.Text("group_id"), Roles: v.Form.Values["roles"], OrgID: v.Org()}
	if _, err := v.Me().GroupSetRoles(v.Context(), p); err != nil {
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
	p := client.GroupMemberAddParams{GroupID: v.Form.Text("group_id"), UserIDs: []string{found.ID}, OrgID: v.Org()}
	if _, err := v.Me().GroupMemberAdd(v.Context(), p); err != nil {
		return v.Retry(err, v.group)
	}
	return v.Done(found.Title()+" was added to the group.", v.groupPage())
}

func (v *visit) removeFromGroup() error {
	p := client.GroupMemberRemoveParams{GroupID: v.Form.Text("group_id"), UserIDs: []string{v.Form.Text("user_id")}, OrgID: v.Org()}
	if _, err := v.Me().GroupMemberRemove(v.Context(), p); err != nil {
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
	if _, err := v.Me().GroupDelete(v.Context(), client.GroupDeleteParams{GroupID: v.Form.Text("group_id"), OrgID: v.Org()}); err != nil {
		return v.Retry(err, v.groups)
	}
	return v.Done("The group was deleted.", kit.WorkspacesPath+"/groups")
}

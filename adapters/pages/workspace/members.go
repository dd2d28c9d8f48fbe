package workspace

import (
	"cmp"
	"net/url"
	"slices"
	"time"

	"gatehouse.internal/adapters/pages/kit"
	"gatehouse.internal/domain/role"
)

// member is a member of the workspace.
type member struct {
	ID       string    `json:"user_id"`
	Email    string    `json:"email"`
	Name     string    `json:"display_name"`
	Status   string    `json:"status"`
	Roles    []string  `json:"roles"`
	JoinedAt time.Time `json:"joined_at"`
}

// Title returns the name of the member, or else the address.
func (m member) Title() string { return cmp.Or(m.Name, m.Email) }

// memberDetails is the result of USER.GET, with roles including those of groups.
type memberDetails struct {
	User  kit.Profile `json:"user"`
	Roles []string    `json:"roles"`
	// Groups are the groups that the member belongs to.
	Groups []struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	} `json:"groups"`
}

// membersData is the data of the list of members.
type membersData struct {
	workspaceSection

	Items       []member
	Query, More string
}

// Manage reports whether the person may manage members.
func (d membersData) Manage() bool { return d.May("members:write") && d.May("users:read") }

func (v *visit) members() error {
	in, err := v.workspaceSection(membersTab)
	if err != nil {
		return err
	}
	var held kit.List[member]
	wanted := v.Request.URL.Query().Get("q")
	if err := v.Act("TEAM.LIST_MEMBERS", kit.Params{}.Text("query", wanted).Text("cursor", v.Cursor()), &held); err != nil {
		return err
	}
	data := membersData{workspaceSection: in, Items: held.Items, Query: wanted}
	if held.NextCursor != "" {
		data.More = kit.WorkspacesPath + "/members?" + url.Values{"cursor": {held.NextCursor}, "q": {wanted}}.Encode()
	}
	return v.Show("members", "Members", data)
}

// memberData is the data of the page of a member.
type memberData struct {
	workspaceSection
	member

	Groups []struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	}
	// Give are the roles that the person may grant, and Take those they may remove.
	Give, Take []string
	// Remove reports whether the member can be removed, and Own whether ownership can
	// be transferred to them.
	Remove, Own bool
}

// Takes reports whether a role can be removed.
func (d memberData) Takes(name string) bool { return slices.Contains(d.Take, name) }

func (v *visit) member() error {
	if _, err := v.Recent(); err != nil {
		return err
	}
	data, err := v.someMember(v.ID("user_id"))
	if err != nil {
		return err
	}
	return v.Show("member", data.Title(), data)
}

// someMember returns a member and the permitted actions. It fails with kit.ErrNoPage.
func (v *visit) someMember(id string) (memberData, error) {
	in, err := v.workspaceSection(membersTab)
	if err != nil {
		return memberData{}, err
	}
	var known memberDetails
	if err := v.Act("USER.GET", kit.Params{"user_id": id}, &known); err != nil {
		return memberData{}, err
	}
	data := memberData{workspaceSection: in, Groups: known.Groups}
	found, err := v.memberBy(known.User.Email)
	if err != nil || found == nil {
		return data, cmp.Or(err, kit.ErrNoPage)
	}
	data.member = *found
	return data, v.judge(&data, known.Roles)
}

// memberBy returns the member with an address, or nil.
func (v *visit) memberBy(address string) (*member, error) {
	var held kit.List[member]
	if err := v.Act("TEAM.LIST_MEMBERS", kit.Params{"query": address, "limit": kit.MostListed}, &held); err != nil {
		return nil, err
	}
	for _, one := range held.Items {
		if one.Email == address {
			return &one, nil
		}
	}
	return nil, nil
}

// judge sets the actions that are permitted on a member with the given effective roles.
func (v *visit) judge(data *memberData, held []string) error {
	roles, err := v.rights()
	if err != nil {
		return err
	}
	var one kit.WorkspaceDetails
	if err := v.Act("TEAM.GET", nil, &one); err != nil {
		return err
	}
	last, err := v.lastOwner(data.member)
	if err != nil {
		return err
	}
	below := data.Scopes.CoverAll(roles.grants(held...))
	for _, name := range roles.within(data.Scopes).names() {
		has := slices.Contains(data.Roles, name)
		switch {
		case !data.May("members:write"):
		case !has:
			data.Give = append(data.Give, name)
		case below && (name != role.Owner || !last):
			data.Take = append(data.Take, name)
		}
	}
	self := data.ID == data.Subject
	data.Remove = data.May("members:write") && below && !last && !self
	data.Own = data.May("teams:delete") && slices.Contains(data.Caller.Roles, role.Owner) &&
		!self && !one.Organization.Personal && data.Status == "active"
	return nil
}

// lastOwner reports whether a member is the only owner.
func (v *visit) lastOwner(m member) (bool, error) {
	if !slices.Contains(m.Roles, role.Owner) {
		return false, nil
	}
	var owners kit.List[member]
	err := v.Act("TEAM.LIST_MEMBERS", kit.Params{"role": role.Owner, "limit": 2}, &owners)
	return len(owners.Items) < 2, err
}

func (v *visit) giveRole() error { return v.regrant("USER.SET_ROLE", "now has the role ") }
func (v *visit) takeRole() error { return v.regrant("USER.UNSET_ROLE", "no longer has the role ") }

// regrant changes a role of a member. After changing their own roles, the person may
// not be able to see the member page, so it continues at the workspaces.
func (v *visit) regrant(command, said string) error {
	who, given := v.Form.Text("user_id"), v.Form.Text("role")
	if err := v.Act(command, kit.Params{"user_id": who, "role": given}, nil); err != nil {
		return v.Retry(err, v.member, "role")
	}
	me, err := v.Whoami()
	if err != nil {
		return err
	}
	if me.Subject == who {
		return v.Done("Your roles were changed.", kit.WorkspacesPath)
	}
	return v.Done(v.Form.Text("name")+" "+said+given+".", kit.WorkspacesPath+"/members/"+url.PathEscape(who))
}

// askMember asks for confirmation before a member is removed.
func (v *visit) askMember() error {
	return v.askAbout("Remove this member?", func(m memberData) (kit.Question, bool) {
		return kit.Question{
			Text:   "The member loses their roles, groups and API keys in this workspace. Sessions that are active in it continue in their personal workspace.",
			Action: kit.WorkspacesPath + "/members/remove", Button: "Remove member",
		}, m.Remove
	})
}

// askOwner asks for confirmation before ownership is transferred.
func (v *visit) askOwner() error {
	return v.askAbout("Transfer ownership?", func(m memberData) (kit.Question, bool) {
		return kit.Question{
			Text:   "This member becomes the owner of " + m.Workspace + ", and you are no longer an owner. Only they can transfer it back.",
			Action: kit.WorkspacesPath + "/members/owner", Button: "Transfer ownership",
		}, m.Own
	})
}

// askAbout shows a confirmation page about a member; ask returns false if the action is
// not permitted.
func (v *visit) askAbout(title string, ask func(memberData) (kit.Question, bool)) error {
	if _, err := v.Recent(); err != nil {
		return err
	}
	found, err := v.someMember(v.Request.PathValue("id"))
	if err != nil {
		return err
	}
	q, may := ask(found)
	if !may {
		return kit.ErrNoPage
	}
	q.Name, q.Org, q.Field, q.Value = found.Title(), found.Org, "user_id", found.ID
	if found.Name != "" {
		q.Name += ", " + found.Email
	}
	q.Back = kit.WorkspacesPath + "/members/" + url.PathEscape(found.ID)
	return v.Show("question", title, q)
}

func (v *visit) removeMember() error {
	if err := v.Act("TEAM.MEMBER_REMOVE", kit.Params{"user_id": v.Form.Text("user_id")}, nil); err != nil {
		return v.Retry(err, v.members)
	}
	return v.Done("The member was removed from the workspace.", kit.WorkspacesPath+"/members")
}

func (v *visit) handOver() error {
	if err := v.Act("TEAM.TRANSFER_OWNERSHIP", kit.Params{"user_id": v.Form.Text("user_id")}, nil); err != nil {
		return v.Retry(err, v.members)
	}
	return v.Done("The ownership was transferred.", kit.WorkspacesPath)
}

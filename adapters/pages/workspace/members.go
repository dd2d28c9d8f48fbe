package workspace

import (
	"cmp"
	"net/url"
	"slices"
	"time"

	"gatehouse.internal/adapters/client"
	"gatehouse.internal/adapters/pages/kit"
	"gatehouse.internal/domain/role"
)

// member is a member of the workspace.
type member struct {
	ID, Email, Name string
	Status          client.UserStatus
	Roles           []string
	JoinedAt        time.Time
}

func memberOf(one client.TeamMember) member {
	return member{ID: one.UserID, Email: one.Email, Name: one.DisplayName, Status: one.Status, Roles: one.Roles, JoinedAt: one.JoinedAt}
}

// Title returns the name of the member, or else the address.
func (m member) Title() string { return cmp.Or(m.Name, m.Email) }

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
	wanted := v.Request.URL.Query().Get("q")
	held, err := v.Me().TeamListMembers(v.Context(), client.TeamListMembersParams{Query: client.Given(wanted), Cursor: client.Given(v.Cursor()), OrgID: v.Org()})
	if err != nil {
		return err
	}
	data := membersData{workspaceSection: in, Items: kit.Map(held.Items, memberOf), Query: wanted}
	if held.NextCursor != "" {
		data.More = kit.WorkspacesPath + "/members?" + url.Values{"cursor": {held.NextCursor}, "q": {wanted}}.Encode()
	}
	return v.Show("members", "Members", data)
}

// memberData is the data of the page of a member.
type memberData struct {
	workspaceSection
	member

	Groups []client.UserGroup
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
	known, err := v.Me().UserGet(v.Context(), client.UserGetParams{UserID: new(id), OrgID: v.Org()})
	if err != nil {
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
	held, err := v.Me().TeamListMembers(v.Context(), client.TeamListMembersParams{Query: new(address), Limit: new(kit.MostListed), OrgID: v.Org()})
	if err != nil {
		return nil, err
	}
	for _, one := range held.Items {
		if one.Email == address {
			return new(memberOf(one)), nil
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
	one, err := v.Me().TeamGet(v.Context(), client.TeamGetParams{OrgID: v.Org()})
	if err != nil {
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
		!self && !one.Organization.Personal && data.Status == client.UserStatusActive
	return nil
}

// lastOwner reports whether a member is the only owner.
func (v *visit) lastOwner(m member) (bool, error) {
	if !slices.Contains(m.Roles, role.Owner) {
		return false, nil
	}
	owners, err := v.Me().TeamListMembers(v.Context(), client.TeamListMembersParams{Role: new(role.Owner), Limit: new(2), OrgID: v.Org()})
	return len(owners.Items) < 2, err
}

func (v *visit) giveRole() error {
	return v.regrant("now has the role ", func(who, given string) error {
		_, err := v.Me().UserSetRole(v.Context(), client.UserSetRoleParams{UserID: who, Role: given, OrgID: v.Org()})
		return err
	})
}

func (v *visit) takeRole() error {
	return v.regrant("no longer has the role ", func(who, given string) error {
		_, err := v.Me().UserUnsetRole(v.Context(), client.UserUnsetRoleParams{UserID: who, Role: given, OrgID: v.Org()})
		return err
	})
}

// regrant changes a role of a member. After changing their own roles, the person may
// not be able to see the member page, so it continues at the workspaces.
func (v *visit) regrant(said string, by func(who, given string) error) error {
	who, given := v.Form.Text("user_id"), v.Form.Text("role")
	if err := by(who, given); err != nil {
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
	if _, err := v.Me().TeamMemberRemove(v.Context(), client.TeamMemberRemoveParams{UserID: v.Form.Text("user_id"), OrgID: v.Org()}); err != nil {
		return v.Retry(err, v.members)
	}
	return v.Done("The member was removed from the workspace.", kit.WorkspacesPath+"/members")
}

func (v *visit) handOver() error {
	if _, err := v.Me().TeamTransferOwnership(v.Context(), client.TeamTransferOwnershipParams{UserID: v.Form.Text("user_id"), OrgID: v.Org()}); err != nil {
		return v.Retry(err, v.members)
	}
	return v.Done("The ownership was transferred.", kit.WorkspacesPath)
}

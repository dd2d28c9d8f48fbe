// Package workspace is the room of workspaces: members, invitations, roles, groups and domains.
package workspace

import "gatehouse.internal/adapters/pages/kit"

// visit is a request of a browser for a page of this room.
type visit struct{ *kit.Visit }

// on returns the route of a page of this room.
func on(pattern string, who kit.Audience, page func(*visit) error) kit.Route {
	return kit.Route{Pattern: pattern, Who: who, Page: func(v *kit.Visit) error { return page(&visit{v}) }}
}

// Routes returns the workspace pages. The address of a form is below that of its
// page, on which visit.here relies.
func Routes() []kit.Route {
	return []kit.Route{
		on("GET /account/workspaces", kit.Person, (*visit).workspaces),
		on("GET /account/workspaces/new", kit.Person, (*visit).newWorkspace),
		on("POST /account/workspaces/new", kit.Person, (*visit).createWorkspace),
		on("POST /account/workspaces/switch", kit.Person, (*visit).switchWorkspace),
		on("GET /account/workspaces/leave/{id}", kit.Person, (*visit).askLeave),
		on("POST /account/workspaces/leave", kit.Person, (*visit).leaveWorkspace),
		on("GET /account/workspaces/delete", kit.Person, (*visit).askDeletion),
		on("POST /account/workspaces/delete", kit.Person, (*visit).deleteWorkspace),

		on("GET /account/workspaces/members", kit.Person, (*visit).members),
		on("GET /account/workspaces/members/{id}", kit.Person, (*visit).member),
		on("POST /account/workspaces/members/give", kit.Person, (*visit).giveRole),
		on("POST /account/workspaces/members/take", kit.Person, (*visit).takeRole),
		on("GET /account/workspaces/members/{id}/remove", kit.Person, (*visit).askMember),
		on("POST /account/workspaces/members/remove", kit.Person, (*visit).removeMember),
		on("GET /account/workspaces/members/{id}/owner", kit.Person, (*visit).askOwner),
		on("POST /account/workspaces/members/owner", kit.Person, (*visit).handOver),

		on("GET /account/workspaces/invitations", kit.Person, (*visit).invitations),
		on("GET /account/workspaces/invitations/new", kit.Person, (*visit).newInvitation),
		on("POST /account/workspaces/invitations/new", kit.Person, (*visit).invite),
		on("POST /account/workspaces/invitations/resend", kit.Person, (*visit).resendInvitation),
		on("GET /account/workspaces/invitations/{id}/revoke", kit.Person, (*visit).askInvitation),
		on("POST /account/workspaces/invitations/revoke", kit.Person, (*visit).revokeInvitation),

		on("GET /account/workspaces/roles", kit.Person, (*visit).roles),
		on("GET /account/workspaces/roles/new", kit.Person, (*visit).newRole),
		on("POST /account/workspaces/roles/new", kit.Person, (*visit).createRole),
		on("GET /account/workspaces/roles/{id}", kit.Person, (*visit).role),
		on("POST /account/workspaces/roles/change", kit.Person, (*visit).changeRole),
		on("GET /account/workspaces/roles/{id}/delete", kit.Person, (*visit).askRole),
		on("POST /account/workspaces/roles/delete", kit.Person, (*visit).deleteRole),

		on("GET /account/workspaces/groups", kit.Person, (*visit).groups),
		on("GET /account/workspaces/groups/new", kit.Person, (*visit).newGroup),
		on("POST /account/workspaces/groups/new", kit.Person, (*visit).createGroup),
		on("GET /account/workspaces/groups/{id}", kit.Person, (*visit).group),
		on("POST /account/workspaces/groups/change", kit.Person, (*visit).changeGroup),
		on("POST /account/workspaces/groups/roles", kit.Person, (*visit).setGroupRoles),
		on("POST /account/workspaces/groups/add", kit.Person, (*visit).addToGroup),
		on("POST /account/workspaces/groups/remove", kit.Person, (*visit).removeFromGroup),
		on("GET /account/workspaces/groups/{id}/delete", kit.Person, (*visit).askGroup),
		on("POST /account/workspaces/groups/delete", kit.Person, (*visit).deleteGroup),

		on("GET /account/workspaces/domains", kit.Person, (*visit).domains),
		on("GET /account/workspaces/domains/new", kit.Person, (*visit).newDomain),
		on("POST /account/workspaces/domains/new", kit.Person, (*visit).addDomain),
		on("GET /account/workspaces/domains/{id}", kit.Person, (*visit).domain),
		on("POST /account/workspaces/domains/change", kit.Person, (*visit).changeDomain),
		on("POST /account/workspaces/domains/verify", kit.Person, (*visit).verifyDomain),
		on("GET /account/workspaces/domains/{id}/remove", kit.Person, (*visit).askDomain),
		on("POST /account/workspaces/domains/remove", kit.Person, (*visit).removeDomain),
	}
}

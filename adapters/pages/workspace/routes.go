// Package workspace is the room of workspaces: members, invitations, roles, groups and domains.
package workspace

import "gatehouse.internal/adapters/pages/kit"

// visit is a request of a browser for a page of this room.
type visit struct{ *kit.Visit }

// on returns the route of a page of this room, for people who are signed in.
func on(pattern string, page func(*visit) error) kit.Route {
	return kit.Route{Pattern: pattern, Who: kit.Person, Page: func(v *kit.Visit) error { return page(&visit{v}) }}
}

// Routes returns the workspace pages. The address of a form is below that of its
// page, on which visit.here relies.
func Routes() []kit.Route {
	return []kit.Route{
		on("GET /account/workspaces", (*visit).workspaces),
		on("GET /account/workspaces/new", (*visit).newWorkspace),
		on("POST /account/workspaces/new", (*visit).createWorkspace),
		on("POST /account/workspaces/switch", (*visit).switchWorkspace),
		on("GET /account/workspaces/leave/{id}", (*visit).askLeave),
		on("POST /account/workspaces/leave", (*visit).leaveWorkspace),
		on("GET /account/workspaces/delete", (*visit).askDeletion),
		on("POST /account/workspaces/delete", (*visit).deleteWorkspace),

		on("GET /account/workspaces/members", (*visit).members),
		on("GET /account/workspaces/members/{id}", (*visit).member),
		on("POST /account/workspaces/members/give", (*visit).giveRole),
		on("POST /account/workspaces/members/take", (*visit).takeRole),
		on("GET /account/workspaces/members/{id}/remove", (*visit).askMember),
		on("POST /account/workspaces/members/remove", (*visit).removeMember),
		on("GET /account/workspaces/members/{id}/owner", (*visit).askOwner),
		on("POST /account/workspaces/members/owner", (*visit).handOver),

		on("GET /account/workspaces/invitations", (*visit).invitations),
		on("GET /account/workspaces/invitations/new", (*visit).newInvitation),
		on("POST /account/workspaces/invitations/new", (*visit).invite),
		on("POST /account/workspaces/invitations/resend", (*visit).resendInvitation),
		on("GET /account/workspaces/invitations/{id}/revoke", (*visit).askInvitation),
		on("POST /account/workspaces/invitations/revoke", (*visit).revokeInvitation),

		on("GET /account/workspaces/roles", (*visit).roles),
		on("GET /account/workspaces/roles/new", (*visit).newRole),
		on("POST /account/workspaces/roles/new", (*visit).createRole),
		on("GET /account/workspaces/roles/{id}", (*visit).role),
		on("POST /account/workspaces/roles/change", (*visit).changeRole),
		on("GET /account/workspaces/roles/{id}/delete", (*visit).askRole),
		on("POST /account/workspaces/roles/delete", (*visit).deleteRole),

		on("GET /account/workspaces/groups", (*visit).groups),
		on("GET /account/workspaces/groups/new", (*visit).newGroup),
		on("POST /account/workspaces/groups/new", (*visit).createGroup),
		on("GET /account/workspaces/groups/{id}", (*visit).group),
		on("POST /account/workspaces/groups/change", (*visit).changeGroup),
		on("POST /account/workspaces/groups/roles", (*visit).setGroupRoles),
		on("POST /account/workspaces/groups/add", (*visit).addToGroup),
		on("POST /account/workspaces/groups/remove", (*visit).removeFromGroup),
		on("GET /account/workspaces/groups/{id}/delete", (*visit).askGroup),
		on("POST /account/workspaces/groups/delete", (*visit).deleteGroup),

		on("GET /account/workspaces/domains", (*visit).domains),
		on("GET /account/workspaces/domains/new", (*visit).newDomain),
		on("POST /account/workspaces/domains/new", (*visit).addDomain),
		on("GET /account/workspaces/domains/{id}", (*visit).domain),
		on("POST /account/workspaces/domains/change", (*visit).changeDomain),
		on("POST /account/workspaces/domains/verify", (*visit).verifyDomain),
		on("GET /account/workspaces/domains/{id}/remove", (*visit).askDomain),
		on("POST /account/workspaces/domains/remove", (*visit).removeDomain),
	}
}

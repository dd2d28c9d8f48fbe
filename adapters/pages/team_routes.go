package pages

// teamRoutes returns the workspace pages. The address of a form is below that of its
// page, on which visit.here relies.
func teamRoutes() []route {
	return []route{
		{"GET /account/workspaces", person, (*visit).workspaces},
		{"GET /account/workspaces/new", person, (*visit).newWorkspace},
		{"POST /account/workspaces/new", person, (*visit).createWorkspace},
		{"POST /account/workspaces/switch", person, (*visit).switchWorkspace},
		{"GET /account/workspaces/leave/{id}", person, (*visit).askLeave},
		{"POST /account/workspaces/leave", person, (*visit).leaveWorkspace},
		{"GET /account/workspaces/delete", person, (*visit).askDeletion},
		{"POST /account/workspaces/delete", person, (*visit).deleteWorkspace},

		{"GET /account/workspaces/members", person, (*visit).members},
		{"GET /account/workspaces/members/{id}", person, (*visit).member},
		{"POST /account/workspaces/members/give", person, (*visit).giveRole},
		{"POST /account/workspaces/members/take", person, (*visit).takeRole},
		{"GET /account/workspaces/members/{id}/remove", person, (*visit).askMember},
		{"POST /account/workspaces/members/remove", person, (*visit).removeMember},
		{"GET /account/workspaces/members/{id}/owner", person, (*visit).askOwner},
		{"POST /account/workspaces/members/owner", person, (*visit).handOver},

		{"GET /account/workspaces/invitations", person, (*visit).invitations},
		{"GET /account/workspaces/invitations/new", person, (*visit).newInvitation},
		{"POST /account/workspaces/invitations/new", person, (*visit).invite},
		{"POST /account/workspaces/invitations/resend", person, (*visit).resendInvitation},
		{"GET /account/workspaces/invitations/{id}/revoke", person, (*visit).askInvitation},
		{"POST /account/workspaces/invitations/revoke", person, (*visit).revokeInvitation},

		{"GET /account/workspaces/roles", person, (*visit).roles},
		{"GET /account/workspaces/roles/new", person, (*visit).newRole},
		{"POST /account/workspaces/roles/new", person, (*visit).createRole},
		{"GET /account/workspaces/roles/{id}", person, (*visit).role},
		{"POST /account/workspaces/roles/change", person, (*visit).changeRole},
		{"GET /account/workspaces/roles/{id}/delete", person, (*visit).askRole},
		{"POST /account/workspaces/roles/delete", person, (*visit).deleteRole},

		{"GET /account/workspaces/groups", person, (*visit).groups},
		{"GET /account/workspaces/groups/new", person, (*visit).newGroup},
		{"POST /account/workspaces/groups/new", person, (*visit).createGroup},
		{"GET /account/workspaces/groups/{id}", person, (*visit).group},
		{"POST /account/workspaces/groups/change", person, (*visit).changeGroup},
		{"POST /account/workspaces/groups/roles", person, (*visit).setGroupRoles},
		{"POST /account/workspaces/groups/add", person, (*visit).addToGroup},
		{"POST /account/workspaces/groups/remove", person, (*visit).removeFromGroup},
		{"GET /account/workspaces/groups/{id}/delete", person, (*visit).askGroup},
		{"POST /account/workspaces/groups/delete", person, (*visit).deleteGroup},

		{"GET /account/workspaces/domains", person, (*visit).domains},
		{"GET /account/workspaces/domains/new", person, (*visit).newDomain},
		{"POST /account/workspaces/domains/new", person, (*visit).addDomain},
		{"GET /account/workspaces/domains/{id}", person, (*visit).domain},
		{"POST /account/workspaces/domains/change", person, (*visit).changeDomain},
		{"POST /account/workspaces/domains/verify", person, (*visit).verifyDomain},
		{"GET /account/workspaces/domains/{id}/remove", person, (*visit).askDomain},
		{"POST /account/workspaces/domains/remove", person, (*visit).removeDomain},
	}
}

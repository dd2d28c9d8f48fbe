// Package workspaces stores workspaces with their members, roles, groups, invitations, claimed
// e-mail domains, branding and relation tuples.
package workspaces

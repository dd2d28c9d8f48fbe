// Package workspaces stores workspaces with their members, roles, groups, invitations, claimed
// email domains, branding and relation tuples.
package workspaces

// Package workspaces defines the ports for workspaces: members, roles, groups,
// invitations, domains, relations and branding.
package workspaces

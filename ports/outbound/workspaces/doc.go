// Package workspaces holds the ports about workspaces: their members and roles, and
// how their pages look.
package workspaces

// Package workspaces stores workspaces with their members and looks.
package workspaces

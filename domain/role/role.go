// Package role holds the built-in roles of a workspace and what they grant
// (contract section 7).
package role

import (
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
)

// Names of the built-in roles.
const (
	Owner  = "owner"
	Admin  = "admin"
	Member = "member"
)

// ErrUnknown says that the workspace has no role of this name.
var ErrUnknown = fault.Invalid("/role", "no role of this name in the workspace")

// Role is a named set of permissions.
type Role struct {
	Name        string
	Description string
	Builtin     bool
	Permissions access.Permissions
}

// Builtin lists the roles every workspace has, the mightiest first.
func Builtin() []Role { return []Role{owner(), admin(), member()} }

func owner() Role {
	return Role{Owner, "Everything in the workspace.", true, access.Permissions{"*"}}
}

func admin() Role {
	return Role{Admin, "Everything but deleting the workspace and changing its billing.", true, adminPermissions()}
}

func member() Role {
	return Role{Member, "Sees the people and products of the workspace.", true, access.Permissions{"members:read", "users:read", "products:read"}}
}

// adminPermissions names each permission, because a pattern cannot say "all but".
func adminPermissions() access.Permissions {
	var granted access.Permissions
	for _, p := range access.WorkspacePermissions() {
		switch p.Name {
		case "teams:delete", "billing:write", "billing:refund":
		default:
			granted = append(granted, p.Name)
		}
	}
	return granted
}

// Named finds a built-in role; it fails with ErrUnknown.
func Named(name string) (Role, error) {
	switch name {
	case Owner:
		return owner(), nil
	case Admin:
		return admin(), nil
	case Member:
		return member(), nil
	}
	return Role{}, ErrUnknown
}

// Granted is the union of what the named roles grant; unknown names grant nothing.
func Granted(names []string) access.Permissions {
	var granted access.Permissions
	for _, name := range names {
		if found, err := Named(name); err == nil {
			granted = append(granted, found.Permissions...)
		}
	}
	return granted
}

// Package role is the model of the roles of a workspace: built-in and custom ones,
// which may inherit from others, and the workspace's own permissions (contract section
// 7, spec/workspaces.md section 4).
package role

import (
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/workspace"
)

// Names of the built-in roles.
const (
	Owner  = "owner"
	Admin  = "admin"
	Member = "member"
)

// ErrUnknown is returned if the workspace has no role of this name.
var ErrUnknown = fault.Invalid("/role", "no such role in this workspace")

// Role is a named set of permissions in a Book.
type Role struct {
	// ID is empty for a built-in role.
	ID          ID
	Name        string
	Description string
	Builtin     bool
	// Permissions are all permissions, including inherited ones.
	Permissions access.Permissions
	// Direct are the permissions that it grants by itself, Inherits the keys of the
	// roles that it has the others from.
	Direct   access.Permissions
	Inherits []string
}

// Key returns the stored reference to the role: see workspace.RoleRef.
func (r Role) Key() string {
	if r.Builtin {
		return r.Name
	}
	return r.ID.String()
}

// Ref names the role.
func (r Role) Ref() workspace.RoleRef { return workspace.RoleRef{Key: r.Key(), Name: r.Name} }

func builtin(name, description string, permissions access.Permissions) Role {
	return Role{Name: name, Description: description, Builtin: true, Permissions: permissions, Direct: permissions}
}

// Builtin lists the roles every workspace has, the mightiest first.
func Builtin() []Role { return []Role{owner(), admin(), member()} }

func owner() Role {
	return builtin(Owner, "Full access to the workspace.", access.Permissions{"*"})
}

func admin() Role {
	return builtin(Admin, "Full access, except deleting the workspace and changing its billing.", adminPermissions())
}

func member() Role {
	return builtin(Member, "Can view the members and products of the workspace.", access.Permissions{"members:read", "users:read", "products:read"})
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

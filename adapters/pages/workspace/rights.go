package workspace

import (
	"slices"

	"gatehouse.internal/adapters/client"
	"gatehouse.internal/adapters/pages/kit"
	"gatehouse.internal/domain/access"
)

// workspaceRole is a role of the workspace. Its ID is empty if it is built in.
type workspaceRole struct {
	client.Role

	Permissions access.Permissions
}

func roleOf(one client.Role) workspaceRole { return workspaceRole{one, one.Permissions} }

// rights are the roles of a workspace, in the order of ROLE.LIST. Pages use them to
// hide actions that commands would refuse; the commands decide.
type rights []workspaceRole

// rights returns the roles of the workspace.
func (v *visit) rights() (rights, error) {
	all, err := v.Me().RoleList(v.Context(), client.RoleListParams{OrgID: v.Org()})
	return kit.Map(all.Items, roleOf), err
}

// grants returns the permissions of roles, including inherited ones.
func (r rights) grants(names ...string) access.Permissions {
	var all access.Permissions
	seen := map[string]bool{}
	for len(names) > 0 {
		name := names[0]
		names = names[1:]
		at := slices.IndexFunc(r, func(one workspaceRole) bool { return one.Name == name })
		if at < 0 || seen[name] {
			continue
		}
		seen[name] = true
		all = append(all, r[at].Permissions...)
		names = append(names, r[at].Inherits...)
	}
	return all
}

// within returns the roles whose permissions are all in held; only these can be
// assigned by somebody who holds them.
func (r rights) within(held access.Permissions) rights {
	return slices.DeleteFunc(slices.Clone(r), func(one workspaceRole) bool { return !held.CoverAll(r.grants(one.Name)) })
}

// names returns the names of the roles.
func (r rights) names() []string {
	names := make([]string, 0, len(r))
	for _, one := range r {
		names = append(names, one.Name)
	}
	return names
}

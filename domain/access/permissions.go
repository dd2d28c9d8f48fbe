package access

import (
	"slices"
	"strings"
	"sync"
)

// instancePermissions apply across workspaces: they are not covered by the `*` of a
// workspace, and only superadmins grant them (contract section 7).
func instancePermissions() []Permission {
	return []Permission{
		{"privacy:manage", "Answer privacy requests of anybody."},
		{"sessions:manage", "See and end sessions of anybody."},
		{"users:impersonate", "Act as another user."},
		{"users:manage", "Create, change and delete any account."},
	}
}

// IsInstance reports whether a permission reaches across workspaces.
func IsInstance(permission string) bool {
	switch permission {
	case "privacy:manage", "sessions:manage", "users:impersonate", "users:manage":
		return true
	}
	return false
}

// own are the names of the catalog.
var own = sync.OnceValue(func() map[string]bool { //nolint:gochecknoglobals // a table that is never changed
	names := map[string]bool{}
	for _, p := range Catalog() {
		names[p.Name] = true
	}
	return names
})

// IsOwn reports whether a scope is one of this service's own permissions, or a
// pattern that covers some of them. Any other is a resource server's business.
func IsOwn(scope string) bool {
	if own()[scope] {
		return true
	}
	resource, action, _ := strings.Cut(scope, ":")
	if resource != "*" && action != "*" {
		return false
	}
	for name := range own() {
		if (Permissions{scope}).Cover(name) {
			return true
		}
	}
	return false
}

// Remaining returns the scopes of a token that its app still has. Permissions of this
// service must be granted; other scopes must be granted only if the app has a list of
// allowed scopes (contract section 3), and must not be withdrawn.
func Remaining(scopes, granted []string, listed bool, withdrawn []string) []string {
	return slices.DeleteFunc(slices.Clone(scopes), func(scope string) bool {
		if IsOwn(scope) {
			return !Permissions(granted).Cover(scope)
		}
		return listed && !slices.Contains(granted, scope) || slices.Contains(withdrawn, scope)
	})
}

// Permissions is a set of `resource:action` patterns; `*` matches either part, and
// alone matches everything.
type Permissions []string

// Cover reports whether the set grants a permission.
func (p Permissions) Cover(permission string) bool {
	if IsInstance(permission) {
		return slices.Contains(p, permission)
	}
	resource, action, _ := strings.Cut(permission, ":")
	return slices.ContainsFunc(p, func(pattern string) bool {
		if pattern == "*" {
			return true
		}
		r, a, _ := strings.Cut(pattern, ":")
		return (r == "*" || r == resource) && (a == "*" || a == action)
	})
}

// CoverAll reports whether the set grants everything that another one does.
// A pattern is covered by an equal or wider one.
func (p Permissions) CoverAll(others Permissions) bool {
	return !slices.ContainsFunc(others, func(other string) bool { return !p.Cover(other) })
}

// Permission is one entry of the catalog.
type Permission struct {
	Name        string
	Description string
}

// Catalog lists every built-in permission, in the order of the names
// (spec/registry: 60 permissions).
func Catalog() []Permission {
	all := append(WorkspacePermissions(), instancePermissions()...)
	slices.SortFunc(all, func(a, b Permission) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// WorkspacePermissions returns those that hold in one workspace and are given by
// its roles, in the order of the names.
func WorkspacePermissions() []Permission {
	return []Permission{
		{"analytics:read", "Read usage figures."},
		{"api_keys:read", "See API keys of the workspace."},
		{"api_keys:verify", "Verify API keys."},
		{"api_keys:write", "Make and revoke API keys for the workspace."},
		{"apps:read", "See applications."},
		{"apps:write", "Register and change applications."},
		{"audit:read", "Read the workspace's event log."},
		{"audit:write", "Add own entries and streams to the event log."},
		{"billing:read", "See subscriptions and invoices."},
		{"billing:refund", "Give money back."},
		{"billing:write", "Change subscriptions and prices."},
		{"branding:write", "Change the look of mails and pages."},
		{"domains:read", "See verified domains."},
		{"domains:write", "Add and verify domains."},
		{"emails:read", "See templates and sent mail."},
		{"emails:write", "Change templates, send and suppress mail."},
		{"events:read", "Read the event feed."},
		{"features:read", "See feature flags."},
		{"features:write", "Change feature flags."},
		{"flows:read", "See flows and their runs."},
		{"flows:write", "Change flows."},
		{"groups:read", "See groups."},
		{"groups:write", "Change groups and their members."},
		{"ip_rules:read", "See address rules."},
		{"ip_rules:write", "Change address rules."},
		{"jobs:read", "See background jobs."},
		{"jobs:write", "Cancel and retry background jobs."},
		{"licenses:read", "See licenses."},
		{"licenses:write", "Issue and change licenses."},
		{"members:read", "See the members of the workspace."},
		{"members:write", "Add and remove members, give and take roles."},
		{"oauth:read", "See OAuth resources and consents."},
		{"oauth:write", "Change OAuth resources and consents."},
		{"permissions:read", "Check and see other people's permissions."},
		{"permissions:write", "Define own permissions."},
		{"policies:read", "See policies."},
		{"policies:write", "Change policies."},
		{"products:read", "See products."},
		{"products:write", "Change products."},
		{"relations:read", "Read relation tuples."},
		{"relations:write", "Write relation tuples."},
		{"risk:read", "See risk scores and lockouts."},
		{"risk:write", "Judge risk and change thresholds."},
		{"roles:read", "See roles and who holds them."},
		{"roles:write", "Define roles."},
		{"scim:read", "See directories."},
		{"scim:write", "Change directories."},
		{"sso:read", "See enterprise connections."},
		{"sso:write", "Change enterprise connections."},
		{"teams:delete", "Delete the workspace."},
		{"teams:write", "Change the workspace."},
		{"tokens:introspect", "Introspect tokens of the workspace."},
		{"usage:write", "Report usage."},
		{"users:read", "See users of the workspace."},
		{"webhooks:read", "See webhooks and deliveries."},
		{"webhooks:write", "Change webhooks."},
	}
}

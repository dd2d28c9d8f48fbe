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
		{"privacy:manage", "Answer the privacy requests of any user."},
		{"sessions:manage", "View and end the sessions of any user."},
		{"users:impersonate", "Impersonate users."},
		{"users:manage", "Create, update and delete any account."},
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
		{"analytics:read", "View usage statistics."},
		{"api_keys:read", "View the API keys of the workspace."},
		{"api_keys:verify", "Verify API keys."},
		{"api_keys:write", "Create and revoke API keys for the workspace."},
		{"apps:read", "View apps."},
		{"apps:write", "Register and update apps."},
		{"audit:read", "Read, verify and export the audit log."},
		{"audit:write", "Record entries in the audit log and manage audit streams."},
		{"billing:read", "View subscriptions and invoices."},
		{"billing:refund", "Refund payments."},
		{"billing:write", "Manage prices, coupons, checkouts and subscriptions."},
		{"branding:write", "Change the branding of emails and pages."},
		{"domains:read", "View verified domains."},
		{"domains:write", "Add and verify domains."},
		{"emails:read", "View and preview email templates."},
		{"emails:write", "Change email templates."},
		{"events:read", "Read the event feed."},
		{"features:read", "View features."},
		{"features:write", "Manage features."},
		{"flows:read", "View flows and their runs."},
		{"flows:write", "Manage flows."},
		{"groups:read", "View groups."},
		{"groups:write", "Manage groups and their members."},
		{"ip_rules:read", "View address rules."},
		{"ip_rules:write", "Manage address rules."},
		{"jobs:read", "View background jobs."},
		{"jobs:write", "Cancel background jobs."},
		{"licenses:read", "View licenses."},
		{"licenses:write", "Issue and manage licenses."},
		{"members:read", "View the members of the workspace."},
		{"members:write", "Add and remove members, and assign and remove roles."},
		{"oauth:read", "View the APIs that tokens are issued for."},
		{"oauth:write", "Manage the APIs that tokens are issued for."},
		{"permissions:read", "Check and view the permissions of other users."},
		{"permissions:write", "Define custom permissions."},
		{"policies:read", "View policies."},
		{"policies:write", "Change policies."},
		{"products:read", "View products."},
		{"products:write", "Manage products."},
		{"relations:read", "Read relation tuples."},
		{"relations:write", "Write relation tuples."},
		{"risk:read", "View risk scores of sign-in attempts."},
		{"risk:write", "Submit verdicts on sign-in attempts."},
		{"roles:read", "View roles and their members."},
		{"roles:write", "Define custom roles."},
		{"scim:read", "View directories."},
		{"scim:write", "Manage directories."},
		{"sso:read", "View SSO connections."},
		{"sso:write", "Manage SSO connections."},
		{"teams:delete", "Delete the workspace."},
		{"teams:write", "Update the workspace."},
		{"tokens:introspect", "Introspect the tokens of the workspace."},
		{"usage:write", "Report usage."},
		{"users:read", "View the users of the workspace."},
		{"webhooks:read", "View webhook endpoints and deliveries."},
		{"webhooks:write", "Manage webhook endpoints."},
	}
}

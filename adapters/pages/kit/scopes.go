package kit

import (
	"strings"

	"gatehouse.internal/adapters/client"
	"gatehouse.internal/domain/access"
)

// ScopeLabels returns descriptions of scopes for the consent page. Scopes without one of
// their own are left out.
func ScopeLabels(scopes []string) []string {
	known := map[string]string{
		"openid": "Know who you are", "profile": "See your name, username (your email address), picture, language and time zone", "email": "See your email address",
		"org": "See your active workspace", "roles": "See your roles", "groups": "See your groups", "offline_access": "Keep access when you are not using the app",
		"phone": "", "address": "",
	}
	said := make([]string, 0, len(scopes))
	for _, scope := range scopes {
		word, ours := known[scope]
		if !ours {
			word = "Act on your behalf: " + scope
		}
		if word != "" {
			said = append(said, word)
		}
	}
	return said
}

// Scope is a permission that an API key may have.
type Scope struct{ client.Permission }

// Name returns the name of the permission.
func (s Scope) Name() string { return s.Permission.Permission }

// Action returns the action part of a permission.
func (s Scope) Action() string {
	_, action, _ := strings.Cut(s.Name(), ":")
	return action
}

// Resource is a resource and the permissions on it.
type Resource struct {
	Name   string
	Scopes []Scope
}

// ByResource groups the held permissions by resource, in the order of all.
func ByResource(all []client.Permission, held access.Permissions) []Resource {
	var shown []Resource
	for _, one := range all {
		if !held.Cover(one.Permission) {
			continue
		}
		name, _, _ := strings.Cut(one.Permission, ":")
		if len(shown) == 0 || shown[len(shown)-1].Name != name {
			shown = append(shown, Resource{Name: name})
		}
		last := &shown[len(shown)-1]
		last.Scopes = append(last.Scopes, Scope{one})
	}
	return shown
}

package apikeys

import (
	"fmt"
	"slices"
	"strings"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
)

// noScope is the complaint about what is neither a permission nor a pattern of any.
const noScope = "is not a permission or a pattern such as apps:*: see PERMISSION.LIST"

// known refuses scopes that are neither permissions nor patterns of any; the
// complaint is about the item of the parameter /scopes.
func known(scopes []string) error {
	for i, scope := range scopes {
		if !isScope(scope) {
			return fault.Unfit(fmt.Sprintf("/scopes/%d", i), noScope)
		}
	}
	return nil
}

// isScope reports whether a text is a permission or a pattern of some. Instance
// permissions are covered by no pattern, so they count by their names alone.
func isScope(text string) bool { return access.IsInstance(text) || len(covered(text)) > 0 }

// covered lists the permissions of a workspace that a scope stands for.
func covered(scope string) []string {
	var names []string
	for _, p := range access.WorkspacePermissions() {
		if (access.Permissions{scope}).Cover(p.Name) {
			names = append(names, p.Name)
		}
	}
	return names
}

// grantable refuses scopes that are unknown, or that the caller does not hold all
// of at this moment. A pattern is held by who holds a wider one, or each permission
// that it stands for today.
func grantable(caller access.Caller, scopes []string) error {
	if err := known(scopes); err != nil {
		return err
	}
	for _, scope := range scopes {
		if caller.May(scope) {
			continue
		}
		stands := covered(scope)
		if len(stands) == 0 || slices.ContainsFunc(stands, func(name string) bool { return !caller.May(name) }) {
			return fault.New(fault.Denied, "you do not hold the scope "+scope+", so you cannot grant it to an API key")
		}
	}
	return nil
}

// carrying lists the scopes that cover a scope: itself, and the patterns wider
// than it.
func carrying(scope string) []string {
	if access.IsInstance(scope) || scope == "*" {
		return []string{scope}
	}
	resource, action, _ := strings.Cut(scope, ":")
	wider := []string{scope, resource + ":*", "*:" + action, "*:*", "*"}
	slices.Sort(wider)
	return slices.Compact(wider)
}

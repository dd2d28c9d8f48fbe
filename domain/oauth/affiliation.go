package oauth

import "gatehouse.internal/domain/workspace"

// Affiliation is what an app is told about a person's place in a workspace.
type Affiliation struct {
	// Org is the workspace that Roles and Groups belong to, if the app must look at it;
	// empty where only one workspace is possible.
	Org workspace.ID
	// Roles and Groups are names; nil for a person who is no member.
	Roles, Groups []string
	// Owned reports whether the person is a member of the workspace that owns the app.
	Owned bool
}

// Within returns the affiliation with names that begin with the slug of their workspace,
// for an app that serves all workspaces: the same name in two of them stays two names.
func (a Affiliation) Within(slug workspace.Slug) Affiliation {
	a.Roles, a.Groups = prefixed(slug, a.Roles), prefixed(slug, a.Groups)
	return a
}

func prefixed(slug workspace.Slug, names []string) []string {
	if names == nil {
		return nil
	}
	full := make([]string, len(names))
	for i, name := range names {
		full[i] = string(slug) + "/" + name
	}
	return full
}

package pages

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// holder is the signed-in person as shown in the header.
type holder struct {
	// Of is the suffix of the access token that the values were fetched with. They are
	// fetched again for each new token rather than for each page.
	Of        string `json:"o"`
	Name      string `json:"n,omitzero"`
	Email     string `json:"e,omitzero"`
	Workspace string `json:"w,omitzero"`
	// Org is the identifier of the active workspace.
	Org string `json:"g,omitzero"`
	// Flows and Webhooks report whether the person may read those of the workspace.
	Flows    bool `json:"f,omitzero"`
	Webhooks bool `json:"h,omitzero"`
	// Admin reports whether the person administers something that others use. Everybody
	// owns their personal workspace, which does not count.
	Admin bool `json:"a,omitzero"`
}

// Title returns the name of the person, or else the address.
func (h holder) Title() string { return cmp.Or(h.Name, h.Email) }

// Below returns the second line: the address or the workspace.
func (h holder) Below() string {
	parts := []string{h.Workspace}
	if h.Name != "" {
		parts = []string{h.Email, h.Workspace}
	}
	return strings.Trim(strings.Join(parts, " · "), " ·")
}

// Initial returns the letter shown in place of a picture.
func (h holder) Initial() string { return initial(h.Title()) }

// initial returns the first letter of a name, as a capital.
func initial(name string) string {
	first, size := utf8.DecodeRuneInString(name)
	if size == 0 {
		return ""
	}
	return strings.ToUpper(string(first))
}

// holder returns the signed-in person, or nil if the lookup fails.
func (v *visit) holder() *holder {
	if v.tokens.Access == "" {
		return nil
	}
	if v.state.Holder != nil && v.state.Holder.Of == tokenSuffix(v.tokens.Access) {
		return v.state.Holder
	}
	var me profile
	var who caller
	if v.call("USER.ME", nil, &me) != nil || v.call("AUTH.WHOAMI", nil, &who) != nil {
		return nil
	}
	v.state.Holder = &holder{
		Of: tokenSuffix(v.tokens.Access), Name: truncated(me.DisplayName), Email: me.Email, Workspace: truncated(who.Workspace), Org: who.Org,
		Flows: who.Scopes.Cover("flows:read"), Webhooks: who.Scopes.Cover("webhooks:read"), Admin: me.Superadmin || v.administers(who),
	}
	return v.state.Holder
}

// administers reports whether a caller has an administrative permission in a workspace
// that is not their personal one.
func (v *visit) administers(who caller) bool {
	if !slices.ContainsFunc([]string{"members:write", "apps:read", "flows:read", "webhooks:read"}, who.Scopes.Cover) {
		return false
	}
	var active workspaceDetails
	return v.call("TEAM.GET", params{"org_id": who.Org}, &active) == nil && !active.Organization.Personal
}

// refreshHolder discards the cached holder if the profile differs from it.
func (v *visit) refreshHolder(me profile) {
	if h := v.state.Holder; h != nil && (h.Name != truncated(me.DisplayName) || h.Email != me.Email) {
		v.state.Holder = nil
	}
}

// tokenSuffix returns a suffix of a token that tells it from others.
func tokenSuffix(token string) string {
	const enough = 12
	return token[max(0, len(token)-enough):]
}

// truncated shortens a name for the header and the cookie.
func truncated(name string) string {
	const most = 48
	letters := []rune(strings.Join(strings.Fields(name), " "))
	if len(letters) <= most {
		return string(letters)
	}
	return string(letters[:most-1]) + "…"
}

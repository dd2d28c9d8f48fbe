package kit

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"gatehouse.internal/adapters/client"
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
func (v *Visit) holder() *holder {
	if v.Tokens.Access == "" {
		return nil
	}
	if v.State.Holder != nil && v.State.Holder.Of == tokenSuffix(v.Tokens.Access) {
		return v.State.Holder
	}
	me, err := v.Profile()
	if err != nil {
		return nil
	}
	who, err := v.Whoami()
	if err != nil {
		return nil
	}
	v.State.Holder = &holder{
		Of: tokenSuffix(v.Tokens.Access), Name: Truncated(me.DisplayName), Email: me.Email, Workspace: Truncated(who.Workspace), Org: who.Org,
		Flows: who.Scopes.Cover("flows:read"), Webhooks: who.Scopes.Cover("webhooks:read"), Admin: me.IsSuperadmin || v.administers(who),
	}
	return v.State.Holder
}

// administers reports whether a caller has an administrative permission in a workspace
// that is not their personal one.
func (v *Visit) administers(who Caller) bool {
	if !slices.ContainsFunc([]string{"members:write", "apps:read", "flows:read", "webhooks:read"}, who.Scopes.Cover) {
		return false
	}
	active, err := v.Me().TeamGet(v.Context(), client.TeamGetParams{OrgID: new(who.Org)})
	return err == nil && !active.Organization.Personal
}

// Profile returns the profile of the signed-in person.
func (v *Visit) Profile() (Profile, error) {
	return v.Me().UserMe(v.Context(), client.UserMeParams{})
}

// RefreshHolder discards the cached holder if the profile differs from it.
func (v *Visit) RefreshHolder(me Profile) {
	if h := v.State.Holder; h != nil && (h.Name != Truncated(me.DisplayName) || h.Email != me.Email) {
		v.State.Holder = nil
	}
}

// tokenSuffix returns a suffix of a token that tells it from others.
func tokenSuffix(token string) string {
	const enough = 12
	return token[max(0, len(token)-enough):]
}

// Truncated shortens a name for the header and the cookie.
func Truncated(name string) string {
	const most = 48
	letters := []rune(strings.Join(strings.Fields(name), " "))
	if len(letters) <= most {
		return string(letters)
	}
	return string(letters[:most-1]) + "…"
}

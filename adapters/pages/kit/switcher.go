package kit

import (
	"slices"
	"strings"

	"gatehouse.internal/adapters/client"
)

// switcher returns the workspaces offered in the header, and the page to continue at:
// the start of the section, since other pages may not exist in another workspace. If
// the lookup fails, there are none.
func (v *Visit) switcher(shown Page) (offered []client.TeamOrganization, back string) {
	if shown.Holder == nil {
		return nil, ""
	}
	const few = 7
	held, err := v.Me().TeamList(v.Context(), client.TeamListParams{Limit: new(few)})
	if err != nil {
		return nil, ""
	}
	back = shown.Here
	if below, inAccount := strings.CutPrefix(back, Account+"/"); inAccount {
		part, _, _ := strings.Cut(below, "/")
		back = Account + "/" + part
	}
	suspended := func(one client.TeamOrganization) bool { return one.Disabled }
	return slices.DeleteFunc(held.Items, suspended), back
}

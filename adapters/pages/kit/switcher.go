package kit

import (
	"slices"
	"strings"
)

type Organization struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Slug     string `json:"slug"`
	Personal bool   `json:"personal"`
	Disabled bool   `json:"disabled"`
	// Leave reports whether the person may leave the workspace, if another owner
	// remains.
	Leave bool `json:"-"`
}

// WorkspaceDetails is the result of TEAM.GET.
type WorkspaceDetails struct {
	Organization Organization `json:"organization"`
	Roles        []string     `json:"roles"`
}

// switcher returns the workspaces offered in the header, and the page to continue at:
// the start of the section, since other pages may not exist in another workspace. If
// the lookup fails, there are none.
func (v *Visit) switcher(shown Page) (offered []Organization, back string) {
	const few = 7
	var held List[Organization]
	if shown.Holder == nil || v.Call("TEAM.LIST", Params{"limit": few}, &held) != nil {
		return nil, ""
	}
	back = shown.Here
	if below, inAccount := strings.CutPrefix(back, Account+"/"); inAccount {
		part, _, _ := strings.Cut(below, "/")
		back = Account + "/" + part
	}
	suspended := func(one Organization) bool { return one.Disabled }
	return slices.DeleteFunc(held.Items, suspended), back
}

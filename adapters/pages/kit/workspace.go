package kit

import (
	"cmp"
	"net/http"
)

// Section is the workspace of a page and the caller in it.
type Section struct {
	Caller

	// Tab is the current tab.
	Tab string
}

// May reports whether the person has a permission in the workspace.
func (s Section) May(permission string) bool { return s.Scopes.Cover(permission) }

// Section returns the active workspace, or for a form the workspace that it was shown for,
// which may differ if another tab has switched since.
func (v *Visit) Section(tab string) (Section, error) {
	who, err := v.Whoami()
	who.Org = cmp.Or(v.Form.Text("org_id"), who.Org)
	return Section{who, tab}, err
}

// Permitted returns the workspace for a form that requires a permission and a recent
// login. Without the permission it fails with ErrNoPage, except for POST, where the
// command reports the error.
func (v *Visit) Permitted(tab, permission string) (Section, error) {
	if _, err := v.Recent(); err != nil {
		return Section{}, err
	}
	in, err := v.Section(tab)
	if err == nil && !in.May(permission) && v.Request.Method != http.MethodPost {
		err = ErrNoPage
	}
	return in, err
}

// ID returns the identifier in the path, or else in the form.
func (v *Visit) ID(field string) string { return cmp.Or(v.Request.PathValue("id"), v.Form.Text(field)) }

// Cursor returns the cursor of a list page.
func (v *Visit) Cursor() string { return v.Request.URL.Query().Get("cursor") }

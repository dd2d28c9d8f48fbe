package pages

import (
	"cmp"
	"strings"
	"unicode/utf8"
)

// holder is who is signed in, as the header of pages says.
type holder struct {
	// Of is the end of the access token by which it was asked for. It is asked for anew
	// with each, so that pages need not ask every time.
	Of        string `json:"o"`
	Name      string `json:"n,omitzero"`
	Email     string `json:"e,omitzero"`
	Workspace string `json:"w,omitzero"`
	// Org is the active workspace.
	Org string `json:"g,omitzero"`
	// Flows reports whether they may look at flows there.
	Flows bool `json:"f,omitzero"`
}

// Title returns what a person is called in the header.
func (h holder) Title() string { return cmp.Or(h.Name, h.Email) }

// Below says whatever else is known.
func (h holder) Below() string {
	parts := []string{h.Workspace}
	if h.Name != "" {
		parts = []string{h.Email, h.Workspace}
	}
	return strings.Trim(strings.Join(parts, " · "), " ·")
}

// Initial stands where others have a picture.
func (h holder) Initial() string {
	first, size := utf8.DecodeRuneInString(h.Title())
	if size == 0 {
		return ""
	}
	return strings.ToUpper(string(first))
}

// holder returns who is signed in, or nil where that cannot be told at the moment.
func (v *visit) holder() *holder {
	if v.tokens.Access == "" {
		return nil
	}
	if v.state.Holder != nil && v.state.Holder.Of == ending(v.tokens.Access) {
		return v.state.Holder
	}
	var me profile
	var who caller
	if v.call("USER.ME", nil, &me) != nil || v.call("AUTH.WHOAMI", nil, &who) != nil {
		return nil
	}
	v.state.Holder = &holder{
		Of: ending(v.tokens.Access), Name: clipped(me.DisplayName), Email: me.Email, Workspace: clipped(who.Workspace), Org: who.Org,
		Flows: who.Scopes.Cover("flows:read"),
	}
	return v.state.Holder
}

// met notes what a page was told of the person who is signed in.
func (v *visit) met(me profile) {
	if h := v.state.Holder; h != nil && (h.Name != clipped(me.DisplayName) || h.Email != me.Email) {
		v.state.Holder = nil
	}
}

// ending distinguishes tokens.
func ending(token string) string {
	const enough = 12
	return token[max(0, len(token)-enough):]
}

// clipped keeps a name short enough for a header and a cookie.
func clipped(name string) string {
	const most = 48
	letters := []rune(strings.Join(strings.Fields(name), " "))
	if len(letters) <= most {
		return string(letters)
	}
	return string(letters[:most-1]) + "…"
}

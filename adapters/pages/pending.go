package pages

import (
	"net/url"
	"strings"

	"github.com/go-json-experiment/json"
)

// errand is what continues after a sign-in.
type errand struct {
	// ReturnTo is the path to continue at.
	ReturnTo string `json:"t,omitzero"`
	// Another reports whether another account is to sign in, although one is signed in.
	Another bool `json:"o,omitzero"`
	// Hint is the login_hint of an authorization request.
	Hint string `json:"l,omitzero"`
	// Client is the origin of the application being authorized, allowed as a form target.
	Client string `json:"a,omitzero"`
	// App is the application being authorized, and Lasting whether it is about to get
	// access that outlasts the session.
	App     asker `json:"x,omitzero"`
	Lasting bool  `json:"s,omitzero"`
	// Org is the workspace whose invitation the person follows, and Guest whether the
	// sign-in also accepts the invitation.
	Org   string `json:"w,omitzero"`
	Guest bool   `json:"g,omitzero"`
}

// pending is a sign-in in progress in one tab. It travels encrypted in the addresses and
// forms of that tab, so that tabs do not mix and a lost cookie does not end it.
type pending struct {
	errand

	// Challenge is the token of a login that awaits a second factor, and Methods the
	// accepted methods.
	Challenge string   `json:"c,omitzero"`
	Methods   []string `json:"m,omitzero"`
	// Switching reports whether the second factor is required to switch workspaces.
	Switching bool `json:"q,omitzero"`
	// Code is the challenge of a mailed code, and Email the address it was sent to.
	Code  string `json:"k,omitzero"`
	Email string `json:"e,omitzero"`
	// Provider is the upstream provider of a login.
	Provider string `json:"p,omitzero"`
}

// carried is a pending sign-in with the browser that it began in.
type carried struct {
	pending

	Browser string `json:"b"`
}

const (
	pendingField = "pending"
	pendingPlace = "pages/pending"
)

// sealedPending returns the value of the parameter pending, or "" if there is nothing to
// carry.
func (v *visit) sealedPending() (string, error) {
	plain, err := json.Marshal(v.pending)
	if err != nil || string(plain) == "{}" {
		return "", err
	}
	plain, err = json.Marshal(carried{v.pending, v.state.ID})
	return v.site.Sealer.Seal(string(plain), pendingPlace), err
}

// resume restores the pending sign-in of a tab. A value that was altered counts as
// missing.
func (v *visit) resume(sealed string) (began string) {
	plain, err := v.site.Sealer.Open(sealed, pendingPlace)
	var sent carried
	if err != nil || plain == "" || json.Unmarshal([]byte(plain), &sent) != nil {
		return ""
	}
	v.pending = sent.pending
	return sent.Browser
}

// resumeFromAddress restores the pending sign-in in the address of a page. A link from
// another browser leads to the same errand, but it never continues a login that began
// there.
func (v *visit) resumeFromAddress() {
	if began := v.resume(v.r.URL.Query().Get(pendingField)); began != v.state.ID {
		v.pending = pending{errand: v.pending.errand}
	}
}

// carry returns the address of a page with the pending sign-in. Pages that do not lead to
// a sign-in are returned unchanged.
func (v *visit) carry(to string) (string, error) {
	if !carries(to) {
		return to, nil
	}
	sealed, err := v.sealedPending()
	return withPending(to, sealed), err
}

func withPending(to, sealed string) string {
	if sealed == "" {
		return to
	}
	separator := "?"
	if strings.Contains(to, "?") {
		separator = "&"
	}
	return to + separator + pendingField + "=" + url.QueryEscape(sealed)
}

// carries reports whether an address is a page of a sign-in.
func carries(to string) bool {
	path, _, _ := strings.Cut(to, "?")
	for _, door := range []string{"/login", "/signup", "/recover", confirmPath} {
		if path == door || strings.HasPrefix(path, door+"/") {
			return true
		}
	}
	return false
}

// expectReturn sets the errand from the parameter return_to, if the address has one.
func (v *visit) expectReturn() {
	if target := local(v.r.URL.Query().Get("return_to")); target != "" {
		v.pending.ReturnTo, v.pending.App, v.pending.Lasting = target, asker{}, false
	}
}

// rememberErrand keeps the errand for the tab that a mailed link opens, since its address
// is that of the mail.
func (v *visit) rememberErrand() {
	if v.pending.ReturnTo != "" {
		v.state.Mailed = v.pending.errand
	}
}

// mailedErrand resumes the errand of the browser's latest mail, unless the tab has one of
// its own.
func (v *visit) mailedErrand() {
	if v.pending.ReturnTo == "" && v.r.URL.Query().Get("token") != "" {
		v.pending.errand = v.state.Mailed
	}
}

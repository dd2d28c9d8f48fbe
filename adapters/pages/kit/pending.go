package kit

import (
	"net/url"
	"strings"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/adapters/client"
)

// Errand is what continues after a sign-in.
type Errand struct {
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
	App     Asker `json:"x,omitzero"`
	Lasting bool  `json:"s,omitzero"`
	// Org is the workspace whose invitation the person follows, and Guest whether the
	// sign-in also accepts the invitation.
	Org   string `json:"w,omitzero"`
	Guest bool   `json:"g,omitzero"`
}

// Pending is a sign-in in progress in one tab. It travels encrypted in the addresses and
// forms of that tab, so that tabs do not mix and a lost cookie does not end it.
type Pending struct {
	Errand

	// Challenge is the token of a login that awaits a second factor, and Methods the
	// accepted methods.
	Challenge string              `json:"c,omitzero"`
	Methods   []client.AuthMethod `json:"m,omitzero"`
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
	Pending

	Browser string `json:"b"`
}

const (
	// PendingField is the parameter of addresses and forms.
	PendingField = "pending"
	pendingPlace = "pages/pending"
)

// SealedPending returns the value of the parameter pending, or "" if there is nothing to
// carry.
func (v *Visit) SealedPending() (string, error) {
	plain, err := json.Marshal(v.Pending)
	if err != nil || string(plain) == "{}" {
		return "", err
	}
	plain, err = json.Marshal(carried{v.Pending, v.State.ID})
	return v.Site.Sealer.Seal(string(plain), pendingPlace), err
}

// resume restores the pending sign-in of a tab. A value that was altered counts as
// missing.
func (v *Visit) resume(sealed string) (began string) {
	plain, err := v.Site.Sealer.Open(sealed, pendingPlace)
	var sent carried
	if err != nil || plain == "" || json.Unmarshal([]byte(plain), &sent) != nil {
		return ""
	}
	v.Pending = sent.Pending
	return sent.Browser
}

// resumeFromAddress restores the pending sign-in in the address of a page. A link from
// another browser leads to the same Errand, but it never continues a login that began
// there.
func (v *Visit) resumeFromAddress() {
	if began := v.resume(v.Request.URL.Query().Get(PendingField)); began != v.State.ID {
		v.Pending = Pending{Errand: v.Pending.Errand}
	}
}

// Carry returns the address of a page with the pending sign-in. Pages that do not lead to
// a sign-in are returned unchanged.
func (v *Visit) Carry(to string) (string, error) {
	if !carries(to) {
		return to, nil
	}
	sealed, err := v.SealedPending()
	return WithPending(to, sealed), err
}

// WithPending returns an address with a sealed pending sign-in.
func WithPending(to, sealed string) string {
	if sealed == "" {
		return to
	}
	separator := "?"
	if strings.Contains(to, "?") {
		separator = "&"
	}
	return to + separator + PendingField + "=" + url.QueryEscape(sealed)
}

// carries reports whether an address is a page of a sign-in.
func carries(to string) bool {
	path, _, _ := strings.Cut(to, "?")
	for _, door := range []string{"/login", "/signup", "/recover", ConfirmPath} {
		if path == door || strings.HasPrefix(path, door+"/") {
			return true
		}
	}
	return false
}

// ExpectReturn sets the Errand from the parameter return_to, if the address has one.
func (v *Visit) ExpectReturn() {
	if target := Local(v.Request.URL.Query().Get("return_to")); target != "" {
		v.Pending.ReturnTo, v.Pending.App, v.Pending.Lasting = target, Asker{}, false
	}
}

// RememberErrand keeps the Errand for the tab that a mailed link opens, since its address
// is that of the mail.
func (v *Visit) RememberErrand() {
	if v.Pending.ReturnTo != "" {
		v.State.Mailed = v.Pending.Errand
	}
}

// MailedErrand resumes the Errand of the browser's latest mail, unless the tab has one of
// its own.
func (v *Visit) MailedErrand() {
	if v.Pending.ReturnTo == "" && v.Request.URL.Query().Get("token") != "" {
		v.Pending.Errand = v.State.Mailed
	}
}

// InvitationToken returns the token of the invitation to return to after the login, or "".
func (v *Visit) InvitationToken() string {
	to, err := url.Parse(v.Pending.ReturnTo)
	if err != nil || to.Path != InvitationPath {
		return ""
	}
	return to.Query().Get("token")
}

// Asker is the application that a sign-in is for, as pages show it.
type Asker struct {
	Name string `json:"n,omitzero"`
	// Domain is where the application is; empty for one on a device.
	Domain string `json:"d,omitzero"`
	// Logo is the address of its logo on this site, or empty.
	Logo string `json:"l,omitzero"`
}

// Initial returns the letter shown in place of a logo.
func (a Asker) Initial() string { return initial(a.Name) }

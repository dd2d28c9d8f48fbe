package pages

import (
	"net/http"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
)

// tokens are those of a session.
type tokens struct {
	Access  string `json:"a,omitzero"`
	Refresh string `json:"r,omitzero"`
	// Actions are what is required of the person first; the access token is good
	// for that alone.
	Actions []string `json:"x,omitzero"`
}

// state is what a page remembers for the next one.
type state struct {
	// ID is what the tokens of forms are bound to.
	ID string `json:"i"`
	// Challenge is that of a login which waits for a second factor, Methods how it
	// may be answered.
	Challenge string   `json:"c,omitzero"`
	Methods   []string `json:"m,omitzero"`
	// Switching reports whether that is asked for by a workspace which is to be entered.
	Switching bool `json:"q,omitzero"`
	// Code is the challenge that a mailed code answers, and Email where it went.
	Code  string `json:"k,omitzero"`
	Email string `json:"e,omitzero"`
	// Guest reports whether that mail takes the person into the workspace which invites them.
	Guest bool `json:"g,omitzero"`
	// Provider is where a link of these pages has begun a login.
	Provider string `json:"p,omitzero"`
	// ReturnTo is where the person wanted to go.
	ReturnTo string `json:"t,omitzero"`
	// Another reports whether somebody is to sign in though somebody is.
	Another bool `json:"o,omitzero"`
	// Hint is the address that an application expects to sign in.
	Hint string `json:"l,omitzero"`
	// Done tells on the next page what was done, Wrong what was not.
	Done  string `json:"d,omitzero"`
	Wrong string `json:"w,omitzero"`
	// Shown are secrets that the next page shows, once.
	Shown *shown `json:"s,omitzero"`
	// Client is the origin of the application that the person is on the way to, where forms
	// may lead.
	Client string `json:"a,omitzero"`
	// Holder is who is signed in.
	Holder *holder `json:"h,omitzero"`
}

// shown are secrets that a person sees once.
type shown struct {
	// Name is what the key is called.
	Name  string   `json:"n,omitzero"`
	Key   string   `json:"k,omitzero"`
	Codes []string `json:"c,omitzero"`
}

// remembered is a device that skips the second factor.
type remembered struct {
	Token string `json:"t"`
}

// The cookies, without the prefix that they have on https.
const (
	tokensCookie = "gatehouse"
	stateCookie  = "gatehouse-state"
	deviceCookie = "gatehouse-device"
)

// How long browsers keep cookies. What they hold ends earlier or is renewed.
const (
	keepTokens = 90 * 24 * time.Hour
	keepDevice = 400 * 24 * time.Hour
	// untilClosed keeps a cookie as long as the browser runs.
	untilClosed = 0
)

// cookieName binds a cookie to this host where browsers can: __Host- cookies
// cannot be planted by other hosts of the domain (RFC 6265bis section 4.1.3.2).
func (s *Site) cookieName(name string) string {
	if s.secure {
		return "__Host-" + name
	}
	return name
}

// read opens a cookie into a value; one that is missing, altered or sealed for
// another purpose leaves it as it is.
func (v *visit) read(name string, into any) {
	sent, err := v.r.Cookie(v.site.cookieName(name))
	if err != nil {
		return
	}
	plain, err := v.site.Sealer.Open(sent.Value, cookiePlace(name))
	if err != nil || plain == "" {
		return
	}
	// What was sealed here decodes, unless an earlier release sealed it: then it
	// is as good as missing.
	_ = json.Unmarshal([]byte(plain), into)
}

func cookiePlace(name string) string { return "pages/cookie/" + name }

func (v *visit) write(name string, value any, keep time.Duration) error {
	plain, err := json.Marshal(value)
	if err != nil {
		return err
	}
	v.set(name, v.site.Sealer.Seal(string(plain), cookiePlace(name)), int(keep/time.Second))
	return nil
}

func (v *visit) forget(name string) { v.set(name, "", -1) }

func (v *visit) set(name, value string, maxAge int) {
	http.SetCookie(v.w, &http.Cookie{ //nolint:gosec // Secure wherever the instance is on https
		Name: v.site.cookieName(name), Value: value, MaxAge: maxAge, Path: "/",
		Secure: v.site.secure, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
}

// save writes the cookies that have changed. Nothing may have been answered yet.
func (v *visit) save() error {
	if !v.tokens.equal(v.tokensBefore) {
		if v.tokens.Access == "" {
			v.forget(tokensCookie)
		} else if err := v.write(tokensCookie, v.tokens, keepTokens); err != nil {
			return err
		}
	}
	if v.state.equal(v.stateBefore) {
		return nil
	}
	return v.write(stateCookie, v.state, untilClosed)
}

func (t tokens) equal(o tokens) bool {
	return t.Access == o.Access && t.Refresh == o.Refresh && slices.Equal(t.Actions, o.Actions)
}

func (s state) equal(o state) bool {
	return s.ID == o.ID && s.Challenge == o.Challenge && s.Switching == o.Switching && slices.Equal(s.Methods, o.Methods) && s.Code == o.Code &&
		s.Email == o.Email && s.Provider == o.Provider && s.ReturnTo == o.ReturnTo && s.Done == o.Done && s.Wrong == o.Wrong && s.Shown == o.Shown &&
		s.Holder == o.Holder && s.Another == o.Another && s.Hint == o.Hint
}

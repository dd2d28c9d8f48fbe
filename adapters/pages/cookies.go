package pages

import (
	"encoding/base64"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// tokens are the tokens of a session.
type tokens struct {
	Access  string `json:"a,omitzero"`
	Refresh string `json:"r,omitzero"`
	// Actions are required actions; while there are any, the access token is valid for
	// these only.
	Actions []string `json:"x,omitzero"`
}

// state is the data of a browser, shared by its tabs.
type state struct {
	// ID identifies the browser; form tokens of people who are not signed in are bound to it.
	ID string `json:"i"`
	// Mailed is the errand that the browser's latest mailed link continues.
	Mailed errand `json:"n,omitzero"`
	// Done and Wrong are success and error messages for the next page.
	Done  string `json:"d,omitzero"`
	Wrong string `json:"w,omitzero"`
	// Shown are secrets that the next page shows once.
	Shown *shown `json:"s,omitzero"`
	// Holder is the signed-in person.
	Holder *holder `json:"h,omitzero"`
}

// shown are secrets that are shown once.
type shown struct {
	// Name is the name or identifier of what the key belongs to.
	Name  string   `json:"n,omitzero"`
	Key   string   `json:"k,omitzero"`
	Codes []string `json:"c,omitzero"`
}

// remembered is the content of the cookie of a device that skips the second factor.
type remembered struct {
	Token string `json:"t"`
}

// Cookie names, without the prefix that is added under https.
const (
	tokensCookie = "gatehouse"
	stateCookie  = "gatehouse-state"
	deviceCookie = "gatehouse-device"
)

// Lifetimes of cookies. Their contents expire earlier or are renewed.
const (
	keepTokens = 90 * 24 * time.Hour
	keepDevice = 400 * 24 * time.Hour
	// untilClosed makes a session cookie.
	untilClosed = 0
)

// cookieName adds the prefix __Host- under https, so that other hosts of the domain
// cannot set the cookie (RFC 6265bis section 4.1.3.2).
func (s *Site) cookieName(name string) string {
	if s.secure {
		return "__Host-" + name
	}
	return name
}

// read decrypts a cookie into a value. A cookie that is missing, altered or sealed for
// another purpose leaves the value unchanged.
func (v *visit) read(name string, into any) {
	sent, err := v.r.Cookie(v.site.cookieName(name))
	if err != nil {
		return
	}
	plain, err := v.site.Sealer.Open(sent.Value, cookiePlace(name))
	if err != nil || plain == "" {
		return
	}
	// Content sealed by an earlier release may fail to decode; it is treated as
	// missing.
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

// save writes the cookies that have changed. It must be called before the response is
// written.
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

// session returns the session of the access token. A token for required actions has none, and
// stands for itself. The signature needs no check, because the cookie is sealed.
func (t tokens) session() string {
	var claims struct {
		Session string `json:"sid"`
	}
	_, rest, _ := strings.Cut(t.Access, ".")
	payload, _, _ := strings.Cut(rest, ".")
	plain, err := base64.RawURLEncoding.DecodeString(payload)
	if err != nil || json.Unmarshal(plain, &claims) != nil || claims.Session == "" {
		return t.Access
	}
	return claims.Session
}

func (t tokens) equal(o tokens) bool {
	return t.Access == o.Access && t.Refresh == o.Refresh && slices.Equal(t.Actions, o.Actions)
}

func (s state) equal(o state) bool {
	return s.ID == o.ID && s.Mailed == o.Mailed && s.Done == o.Done && s.Wrong == o.Wrong && s.Shown == o.Shown && s.Holder == o.Holder
}

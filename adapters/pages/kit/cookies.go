package kit

import (
	"encoding/base64"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/adapters/client"
)

// Tokens are the tokens of a session.
type Tokens struct {
	Access  string `json:"a,omitzero"`
	Refresh string `json:"r,omitzero"`
	// Actions are required actions; while there are any, the access token is valid for
	// these only.
	Actions []client.AuthRequiredAction `json:"x,omitzero"`
}

// State is the data of a browser, shared by its tabs.
type State struct {
	// ID identifies the browser; form tokens of people who are not signed in are bound to it.
	ID string `json:"i"`
	// Mailed is the Errand that the browser's latest mailed link continues.
	Mailed Errand `json:"n,omitzero"`
	// Done and Wrong are success and error messages for the next page.
	Done  string `json:"d,omitzero"`
	Wrong string `json:"w,omitzero"`
	// Shown are secrets that the next page shows once.
	Shown *Shown `json:"s,omitzero"`
	// Holder is the signed-in person.
	Holder *holder `json:"h,omitzero"`
}

// Shown are secrets that are shown once.
type Shown struct {
	// Name is the name or identifier of what the key belongs to.
	Name  string   `json:"n,omitzero"`
	Key   string   `json:"k,omitzero"`
	Codes []string `json:"c,omitzero"`
}

// Remembered is the content of the cookie of a device that skips the second factor.
type Remembered struct {
	Token string `json:"t"`
}

// Cookie names, without the prefix that is added under https.
const (
	tokensCookie = "gatehouse"
	stateCookie  = "gatehouse-state"
	DeviceCookie = "gatehouse-device"
)

// Lifetimes of cookies. Their contents expire earlier or are renewed.
const (
	keepTokens = 90 * 24 * time.Hour
	KeepDevice = 400 * 24 * time.Hour
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

// Read decrypts a cookie into a value. A cookie that is missing, altered or sealed for
// another purpose leaves the value unchanged.
func (v *Visit) Read(name string, into any) {
	sent, err := v.Request.Cookie(v.Site.cookieName(name))
	if err != nil {
		return
	}
	plain, err := v.Site.Sealer.Open(sent.Value, cookiePlace(name))
	if err != nil || plain == "" {
		return
	}
	// Content sealed by an earlier release may fail to decode; it is treated as
	// missing.
	_ = json.Unmarshal([]byte(plain), into)
}

func cookiePlace(name string) string { return "pages/cookie/" + name }

func (v *Visit) Write(name string, value any, keep time.Duration) error {
	plain, err := json.Marshal(value)
	if err != nil {
		return err
	}
	v.set(name, v.Site.Sealer.Seal(string(plain), cookiePlace(name)), int(keep/time.Second))
	return nil
}

// Forget removes a cookie.
func (v *Visit) Forget(name string) { v.set(name, "", -1) }

func (v *Visit) set(name, value string, maxAge int) {
	http.SetCookie(v.Writer, &http.Cookie{ //nolint:gosec // Secure wherever the instance is on https
		Name: v.Site.cookieName(name), Value: value, MaxAge: maxAge, Path: "/",
		Secure: v.Site.secure, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
}

// Save writes the cookies that have changed. It must be called before the response is
// written.
func (v *Visit) Save() error {
	if !v.Tokens.equal(v.tokensBefore) {
		if v.Tokens.Access == "" {
			v.Forget(tokensCookie)
		} else if err := v.Write(tokensCookie, v.Tokens, keepTokens); err != nil {
			return err
		}
	}
	if v.State.equal(v.stateBefore) {
		return nil
	}
	return v.Write(stateCookie, v.State, untilClosed)
}

// session returns the session of the access token. A token for required actions has none, and
// stands for itself. The signature needs no check, because the cookie is sealed.
func (t Tokens) session() string {
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

func (t Tokens) equal(o Tokens) bool {
	return t.Access == o.Access && t.Refresh == o.Refresh && slices.Equal(t.Actions, o.Actions)
}

func (s State) equal(o State) bool {
	return s.ID == o.ID && s.Mailed == o.Mailed && s.Done == o.Done && s.Wrong == o.Wrong && s.Shown == o.Shown && s.Holder == o.Holder
}

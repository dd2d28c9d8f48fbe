package kit

import (
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"gatehouse.internal/domain/label"
)

// Errors of requests that reach no command.
var (
	ErrForeign    = errors.New("the form was sent from another site, or has expired")
	errStale      = errors.New("the form was shown to another session")
	errForm       = errors.New("the form cannot be read")
	ErrNoPage     = errors.New("there is no such page")
	errSignedOut  = errors.New("nobody is signed in")
	ErrUnfinished = errors.New("something is required first")
)

// formLimit is the maximum size of a form, in bytes.
const formLimit = 256 << 10

// idSize is the length of a browser identifier, in random bytes.
const idSize = 16

// guard admits safe requests, and forms sent by these pages. It fails with errForm,
// ErrForeign, errStale or errSignedOut.
func (v *Visit) guard(who Audience) error {
	if v.Request.Method == http.MethodGet || v.Request.Method == http.MethodHead {
		return nil
	}
	if err := v.Site.crossOrigin.Check(v.Request); err != nil {
		return ErrForeign
	}
	v.Request.Body = http.MaxBytesReader(v.Writer, v.Request.Body, formLimit)
	if err := v.Request.ParseForm(); err != nil {
		return errForm
	}
	v.Form.Values = v.Request.PostForm //nolint:forbidigo // the field of a request, not the function
	v.resume(v.Form.Secret(PendingField))
	return v.ownForm(who)
}

// ownForm admits forms of these pages. A form of an account must have been shown to its
// session. Forms to sign in are also admitted if the browser vouches for them, because
// another tab may have signed in, or the cookie may be lost, since they were shown.
func (v *Visit) ownForm(who Audience) error {
	sent := v.Form.Secret("csrf")
	ours := v.sameOrigin() || v.stateBefore.ID != "" && same(sent, v.browserToken())
	switch {
	case v.Tokens.Access != "" && same(sent, v.sessionToken()):
		return nil
	case !ours:
		return ErrForeign
	case who == Everybody:
		return nil
	case v.Tokens.Access == "":
		return errSignedOut
	}
	return errStale
}

func same(sent, want string) bool { return subtle.ConstantTimeCompare([]byte(sent), []byte(want)) == 1 }

// sameOrigin reports whether the browser proves that a page of this origin sent the
// request. The absence of both headers proves nothing.
func (v *Visit) sameOrigin() bool {
	if site := v.Request.Header.Get("Sec-Fetch-Site"); site != "" {
		return site == "same-origin"
	}
	from, err := url.Parse(v.Request.Header.Get("Origin"))
	return err == nil && from.Host != "" && from.Host == v.Request.Host
}

// OwnLink fails with ErrForeign unless the request follows a link of these pages. Such
// links start a login at an upstream provider, in place of a form.
func (v *Visit) OwnLink() error {
	if site := v.Request.Header.Get("Sec-Fetch-Site"); site != "" {
		if site == "same-origin" {
			return nil
		}
		return ErrForeign
	}
	from, err := url.Parse(v.Request.Referer())
	if err != nil || from.Host == "" || from.Host != v.Request.Host {
		return ErrForeign
	}
	return nil
}

// formToken returns the CSRF token of the forms on a page.
func (v *Visit) formToken() string {
	if v.Tokens.Access != "" {
		return v.sessionToken()
	}
	return v.browserToken()
}

// browserToken returns the CSRF token of forms shown to people who are not signed in.
func (v *Visit) browserToken() string { return v.Site.Blinder.Index(label.Form, v.State.ID) }

// sessionToken returns the CSRF token of forms shown to the session.
func (v *Visit) sessionToken() string {
	return v.Site.Blinder.Index(label.SessionForm, v.Tokens.session())
}

// Renew replaces the identifier of the browser.
func (v *Visit) Renew() {
	v.State.ID = base64.RawURLEncoding.EncodeToString(v.Site.Random.Bytes(idSize))
}

// Local returns target if it is a path on this host, or "".
func Local(target string) string {
	const longest = 512
	if len(target) > longest || !strings.HasPrefix(target, "/") || strings.HasPrefix(target, "//") || strings.ContainsAny(target, "\\\x00\r\n\t") {
		return ""
	}
	parsed, err := url.Parse(target)
	if err != nil || parsed.Scheme != "" || parsed.Host != "" || parsed.User != nil {
		return ""
	}
	return target
}

package pages

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
	errForeign    = errors.New("the form was sent from another site, or has expired")
	errStale      = errors.New("the form was shown to another session")
	errForm       = errors.New("the form cannot be read")
	errNoPage     = errors.New("there is no such page")
	errSignedOut  = errors.New("nobody is signed in")
	errUnfinished = errors.New("something is required first")
)

// formLimit is the maximum size of a form, in bytes.
const formLimit = 256 << 10

// idSize is the length of a browser identifier, in random bytes.
const idSize = 16

// guard admits safe requests, and forms sent by these pages. It fails with errForm,
// errForeign, errStale or errSignedOut.
func (v *visit) guard(who audience) error {
	if v.r.Method == http.MethodGet || v.r.Method == http.MethodHead {
		return nil
	}
	if err := v.site.crossOrigin.Check(v.r); err != nil {
		return errForeign
	}
	v.r.Body = http.MaxBytesReader(v.w, v.r.Body, formLimit)
	if err := v.r.ParseForm(); err != nil {
		return errForm
	}
	v.form.values = v.r.PostForm //nolint:forbidigo // the field of a request, not the function
	v.resume(v.form.secret(pendingField))
	return v.ownForm(who)
}

// ownForm admits forms of these pages. A form of an account must have been shown to its
// session. Forms to sign in are also admitted if the browser vouches for them, because
// another tab may have signed in, or the cookie may be lost, since they were shown.
func (v *visit) ownForm(who audience) error {
	sent := v.form.secret("csrf")
	ours := v.sameOrigin() || v.stateBefore.ID != "" && same(sent, v.browserToken())
	switch {
	case v.tokens.Access != "" && same(sent, v.sessionToken()):
		return nil
	case !ours:
		return errForeign
	case who == everybody:
		return nil
	case v.tokens.Access == "":
		return errSignedOut
	}
	return errStale
}

func same(sent, want string) bool { return subtle.ConstantTimeCompare([]byte(sent), []byte(want)) == 1 }

// sameOrigin reports whether the browser proves that a page of this origin sent the
// request. The absence of both headers proves nothing.
func (v *visit) sameOrigin() bool {
	if site := v.r.Header.Get("Sec-Fetch-Site"); site != "" {
		return site == "same-origin"
	}
	from, err := url.Parse(v.r.Header.Get("Origin"))
	return err == nil && from.Host != "" && from.Host == v.r.Host
}

// ownLink fails with errForeign unless the request follows a link of these pages. Such
// links start a login at an upstream provider, in place of a form.
func (v *visit) ownLink() error {
	if site := v.r.Header.Get("Sec-Fetch-Site"); site != "" {
		if site == "same-origin" {
			return nil
		}
		return errForeign
	}
	from, err := url.Parse(v.r.Referer())
	if err != nil || from.Host == "" || from.Host != v.r.Host {
		return errForeign
	}
	return nil
}

// formToken returns the CSRF token of the forms on a page.
func (v *visit) formToken() string {
	if v.tokens.Access != "" {
		return v.sessionToken()
	}
	return v.browserToken()
}

// browserToken returns the CSRF token of forms shown to people who are not signed in.
func (v *visit) browserToken() string { return v.site.Blinder.Index(label.Form, v.state.ID) }

// sessionToken returns the CSRF token of forms shown to the session.
func (v *visit) sessionToken() string {
	return v.site.Blinder.Index(label.SessionForm, v.tokens.session())
}

// renew replaces the identifier of the browser.
func (v *visit) renew() {
	v.state.ID = base64.RawURLEncoding.EncodeToString(v.site.Random.Bytes(idSize))
}

// local returns target if it is a path on this host, or "".
func local(target string) string {
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

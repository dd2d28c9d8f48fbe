package pages

import (
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"strings"
)

// Errors of requests that reach no command.
var (
	errForeign    = errors.New("the form was sent from another site, or has expired")
	errForm       = errors.New("the form cannot be read")
	errNoPage     = errors.New("there is no such page")
	errSignedOut  = errors.New("nobody is signed in")
	errUnfinished = errors.New("something is required first")
)

// formLimit is the maximum size of a form, in bytes.
const formLimit = 256 << 10

// idSize is the length of a browser identifier, in random bytes.
const idSize = 16

// guard admits safe requests, and forms sent by these pages. It fails with errForm or
// errForeign.
func (v *visit) guard() error {
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
	sent := v.form.secret("csrf")
	if v.stateBefore.ID == "" || subtle.ConstantTimeCompare([]byte(sent), []byte(v.formToken())) != 1 {
		return errForeign
	}
	return nil
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

// formToken returns the CSRF token of this browser's forms.
func (v *visit) formToken() string { return v.site.Blinder.Index("form", v.state.ID) }

// renew replaces the identifier of the browser, so that form tokens from before a login
// are invalid after it.
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

package httpapi

import (
	"bytes"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// basePath serves an instance whose public address has a path, such as
// https://example.com/auth. The handler behind it is written for the root: the path is taken
// off requests, unless a reverse proxy did so, and put before the local addresses in
// responses: those of redirects, and those in the attributes of pages.
type basePath struct {
	path string
	next http.Handler
}

// beneath returns a handler of an instance with an address.
func beneath(issuer string, next http.Handler) http.Handler {
	address, err := url.Parse(issuer)
	if err != nil || address.Path == "" {
		return next
	}
	return &basePath{address.Path, next}
}

func (b *basePath) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	inner := r.Clone(r.Context())
	inner.URL.Path, inner.URL.RawPath = b.take(r.URL.Path), ""
	if r.URL.RawPath != "" {
		inner.URL.RawPath = b.take(r.URL.RawPath)
	}
	// A page is put together here in full; a reverse proxy may compress it.
	inner.Header.Del("Accept-Encoding")
	out := &relocated{ResponseWriter: w, path: b.path}
	b.next.ServeHTTP(out, inner)
	out.finish()
}

// wellKnown begins paths that have the path of the address behind their own (RFC 8414
// section 3.1, RFC 9728 section 3.1).
const wellKnown = "/.well-known/"

// take takes the path of the address off.
func (b *basePath) take(path string) string {
	if name, known := strings.CutPrefix(path, wellKnown); known {
		kind, behind, _ := strings.Cut(name, "/")
		if rest, ours := b.cut("/" + behind); ours {
			return wellKnown + kind + rest
		}
		return path
	}
	rest, ours := b.cut(path)
	switch {
	case !ours:
		return path
	case rest == "":
		return "/"
	}
	return rest
}

// cut returns what follows the path of the address, and reports whether it is there.
func (b *basePath) cut(path string) (string, bool) {
	rest, ours := strings.CutPrefix(path, b.path)
	return rest, ours && (rest == "" || rest[0] == '/')
}

// relocated puts the path of the address before local addresses.
type relocated struct {
	http.ResponseWriter

	path  string
	begun bool
	// page is a page that is not sent yet; status is not 0 where there is one.
	page   bytes.Buffer
	status int
}

// Unwrap is for http.ResponseController.
func (o *relocated) Unwrap() http.ResponseWriter { return o.ResponseWriter }

// WriteHeader begins the response. That of a page is sent when the page is complete.
func (o *relocated) WriteHeader(status int) {
	if o.begun {
		return
	}
	header := o.Header()
	if to := header.Get("Location"); isLocal(to) {
		header.Set("Location", o.path+to)
	}
	if status >= http.StatusOK {
		o.begun = true
		if strings.HasPrefix(header.Get("Content-Type"), "text/html") {
			o.status = status
			return
		}
	}
	o.ResponseWriter.WriteHeader(status)
}

// Write writes a part of the body.
func (o *relocated) Write(part []byte) (int, error) {
	if !o.begun {
		o.WriteHeader(http.StatusOK)
	}
	if o.status != 0 {
		return o.page.Write(part)
	}
	return o.ResponseWriter.Write(part)
}

// localAttribute is an attribute of a page with an address that begins at the root. Elsewhere in
// pages quotes are escaped.
var localAttribute = regexp.MustCompile(`( (?:href|src|action|formaction|data-options|data-ask|data-root)=")(/(?:[^/"][^"]*)?")`)

// finish sends the page, if it is one.
func (o *relocated) finish() {
	if o.status == 0 {
		return
	}
	page := localAttribute.ReplaceAll(o.page.Bytes(), []byte("${1}"+o.path+"${2}"))
	if o.Header().Get("Content-Length") != "" {
		o.Header().Set("Content-Length", strconv.Itoa(len(page)))
	}
	o.ResponseWriter.WriteHeader(o.status)
	_, _ = o.ResponseWriter.Write(page) // the client may have gone
}

// isLocal reports whether an address begins at the root of the same host.
func isLocal(address string) bool {
	return strings.HasPrefix(address, "/") && !strings.HasPrefix(address, "//")
}

package pages

import (
	"errors"
	"log/slog"
	"net/http"
	"strings"

	"gatehouse.internal/ports/inbound"
	"gatehouse.internal/ports/outbound"
)

// changePasswordPath leads password managers to the form to change a password (W3C, A
// Well-Known URL for Changing Passwords).
const changePasswordPath = "/.well-known/change-password" //nolint:gosec // an address

// Paths returns the path prefixes that the pages serve. The handler also responds to
// any other path: it redirects /, and shows a page for unknown ones.
func Paths() []string {
	return append([]string{
		changePasswordPath, "/login", "/logout", "/signup", "/recover", "/verify", invitationPath, "/account", authorizePath, endSessionPath, devicePath, strings.TrimSuffix(logoPath, "/"),
		strings.TrimSuffix(assetPath, "/"),
	}, paddlePaths()...)
}

// Site serves all pages. Commands, Sealer, Blinder, Random, Clock, Logger, Origin and
// Logos are required.
type Site struct {
	Commands inbound.Commands
	// Sealer encrypts cookies and Blinder derives form tokens, each with a key of its
	// own.
	Sealer  outbound.Sealer
	Blinder outbound.Blinder
	Random  outbound.Random
	Clock   outbound.Clock
	Logger  *slog.Logger
	// Host is the public address of the instance, without a trailing slash.
	Host string
	// Origin returns a request with the client's address, user agent and request ID.
	Origin func(http.ResponseWriter, *http.Request) inbound.Request
	// Logos reads the logos of applications.
	Logos inbound.Logos
	// Paddle is set if Paddle is a configured payment processor.
	Paddle *Paddle
	// Dev is set in development mode only.
	Dev *Dev

	secure      bool
	assets      *assets
	templates   map[string]lazyTemplate
	crossOrigin *http.CrossOriginProtection
}

// Handler returns the handler of all Paths. It fails if a required field is missing, or
// an asset or template is invalid.
func (s *Site) Handler() (http.Handler, error) {
	if s.Commands == nil || s.Sealer == nil || s.Blinder == nil || s.Random == nil || s.Clock == nil || s.Logger == nil || s.Origin == nil || s.Logos == nil {
		return nil, errors.New("pages: Commands, Sealer, Blinder, Random, Clock, Logger, Origin and Logos are required")
	}
	var err error
	if s.assets, err = loadAssets(s.Dev != nil); err != nil {
		return nil, err
	}
	if s.templates, err = s.pages(); err != nil {
		return nil, err
	}
	s.secure = strings.HasPrefix(s.Host, "https://")
	s.crossOrigin = http.NewCrossOriginProtection()
	mux := http.NewServeMux()
	mux.Handle("GET "+assetPath+"{name}", s.assets)
	mux.Handle("GET "+logoPath+"{client}", logoHandler{s.Logos, s.Logger})
	for _, one := range s.routes() {
		mux.Handle(one.pattern, s.handler(one))
	}
	// Unknown paths have a page too.
	mux.Handle("/", s.handler(route{who: everybody, page: func(*visit) error { return errNoPage }}))
	return mux, nil
}

// contentPolicy returns the Content-Security-Policy of pages: nothing inline, and
// nothing from other origins except the logo. Forms may be submitted to the client
// being authorized. data: is needed for the QR code of an enrollment.
func contentPolicy(logo, client string, frames bool) string {
	policy := "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src " +
		strings.TrimSpace("'self' data: "+logo) + "; form-action " + strings.TrimSpace("'self' "+client) + "; base-uri 'none'; frame-ancestors 'none'"
	if frames {
		policy += "; frame-src 'self'"
	}
	return policy
}

// audience is who a route admits.
type audience int

const (
	everybody audience = iota
	// unfinished admits people with required actions, too.
	unfinished
	// person admits people who are signed in.
	person
)

// route is a page or an action.
type route struct {
	pattern string
	who     audience
	page    func(*visit) error
}

// handler returns the handler of a route. A POST must pass both guards first.
func (s *Site) handler(to route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v := s.open(w, r)
		err := v.guard(to.who)
		if err == nil {
			err = v.admit(to.who)
		}
		if err == nil {
			err = to.page(v)
		}
		if err != nil {
			v.fail(err)
		}
	})
}

// admit fails with errStranger or errUnfinished if the person is not in the audience.
func (v *visit) admit(who audience) error {
	switch {
	case who == everybody:
		return nil
	case v.tokens.Access == "":
		return errSignedOut
	case who == person && len(v.tokens.Actions) > 0:
		return errUnfinished
	default:
		return nil
	}
}

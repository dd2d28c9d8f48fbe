package pages

import (
	"errors"
	"log/slog"
	"net/http"
	"strings"

	"gatehouse.internal/ports/inbound"
	"gatehouse.internal/ports/outbound"
)

// changePasswordPath is where password managers look for the page to change one
// (W3C, A Well-Known URL for Changing Passwords).
const changePasswordPath = "/.well-known/change-password" //nolint:gosec // an address

// Paths returns what the pages answer, each with all that is below it. They answer any other
// path as well: / leads on, and there is a page for what does not exist.
func Paths() []string {
	return append([]string{
		changePasswordPath, "/login", "/logout", "/signup", "/recover", "/verify", invitationPath, "/account", authorizePath, endSessionPath, devicePath,
		strings.TrimSuffix(assetPath, "/"),
	}, paddlePaths()...)
}

// Site is all pages, filled with a keyed literal.
type Site struct {
	Commands inbound.Commands
	// Sealer seals cookies, Blinder binds forms to them; both by keys of their own.
	Sealer  outbound.Sealer
	Blinder outbound.Blinder
	Random  outbound.Random
	Clock   outbound.Clock
	Logger  *slog.Logger
	// Host is the public address of the instance, without a final slash.
	Host string
	// Origin returns who a request comes from: address, user agent and request id.
	Origin func(http.ResponseWriter, *http.Request) inbound.Request
	// Paddle is set where something is sold by Paddle.
	Paddle *Paddle
	// Dev is set in development alone.
	Dev *Dev

	secure      bool
	assets      *assets
	templates   map[string]written
	crossOrigin *http.CrossOriginProtection
}

// Handler prepares everything that does not change while the process runs and returns
// the handler of all Paths. It fails when a part is missing.
func (s *Site) Handler() (http.Handler, error) {
	if s.Commands == nil || s.Sealer == nil || s.Blinder == nil || s.Random == nil || s.Clock == nil || s.Logger == nil || s.Origin == nil {
		return nil, errors.New("pages: Commands, Sealer, Blinder, Random, Clock, Logger and Origin are required")
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
	for _, one := range s.routes() {
		mux.Handle(one.pattern, s.handler(one))
	}
	// What no route takes is a page too.
	mux.Handle("/", s.handler(route{who: everybody, page: func(*visit) error { return errNoPage }}))
	return mux, nil
}

// contentPolicy returns the Content-Security-Policy of pages: nothing inline, nothing
// from elsewhere but the logo. Forms may lead on to the client that somebody comes from.
// The image of data: is the QR code of an enrolment.
func contentPolicy(logo, client string, frames bool) string {
	policy := "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src " +
		strings.TrimSpace("'self' data: "+logo) + "; form-action " + strings.TrimSpace("'self' "+client) + "; base-uri 'none'; frame-ancestors 'none'"
	if frames {
		policy += "; frame-src 'self'"
	}
	return policy
}

// audience is whom a route lets in.
type audience int

const (
	everybody audience = iota
	// unfinished people have logged in, and something is required of them first.
	unfinished
	// person is somebody who is logged in.
	person
)

// route is one page or action.
type route struct {
	pattern string
	who     audience
	page    func(*visit) error
}

// handler answers a route. A POST passes both guards first.
func (s *Site) handler(to route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v := s.open(w, r)
		err := v.guard()
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

// admit sends away whom a route does not let in.
func (v *visit) admit(who audience) error {
	switch {
	case who == everybody:
		return nil
	case v.tokens.Access == "":
		return errStranger
	case who == person && len(v.tokens.Actions) > 0:
		return errUnfinished
	default:
		return nil
	}
}

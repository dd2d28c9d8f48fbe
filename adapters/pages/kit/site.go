// Package kit is what the rooms of the pages share: a visit of a browser with its cookies,
// forms and guards, and how pages look. A room is a package with the pages of one subject.
// Its visit embeds a Visit, and its Routes are served by the Site.
package kit

import (
	"errors"
	"html/template"
	"io/fs"
	"log/slog"
	"net/http"
	"strings"

	"gatehouse.internal/ports/inbound"
	"gatehouse.internal/ports/outbound"
)

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
	// Files holds the assets and the templates, and Functions those of the templates that
	// are of one room.
	Files     fs.FS
	Functions template.FuncMap
	// Routes are all pages and actions except assets.
	Routes []Route
	// Development adds the assets of the development pages.
	Development bool

	secure      bool
	assets      *assets
	templates   map[string]lazyTemplate
	crossOrigin *http.CrossOriginProtection
}

// Handler returns the handler of all pages. It fails if a required field is missing, or
// an asset or template is invalid.
func (s *Site) Handler() (http.Handler, error) {
	if s.Commands == nil || s.Sealer == nil || s.Blinder == nil || s.Random == nil || s.Clock == nil || s.Logger == nil || s.Origin == nil || s.Logos == nil {
		return nil, errors.New("pages: Commands, Sealer, Blinder, Random, Clock, Logger, Origin and Logos are required")
	}
	var err error
	if s.assets, err = loadAssets(s.Files, s.Development); err != nil {
		return nil, err
	}
	if s.templates, err = s.pages(); err != nil {
		return nil, err
	}
	s.secure = strings.HasPrefix(s.Host, "https://")
	s.crossOrigin = http.NewCrossOriginProtection()
	mux := http.NewServeMux()
	mux.Handle("GET "+assetPath+"{name}", s.assets)
	mux.Handle("GET "+LogoPath+"{client}", logoHandler{s.Logos, s.Logger})
	for _, one := range s.Routes {
		mux.Handle(one.Pattern, s.handler(one))
	}
	// Unknown paths have a page too.
	mux.Handle("/", s.handler(Route{Who: Everybody, Page: func(*Visit) error { return ErrNoPage }}))
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

// Audience is who a route admits.
type Audience int

const (
	// Everybody admits all.
	Everybody Audience = iota
	// Unfinished admits people with required actions, too.
	Unfinished
	// Person admits people who are signed in.
	Person
)

// Route is a page or an action.
type Route struct {
	Pattern string
	Who     Audience
	Page    func(*Visit) error
}

// handler returns the handler of a route. A POST must pass both guards first.
func (s *Site) handler(to Route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v := s.open(w, r)
		err := v.guard(to.Who)
		if err == nil {
			err = v.admit(to.Who)
		}
		if err == nil {
			err = to.Page(v)
		}
		if err != nil {
			v.fail(err) //nolint:contextcheck // the visit has the context of its request
		}
	})
}

// admit fails with errStranger or ErrUnfinished if the person is not in the audience.
func (v *Visit) admit(who Audience) error {
	switch {
	case who == Everybody:
		return nil
	case v.Tokens.Access == "":
		return errSignedOut
	case who == Person && len(v.Tokens.Actions) > 0:
		return ErrUnfinished
	default:
		return nil
	}
}

// Paths returns the path prefixes that the site serves besides its routes.
func Paths() []string {
	return []string{strings.TrimSuffix(LogoPath, "/"), strings.TrimSuffix(assetPath, "/")}
}

package pages

import (
	"embed"
	"html/template"
	"maps"
	"net/http"
	"slices"

	"gatehouse.internal/adapters/pages/account"
	"gatehouse.internal/adapters/pages/commerce"
	"gatehouse.internal/adapters/pages/development"
	"gatehouse.internal/adapters/pages/door"
	"gatehouse.internal/adapters/pages/flows"
	"gatehouse.internal/adapters/pages/kit"
	"gatehouse.internal/adapters/pages/webhooks"
	"gatehouse.internal/adapters/pages/workspace"
	"gatehouse.internal/domain/social"
)

//go:embed assets templates
var embedded embed.FS

// Paddle configures the checkout page of Paddle.
type Paddle = commerce.Paddle

// Site serves all pages.
type Site struct {
	kit.Site

	// Paddle is set if Paddle is a configured payment processor.
	Paddle *Paddle
	// Dev is set in development mode only.
	Dev *development.Dev
}

// Handler returns the handler of all Paths. It fails if a required field is missing, or
// an asset or template is invalid.
func (s *Site) Handler() (http.Handler, error) {
	s.Files, s.Functions, s.Development = embedded, functions(), s.Dev != nil
	s.Routes = append(routes(s.Paddle), root())
	if s.Dev != nil {
		s.Routes = append(routes(s.Paddle), development.Routes(s.Dev)...)
	}
	return s.Site.Handler()
}

// routes returns the pages and actions of all rooms but the development pages.
func routes(paddle *Paddle) []kit.Route {
	return slices.Concat(door.Routes(), account.Routes(), workspace.Routes(), commerce.Routes(paddle), webhooks.Routes(), flows.Routes())
}

// root returns the route of the root path, which is a start page in development.
func root() kit.Route { return kit.Route{Pattern: "GET /{$}", Page: (*kit.Visit).Root} }

// functions returns the functions of the templates of all rooms.
func functions() template.FuncMap {
	all := template.FuncMap{}
	for _, of := range []template.FuncMap{door.Functions(), flows.Functions(), development.Functions()} {
		maps.Copy(all, of)
	}
	return all
}

// Paths returns the path prefixes that the pages serve. The handler also responds to
// any other path: it redirects /, and shows a page for unknown ones.
func Paths() []string {
	return slices.Concat(door.Paths(), account.Paths(), commerce.Paths(), kit.Paths())
}

// SocialReturns returns the addresses on which a login or a link at a provider ends.
// They need no registration as redirect addresses.
func SocialReturns(host string) []string {
	var all []string
	for _, name := range social.Providers() {
		all = append(all, door.SocialDone(host, string(name)), account.SocialLinked(host, string(name)))
	}
	return all
}

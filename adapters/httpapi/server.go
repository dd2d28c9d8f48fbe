package httpapi

import (
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/gorilla/mux"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/ports/inbound"
	"gatehouse.internal/ports/outbound"
)

// defaultMaxBody is how large a body may be, in bytes (contract section 2).
const defaultMaxBody = 1 << 20

// Server is the HTTP face, filled with a keyed literal.
type Server struct {
	Commands  inbound.Commands
	Discovery inbound.Discovery
	Health    inbound.Health
	Clock     outbound.Clock
	// NewRequestID numbers a request whose caller did not.
	NewRequestID func() string
	// Proxies are the networks whose X-Forwarded-For is believed.
	Proxies []netip.Prefix
	// Logger gets internal errors, and at debug level one line per request.
	Logger *slog.Logger
	// Metrics answers GET /metrics; without it there is no such path.
	Metrics http.Handler
	// Pages are further paths that answer GET, such as /dev/mail.
	Pages map[string]http.Handler
	// Site answers SitePaths, each with all that is below it: the pages for people.
	// Its handler decides about methods.
	Site      http.Handler
	SitePaths []string
	// Social are the paths of social logins; without it there are none.
	Social *Social
	// Version is the release, as published beside the catalogue.
	Version string
	// MaxBody is how large a body may be, in bytes; 0 means 1 MiB.
	MaxBody int64
}

// Handler gives the handler of all paths. It fails when a part is missing.
func (s *Server) Handler() (http.Handler, error) {
	if s.Commands == nil || s.Discovery == nil || s.Health == nil || s.Clock == nil || s.NewRequestID == nil || s.Logger == nil {
		return nil, errors.New("httpapi: Commands, Discovery, Health, Clock, NewRequestID and Logger are required")
	}
	a := &answers{logger: s.Logger}
	return &front{
		next: s.routes(a), answers: a, cors: cors{origins: s.Discovery.AllowedOrigins},
		fixed: fixedHeaders(strings.HasPrefix(s.Discovery.Issuer(), "https://")),
		mint:  s.NewRequestID, clock: s.Clock, logger: s.Logger,
	}, nil
}

func (s *Server) routes(a *answers) http.Handler {
	known := &discovery{from: s.Discovery, answers: a}

	// A path is matched as it was sent: cleaning it would answer redirects.
	router := mux.NewRouter().SkipClean(true)
	execute := s.execution(a)
	router.Handle(pathExecute, only(a, execute, http.MethodPost))
	for _, row := range directRows() {
		router.Handle(row.path, only(a, &direct{execution: execute, row: row}, http.MethodPost))
	}
	for path, handler := range s.socialRoutes(execute) {
		router.Handle(path, only(a, handler, http.MethodGet))
	}
	get := func(path string, page http.Handler) {
		router.Handle(path, only(a, page, http.MethodGet, http.MethodHead))
	}
	get("/api/v1/commands", a.lasting(func() any {
		all := s.Commands.Catalog()
		return catalogue{Version: s.Version, Count: len(all), Commands: all}
	}))
	get("/api/v1/events", a.lasting(func() any {
		all := s.Discovery.Kinds()
		return kinds{Version: s.Version, Count: len(all), Events: all}
	}))
	get("/api/v1/events/{kind}", newEventKinds(s.Discovery.Kinds(), a))
	get(pathKeys, http.HandlerFunc(known.keys))
	get("/.well-known/openid-configuration", http.HandlerFunc(known.configuration))
	get("/.well-known/oauth-authorization-server", http.HandlerFunc(known.configuration))
	get("/health", &health{from: s.Health, answers: a, logger: s.Logger})
	if s.Metrics != nil {
		get("/metrics", s.Metrics)
	}
	for path, page := range s.Pages {
		get(path, page)
	}
	for _, path := range s.SitePaths {
		router.Handle(path, s.Site)
		router.PathPrefix(path + "/").Handler(s.Site)
	}
	router.NotFoundHandler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.refuse(w, r, "", fault.New(fault.NotFound, "there is nothing at this path"))
	})
	return paths{router}
}

// paths finds the handler of a path. The router's own ServeHTTP copies a request twice
// to carry the match along, which only the paths that hold a variable need.
type paths struct{ router *mux.Router }

func (p paths) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var match mux.RouteMatch
	p.router.Match(r, &match) // matches NotFoundHandler at least
	if len(match.Vars) > 0 {
		p.router.ServeHTTP(w, r)
		return
	}
	match.Handler.ServeHTTP(w, r)
}

func (s *Server) execution(a *answers) *execution {
	limit := s.MaxBody
	if limit <= 0 {
		limit = defaultMaxBody
	}
	return &execution{commands: s.Commands, answers: a, clients: trusting(s.Proxies), maxBody: limit}
}

// only lets these methods through and names them to every other one.
func only(a *answers, next http.Handler, methods ...string) http.Handler {
	allow := strings.Join(methods, ", ")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if slices.Contains(methods, r.Method) {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Allow", allow)
		a.send(w, r, http.StatusMethodNotAllowed, inbound.Reply{
			Failure: fault.New(fault.Validation, "this path takes "+allow),
		})
	})
}

package httpapi

import (
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/gorilla/mux"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/ports/inbound"
	"gatehouse.internal/ports/outbound"
)

// defaultMaxBody is the maximum size of a body, in bytes (contract section 2).
const defaultMaxBody = 1 << 20

// Server configures the HTTP adapter. Commands, Discovery, Health, Clock, NewRequestID
// and Logger are required.
type Server struct {
	Commands  inbound.Commands
	Discovery inbound.Discovery
	Health    inbound.Health
	// Door applies IP rules to everything except commands and GET /health; nil for
	// none.
	Door  inbound.Door
	Clock outbound.Clock
	// NewRequestID returns an ID for a request without one.
	NewRequestID func() string
	// Proxies are the networks whose X-Forwarded-For is trusted.
	Proxies []netip.Prefix
	// Logger receives internal errors and, at debug level, one line for each request.
	Logger *slog.Logger
	// Metrics configures GET /metrics; without a page the path does not exist.
	Metrics Metrics
	// Pages are handlers of further GET paths, such as /dev/mail.
	Pages map[string]http.Handler
	// Site serves SitePaths and everything below them: the web pages. It handles all
	// methods. It also serves browsers on the paths of Pages, and on unknown paths.
	Site      http.Handler
	SitePaths []string
	// Social enables the paths of social logins, if set.
	Social *Social
	// Hooks receives webhooks of payment processors; without it the path does not
	// exist.
	Hooks inbound.PaymentHooks
	// PasskeyOrigins are the origins whose pages may use passkeys.
	PasskeyOrigins []string
	// Version is the release, published with the catalog.
	Version string
	// MaxBody is the maximum size of a body, in bytes; 0 means 1 MiB.
	MaxBody int64
}

// Handler returns the handler of all paths. It fails if a required field is missing.
func (s *Server) Handler() (http.Handler, error) {
	if s.Commands == nil || s.Discovery == nil || s.Health == nil || s.Clock == nil || s.NewRequestID == nil || s.Logger == nil {
		return nil, errors.New("httpapi: Commands, Discovery, Health, Clock, NewRequestID and Logger are required")
	}
	a := &answers{logger: s.Logger, resource: s.Discovery.Issuer() + pathResource}
	return beneath(s.Discovery.Issuer(), &front{
		next: s.routes(a), answers: a, cors: cors{s.Discovery},
		fixed: fixedHeaders(strings.HasPrefix(s.Discovery.Issuer(), "https://")),
		mint:  s.NewRequestID, clock: s.Clock, logger: s.Logger,
		flight: inFlight{relieve: debug.FreeOSMemory}, clients: trusting(s.Proxies),
	}), nil
}

func (s *Server) routes(a *answers) http.Handler {
	known := &discovery{from: s.Discovery, answers: a}

	// Paths are matched as sent, since cleaning them would cause redirects.
	router := mux.NewRouter().SkipClean(true)
	execute := s.execution(a)
	router.Handle(pathExecute, only(a, execute, http.MethodPost))
	router.Handle(pathNamed, only(a, named{execute}, http.MethodPost))
	for _, row := range directRows() {
		router.Handle(row.path, only(a, row.handler(execute, cors{s.Discovery}), row.methods()...))
	}
	clients := registration{execute, s.Discovery.Issuer()}
	router.Handle(pathRegister, only(a, http.HandlerFunc(clients.register), http.MethodPost))
	router.Handle(pathRegistered, only(a, http.HandlerFunc(clients.registered), http.MethodGet, http.MethodPut, http.MethodDelete))
	for path, handler := range s.socialRoutes(execute) {
		router.Handle(path, s.guarded(a, only(a, handler, http.MethodGet)))
	}
	if s.Hooks != nil {
		router.Handle(hookPath, only(a, &paymentHooks{execution: execute, to: s.Hooks}, http.MethodPost))
	}
	get := func(path string, page http.Handler) {
		router.Handle(path, s.guarded(a, only(a, page, http.MethodGet, http.MethodHead)))
	}
	commands := newCommandPages(s.Commands, s.Version, a)
	get("/api/v1/commands", commands)
	get("/api/v1/commands/{name}", http.HandlerFunc(commands.one))
	described := s.description(a)
	get("/api/v1/openapi.json", http.HandlerFunc(described.openAPI))
	get("/api/v1/schemas.json", described.schemas)
	get("/api/v1/events", a.lasting(func() any {
		all := s.Discovery.Kinds()
		return kinds{Version: s.Version, Count: len(all), Events: all}
	}))
	get("/api/v1/events/{kind}", &eventKinds{from: s.Discovery, answers: a})
	get(pathKeys, http.HandlerFunc(known.keys))
	get(pathOpenID, http.HandlerFunc(known.configuration))
	get(pathServer, http.HandlerFunc(known.configuration))
	get(pathPasskeys, a.lasting(func() any { return relatedOrigins{append([]string{}, s.PasskeyOrigins...)} }))
	get(pathResource, http.HandlerFunc(known.resource))
	get(pathResource+pathExecute, http.HandlerFunc(known.resource))
	get(pathResource+pathPerson, http.HandlerFunc(known.resource))
	// Load balancers may have any address.
	router.Handle("/health", only(a, &health{from: s.Health, answers: a, logger: s.Logger}, http.MethodGet, http.MethodHead))
	if s.Metrics.Page != nil {
		get("/metrics", &metrics{Metrics: s.Metrics, execution: execute})
	}
	for path, page := range s.Pages {
		get(path, s.preferSite(page))
	}
	if s.Site != nil {
		for _, page := range []string{pathAuthorize, pathLogout} {
			router.Handle(page, s.guarded(a, &postedRequest{page: page, answers: a, maxBody: execute.maxBody})).Methods(http.MethodPost)
		}
	}
	for _, path := range s.SitePaths {
		router.Handle(path, s.guarded(a, s.Site))
		router.PathPrefix(path + "/").Handler(s.guarded(a, s.Site))
	}
	router.NotFoundHandler = s.guarded(a, s.preferSite(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.refuse(w, r, "", fault.New(fault.NotFound, "unknown path"))
	})))
	return paths{router}
}

// preferSite returns a handler that serves browsers by the site, and other clients by
// programs.
func (s *Server) preferSite(programs http.Handler) http.Handler {
	if s.Site == nil {
		return programs
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("Vary", "Accept")
		if (r.Method == http.MethodGet || r.Method == http.MethodHead) && prefersPage(r) {
			s.Site.ServeHTTP(w, r)
			return
		}
		programs.ServeHTTP(w, r)
	})
}

// paths routes requests. The router's own ServeHTTP copies a request twice to attach
// the match, which only paths with variables need: without, a command call takes 15
// allocations of 440 bytes instead of 19 of 1,177 (BenchmarkExecute).
type paths struct{ router *mux.Router }

func (p paths) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var match mux.RouteMatch
	p.router.Match(r, &match) // always matches, at least NotFoundHandler
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

// only rejects other methods with 405 and Allow.
func only(a *answers, next http.Handler, methods ...string) http.Handler {
	allow := strings.Join(methods, ", ")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if slices.Contains(methods, r.Method) {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Allow", allow)
		a.send(w, r, http.StatusMethodNotAllowed, inbound.Reply{
			Failure: fault.New(fault.Validation, "method not allowed: use "+allow),
		})
	})
}

package httpapi

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/gorilla/mux"

	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/social"
	"gatehouse.internal/ports/inbound"
	"gatehouse.internal/ports/outbound"
)

// The commands behind the paths of social logins.
const (
	beginSocial  = "SOCIAL.AUTH_URL"
	finishSocial = "SOCIAL.CALLBACK"
)

// Social are the two paths by which a browser logs in at a provider (specification
// section 4.4). The first binds the login to the browser by a cookie, which holds
// nothing but a number that nobody else has.
type Social struct {
	Returns inbound.SocialReturns
	Random  outbound.Random
}

// socialPath is where a login at a provider begins; it comes back below it.
const socialPath = "/api/auth/social/"

// socialRoutes returns the handlers by their paths.
func (s *Server) socialRoutes(e *execution) map[string]http.Handler {
	if s.Social == nil {
		return nil
	}
	var names []string
	for _, p := range social.Providers() {
		names = append(names, string(p))
	}
	path := socialPath + "{provider:" + strings.Join(names, "|") + "}"
	issuer := s.Discovery.Issuer()
	shared := socialLogin{execution: e, Social: *s.Social, browsers: browsersOf(issuer), issuer: issuer}
	return map[string]http.Handler{path: &socialStart{shared}, path + "/callback": &socialReturn{shared}}
}

// socialLogin is what both paths have in common.
type socialLogin struct {
	*execution
	Social

	browsers browsers
	issuer   string
}

// browsers distinguishes browsers that log in at a provider, by a cookie.
type browsers struct {
	cookie string
	secure bool
}

// browsersOf returns the cookie of a service. On https its prefix keeps other hosts of
// the domain from setting it (RFC 6265bis section 4.1.3.2).
func browsersOf(issuer string) browsers {
	const name = "gatehouse-social"
	if strings.HasPrefix(issuer, "https://") {
		return browsers{cookie: "__Host-" + name, secure: true}
	}
	return browsers{cookie: name}
}

// of returns what the cookie holds, or "".
func (b browsers) of(r *http.Request) string {
	held, err := r.Cookie(b.cookie)
	if err != nil {
		return ""
	}
	return held.Value
}

// bindLife is how long a browser keeps the cookie, in seconds: that of the state.
const bindLife = 600

// bind sets a cookie of the browser, or the one that it has for longer: what it has
// begun in another tab goes on. It returns what the cookie holds.
func (b browsers) bind(w http.ResponseWriter, r *http.Request, random outbound.Random) string {
	held := b.of(r)
	if fresh, _ := challenge.NewHandle(random); len(held) != len(fresh) {
		held = string(fresh)
	}
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // Secure is set where the service is reached by https
		Name: b.cookie, Value: held, Path: "/", MaxAge: bindLife, HttpOnly: true,
		SameSite: http.SameSiteLaxMode, Secure: b.secure,
	})
	return held
}

// callback is where a provider sends browsers back to.
func (s socialLogin) callback(provider string) string {
	return s.issuer + socialPath + provider + "/callback"
}

// run executes a command for a browser, which sends no credential by these paths.
func (s socialLogin) run(w http.ResponseWriter, r *http.Request, browser string, call inbound.Request) inbound.Reply {
	call.Method, call.Path, call.Browser = r.Method, r.URL.EscapedPath(), browser
	call.IP, call.UserAgent, call.RequestID = s.clients.client(r), userAgent(r), requestID(w)
	reply := s.commands.Execute(r.Context(), call)
	reply.Command = call.Command
	return reply
}

// answer writes the envelope of a reply.
func (s socialLogin) answer(w http.ResponseWriter, r *http.Request, reply inbound.Reply) {
	code := http.StatusOK
	if reply.Failure != nil {
		code = inbound.Status(reply.Failure.Code)
	}
	s.answers.send(w, r, code, reply)
}

// socialStart is GET /api/auth/social/<provider>.
type socialStart struct{ socialLogin }

func (s *socialStart) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	query, refused := parseForm([]byte(r.URL.RawQuery))
	if refused != nil {
		s.answers.refuse(w, r, beginSocial, refused)
		return
	}
	provider := mux.Vars(r)["provider"]
	back := query["redirect_uri"]
	if back == "" {
		back = s.callback(provider)
	}
	browser := s.browsers.bind(w, r, s.Random)
	reply := s.run(w, r, browser, inbound.Request{
		Command: beginSocial, Params: object(nil).text("provider", provider).text("redirect_uri", back).text("invitation_token", query["invitation_token"]).end(),
	})
	var begun struct {
		URL string `json:"url"`
	}
	if reply.Failure == nil {
		if err := json.Unmarshal(reply.Data, &begun); err != nil {
			reply.Failure = fault.From(err)
		}
	}
	if reply.Failure != nil {
		s.answer(w, r, reply)
		return
	}
	send(w, begun.URL)
}

// send sends a browser on.
func send(w http.ResponseWriter, to string) {
	w.Header().Set("Location", to)
	w.WriteHeader(http.StatusFound)
}

// socialReturn is GET /api/auth/social/<provider>/callback. What leads nowhere any
// more is refused with an envelope, or for a person at a page (lost).
type socialReturn struct{ socialLogin }

func (s *socialReturn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	query, refused := parseForm([]byte(r.URL.RawQuery))
	if refused != nil {
		s.answers.refuse(w, r, finishSocial, refused)
		return
	}
	provider, browser := mux.Vars(r)["provider"], s.browsers.of(r)
	landed, err := s.Returns.Land(r.Context(), inbound.SocialLanding{
		Provider: provider, State: secret.New(query["state"]), Code: secret.New(query["code"]), Error: query["error"], Browser: browser,
	})
	switch {
	case lost(r, err):
		s.tell(w, provider)
	case err != nil:
		s.answers.refuse(w, r, finishSocial, fault.From(err))
	case !landed.Here:
		s.forward(w, r, landed)
	case landed.Refused != nil:
		s.answers.refuse(w, r, finishSocial, landed.Refused)
	default:
		s.finish(w, r, browser, landed)
	}
}

// finish ends a login that was begun for no page.
func (s *socialReturn) finish(w http.ResponseWriter, r *http.Request, browser string, landed inbound.SocialLanded) {
	provider := mux.Vars(r)["provider"]
	reply := s.run(w, r, browser, inbound.Request{Command: finishSocial, Params: object(nil).
		text("provider", provider).text("code", string(landed.Code)).text("redirect_uri", landed.RedirectURI).end()})
	if reply.Failure != nil && lost(r, reply.Failure) {
		s.tell(w, provider)
		return
	}
	s.answer(w, r, reply)
}

// lost reports whether somebody came back in a browser from a login that ended while
// they were away, or whose provider was switched off: there is no page of an
// application to tell them so.
func lost(r *http.Request, err error) bool {
	return (errors.Is(err, challenge.ErrGone) || errors.Is(err, social.ErrOff)) && prefersPage(r)
}

// tell sends a browser to the page for logins that did not work. Nothing that it
// came with goes there.
func (s *socialReturn) tell(w http.ResponseWriter, provider string) {
	w.Header().Set("Location", s.issuer+"/login/social/"+provider+"/done")
	w.WriteHeader(http.StatusSeeOther)
}

// forward sends the browser to the page that the login was begun for, as an
// authorization server does (RFC 6749 sections 4.1.2 and 4.1.2.1).
func (s *socialReturn) forward(w http.ResponseWriter, r *http.Request, landed inbound.SocialLanded) {
	to, err := url.Parse(landed.RedirectURI)
	if err != nil {
		s.answers.refuse(w, r, finishSocial, fault.From(err))
		return
	}
	outcome := url.Values{"state": {string(landed.State)}}
	if landed.Refused != nil {
		word, description, _ := strings.Cut(landed.Refused.Message, ": ")
		outcome.Set("error", word)
		outcome.Set("error_description", description)
	} else {
		outcome.Set("code", string(landed.Code))
	}
	if to.RawQuery != "" {
		to.RawQuery += "&"
	}
	to.RawQuery += outcome.Encode()
	send(w, to.String())
}

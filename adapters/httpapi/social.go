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

// Commands of social logins.
const (
	beginSocial  = "SOCIAL.AUTH_URL"
	finishSocial = "SOCIAL.CALLBACK"
)

// Social configures the two paths of social logins in browsers (specification section
// 4.4). The first one binds the login to the browser by a cookie with a random value.
type Social struct {
	Returns inbound.SocialReturns
	Random  outbound.Random
}

// socialPath is the prefix of the paths.
const socialPath = "/api/auth/social/"

// socialRoutes returns the handlers by path.
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

// socialLogin is shared by both handlers.
type socialLogin struct {
	*execution
	Social

	browsers browsers
	issuer   string
}

// browsers manages the cookie that binds a login to a browser.
type browsers struct {
	cookie string
	secure bool
}

// browsersOf returns the cookie of a service. Under https it has the prefix __Host-, so
// that other hosts of the domain cannot set it (RFC 6265bis section 4.1.3.2).
func browsersOf(issuer string) browsers {
	const name = "gatehouse-social"
	if strings.HasPrefix(issuer, "https://") {
		return browsers{cookie: "__Host-" + name, secure: true}
	}
	return browsers{cookie: name}
}

// of returns the value of the cookie, or "".
func (b browsers) of(r *http.Request) string {
	held, err := r.Cookie(b.cookie)
	if err != nil {
		return ""
	}
	return held.Value
}

// bindLife is the lifetime of the cookie, in seconds: that of the state.
const bindLife = 600

// bind sets the cookie and returns its value. An existing value is kept and its
// lifetime extended, so that logins pending in other tabs stay valid.
func (b browsers) bind(w http.ResponseWriter, r *http.Request, random outbound.Random) string {
	held := b.of(r)
	if fresh, _ := challenge.NewHandle(random); len(held) != len(fresh) {
		held = string(fresh)
	}
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // Secure is set under https
		Name: b.cookie, Value: held, Path: "/", MaxAge: bindLife, HttpOnly: true,
		SameSite: http.SameSiteLaxMode, Secure: b.secure,
	})
	return held
}

// callback returns the redirect address registered at a provider.
func (s socialLogin) callback(provider string) string {
	return s.issuer + socialPath + provider + "/callback"
}

// run executes a command without credentials for a browser.
func (s socialLogin) run(w http.ResponseWriter, r *http.Request, browser string, call inbound.Request) inbound.Reply {
	call.Method, call.Path, call.Browser = r.Method, r.URL.EscapedPath(), browser
	call.IP, call.UserAgent, call.RequestID = s.clients.client(r), userAgent(r), requestID(w)
	reply := s.commands.Execute(r.Context(), call)
	reply.Command = call.Command
	return reply
}

// socialStart serves GET /api/auth/social/<provider>.
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
		s.answers.answer(w, r, reply)
		return
	}
	send(w, begun.URL)
}

// send redirects with 302.
func send(w http.ResponseWriter, to string) {
	w.Header().Set("Location", to)
	w.WriteHeader(http.StatusFound)
}

// socialReturn serves GET /api/auth/social/<provider>/callback. An invalid request is
// answered with an envelope, or for a browser with a page (abandoned).
type socialReturn struct{ socialLogin }

func (s *socialReturn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	query, refused := parseForm([]byte(r.URL.RawQuery))
	if refused != nil {
		s.answers.refuse(w, r, finishSocial, refused)
		return
	}
	provider, browser := mux.Vars(r)["provider"], s.browsers.of(r)
	landed, err := s.Returns.Land(r.Context(), inbound.SocialCallback{
		Provider: provider, State: secret.New(query["state"]), Code: secret.New(query["code"]), Error: query["error"], Browser: browser,
	})
	switch {
	case abandoned(r, err):
		s.redirectToFailure(w, provider)
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

// finish completes a login that has no redirect address.
func (s *socialReturn) finish(w http.ResponseWriter, r *http.Request, browser string, landed inbound.SocialRedirect) {
	provider := mux.Vars(r)["provider"]
	reply := s.run(w, r, browser, inbound.Request{Command: finishSocial, Params: object(nil).
		text("provider", provider).text("code", string(landed.Code)).text("redirect_uri", landed.RedirectURI).end()})
	if reply.Failure != nil && abandoned(r, reply.Failure) {
		s.redirectToFailure(w, provider)
		return
	}
	s.answers.answer(w, r, reply)
}

// abandoned reports whether a browser returned after the login had expired, or the provider
// was disabled, so that no application can show the error.
func abandoned(r *http.Request, err error) bool {
	return (errors.Is(err, challenge.ErrGone) || errors.Is(err, social.ErrOff)) && prefersPage(r)
}

// redirectToFailure redirects to the page for failed logins, without the parameters of the request.
func (s *socialReturn) redirectToFailure(w http.ResponseWriter, provider string) {
	w.Header().Set("Location", s.issuer+"/login/social/"+provider+"/done")
	w.WriteHeader(http.StatusSeeOther)
}

// forward redirects to the address of the login, with the parameters of an
// authorization response (RFC 6749 sections 4.1.2 and 4.1.2.1).
func (s *socialReturn) forward(w http.ResponseWriter, r *http.Request, landed inbound.SocialRedirect) {
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

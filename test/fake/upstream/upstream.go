// Package upstream is google, github and discord on the loopback interface, for
// tests: each asks for what the real one asks for, and answers as it does. It can
// be told to misbehave.
package upstream

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// The names of the providers.
const (
	Google  = "google"
	GitHub  = "github"
	Discord = "discord"
)

// Names lists them.
func Names() []string { return []string{Google, GitHub, Discord} }

// Person is who is logged in at a provider.
type Person struct {
	// ID is a number in decimal, as all three providers have them.
	ID       string
	Email    string
	Verified bool
	Name     string
	Avatar   string
}

// Switches make a provider misbehave; the zero value behaves.
type Switches struct {
	// Down breaks every connection off.
	Down bool
	// Slow answers nothing until the client leaves.
	Slow bool
	// Meanwhile is done before anything is answered.
	Meanwhile func()
	// Declined has the person refuse.
	Declined bool
	// Scopes are granted instead of those asked for.
	Scopes []string
	// Token and Profile are answered by the token endpoint and the profile instead
	// of the truth, with status 200; Emails by github's list of addresses.
	Token, Profile, Emails string
	// Elsewhere has the API redirect to another address.
	Elsewhere string
	// Status is answered by the API instead of 200.
	Status int
	// Life is how long access tokens live, in seconds; 0: one hour.
	Life int
	// Revoked takes no refresh token any more.
	Revoked bool
}

// Server is a running provider.
type Server struct {
	Name string
	// URL is where it is: the value of <PROVIDER>_BASE_URL.
	URL string
	// ClientID and Secret are those of the one client it knows.
	ClientID, Secret string

	http  *httptest.Server
	ended chan struct{}
	t     testing.TB

	mu       sync.Mutex
	person   Person
	switches Switches
	codes    map[string]grant
	tokens   map[string]grant
	refresh  map[string]grant
	made     int
	asked    []string
}

// grant is what a code or token stands for.
type grant struct {
	person      Person
	redirectURI string
	challenge   string
	scopes      []string
}

// Start starts a provider. It ends with the test.
func Start(t testing.TB, name string) *Server {
	t.Helper()
	s := &Server{
		Name: name, ClientID: "client-of-" + name, Secret: "secret of " + name + " & co", t: t, ended: make(chan struct{}),
		person: Person{ID: "1001", Email: "ada@example.com", Verified: true, Name: "Ada Lovelace", Avatar: "https://images.example.com/ada.png"},
		codes:  map[string]grant{}, tokens: map[string]grant{}, refresh: map[string]grant{},
	}
	s.http = httptest.NewServer(s.misbehaving(s.routes()))
	s.URL = s.http.URL
	t.Cleanup(func() {
		close(s.ended)
		s.http.CloseClientConnections()
		s.http.Close()
	})
	return s
}

// StartAll starts the three.
func StartAll(t testing.TB) map[string]*Server {
	t.Helper()
	all := map[string]*Server{}
	for _, name := range Names() {
		all[name] = Start(t, name)
	}
	return all
}

// Environment returns the variables, as NAME=value, by which a development instance
// finds the provider and is its client.
func (s *Server) Environment() []string {
	prefix := strings.ToUpper(s.Name)
	return []string{prefix + "_CLIENT_ID=" + s.ClientID, prefix + "_CLIENT_SECRET=" + s.Secret, prefix + "_BASE_URL=" + s.URL}
}

// Environment returns the variables of all the servers.
func Environment(all map[string]*Server) []string {
	var variables []string
	for _, name := range Names() {
		if s := all[name]; s != nil {
			variables = append(variables, s.Environment()...)
		}
	}
	return variables
}

// Be logs a person in; who logs in from now on is that one.
func (s *Server) Be(p Person) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.person = p
}

// Switch makes the provider misbehave, or behave again.
func (s *Server) Switch(to Switches) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.switches = to
}

// Asked lists the paths that were asked for so far.
func (s *Server) Asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.asked...)
}

// Revoke ends every token that was given out.
func (s *Server) Revoke() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.tokens)
}

func (s *Server) now() Switches {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.switches
}

// misbehaving does what the switches say before anything else.
func (s *Server) misbehaving(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asked = append(s.asked, r.URL.Path)
		s.mu.Unlock()
		if strings.Contains(r.URL.RawQuery, "access_token") {
			s.t.Error("an access token stands in the address")
		}
		now := s.now()
		if now.Meanwhile != nil {
			now.Meanwhile()
		}
		switch {
		case now.Down:
			panic(http.ErrAbortHandler)
		case now.Slow:
			s.hang(r)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// hang waits for the client to leave, or for the end of the test. That a client
// left is noticed only once its body was read.
func (s *Server) hang(r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	select {
	case <-r.Context().Done():
	case <-s.ended:
	}
}

// routes are the paths of the provider, as the real one has them.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	switch s.Name {
	case Google:
		mux.HandleFunc("GET /o/oauth2/auth", s.authorize)
		mux.HandleFunc("POST /token", s.token)
		mux.HandleFunc("GET /oauth2/v2/userinfo", s.profile(googleProfile))
	case GitHub:
		mux.HandleFunc("GET /login/oauth/authorize", s.authorize)
		mux.HandleFunc("POST /login/oauth/access_token", s.token)
		mux.HandleFunc("GET /user", s.profile(githubProfile))
		mux.HandleFunc("GET /user/emails", s.emails)
	case Discord:
		mux.HandleFunc("GET /api/oauth2/authorize", s.authorize)
		mux.HandleFunc("POST /api/oauth2/token", s.token)
		mux.HandleFunc("GET /api/users/@me", s.profile(discordProfile))
	default:
		s.t.Fatalf("there is no provider %q", s.Name)
	}
	return mux
}

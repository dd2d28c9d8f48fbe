package upstream

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// authorize is the page of the provider: the person, who is logged in there,
// consents at once, or declines.
func (s *Server) authorize(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	back, err := url.Parse(query.Get("redirect_uri"))
	switch {
	case query.Get("client_id") != s.ClientID || query.Get("response_type") != "code":
		http.Error(w, "this is no request of a client that is known", http.StatusBadRequest)
		return
	case err != nil || back.Scheme == "" || query.Get("state") == "":
		http.Error(w, "redirect_uri or state is missing", http.StatusBadRequest)
		return
	case query.Get("code_challenge") == "" || query.Get("code_challenge_method") != "S256":
		http.Error(w, "the request has no PKCE challenge", http.StatusBadRequest)
		return
	}
	answer := back.Query()
	answer.Set("state", query.Get("state"))
	if s.now().Declined {
		answer.Set("error", "access_denied")
		answer.Set("error_description", "<b>The user has denied your application access.</b>")
	} else {
		answer.Set("code", s.code(query))
	}
	if s.Name == Google {
		answer.Set("scope", query.Get("scope"))
		answer.Set("authuser", "0")
	}
	back.RawQuery = answer.Encode()
	http.Redirect(w, r, back.String(), http.StatusFound)
}

// code returns a code for what an authorization request asks for.
func (s *Server) code(query url.Values) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	scopes := strings.Fields(query.Get("scope"))
	if s.switches.Scopes != nil {
		scopes = s.switches.Scopes
	}
	code := s.mint("code")
	s.codes[code] = grant{
		person: s.person, redirectURI: query.Get("redirect_uri"), challenge: query.Get("code_challenge"), scopes: scopes,
	}
	return code
}

// mint makes a text that was never made before. The lock is held.
func (s *Server) mint(kind string) string {
	s.made++
	return fmt.Sprintf("%s-%s-%d", s.Name, kind, s.made)
}

// token is the token endpoint.
func (s *Server) token(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		http.Error(w, "no form", http.StatusBadRequest)
		return
	}
	form := r.PostForm
	now := s.now()
	switch {
	case now.Token != "":
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, now.Token)
	case form.Get("client_id") != s.ClientID || form.Get("client_secret") != s.Secret:
		s.refuse(w, "invalid_client", http.StatusUnauthorized)
	case form.Get("grant_type") == "refresh_token" && s.Name != GitHub:
		s.answer(w, s.take(s.refresh, form.Get("refresh_token"), !now.Revoked))
	case form.Get("grant_type") == "authorization_code":
		s.answer(w, s.redeem(form))
	default:
		s.refuse(w, "unsupported_grant_type", http.StatusBadRequest)
	}
}

// take uses something up.
func (s *Server) take(from map[string]grant, key string, good bool) *grant {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, ok := from[key]
	delete(from, key)
	if !ok || !good {
		return nil
	}
	return &found
}

// redeem uses a code up, for whoever knows what it was asked for with.
func (s *Server) redeem(form url.Values) *grant {
	found := s.take(s.codes, form.Get("code"), true)
	digest := sha256.Sum256([]byte(form.Get("code_verifier")))
	if found == nil || found.redirectURI != form.Get("redirect_uri") || found.challenge != base64.RawURLEncoding.EncodeToString(digest[:]) {
		return nil
	}
	return found
}

// refuse answers an error; github does so with status 200.
func (s *Server) refuse(w http.ResponseWriter, word string, status int) {
	w.Header().Set("Content-Type", "application/json")
	if s.Name == GitHub {
		status = http.StatusOK
		word = map[string]string{"invalid_grant": "bad_verification_code", "invalid_client": "incorrect_client_credentials"}[word]
	}
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": word, "error_description": "no"})
}

// answer returns tokens. github answers a form, and tokens that do not end.
func (s *Server) answer(w http.ResponseWriter, found *grant) {
	if found == nil {
		s.refuse(w, "invalid_grant", http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	access, refresh := s.mint("access"), s.mint("refresh")
	s.tokens[access] = *found
	life := s.switches.Life
	if s.Name != GitHub {
		s.refresh[refresh] = *found
	}
	s.mu.Unlock()
	if s.Name == GitHub {
		w.Header().Set("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")
		_, _ = io.WriteString(w, url.Values{"access_token": {access}, "scope": {strings.Join(found.scopes, ",")}, "token_type": {"bearer"}}.Encode())
		return
	}
	if life == 0 {
		life = 3600
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{
		"access_token": access, "refresh_token": refresh, "expires_in": life, "scope": strings.Join(found.scopes, " "), "token_type": "Bearer",
	})
}

// bearer returns what the access token of a request stands for.
func (s *Server) bearer(r *http.Request) (grant, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, ok := s.tokens[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
	return found, ok
}

// may reports whether a grant has one of these scopes.
func (g grant) may(scopes ...string) bool {
	return slices.ContainsFunc(scopes, func(scope string) bool { return slices.Contains(g.scopes, scope) })
}

package upstream

import (
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// profile is the API that tells who an access token is of.
func (s *Server) profile(written func(grant) map[string]any) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.api(w, r, s.now().Profile, func(g grant) any { return written(g) })
	}
}

// api answers a request that has a token, unless the switches say otherwise.
func (s *Server) api(w http.ResponseWriter, r *http.Request, lie string, truth func(grant) any) {
	held, ok := s.bearer(r)
	now := s.now()
	switch {
	case now.Elsewhere != "":
		http.Redirect(w, r, now.Elsewhere, http.StatusFound)
	case now.Status != 0:
		http.Error(w, "no", now.Status)
	case !ok:
		http.Error(w, `{"message":"Bad credentials"}`, http.StatusUnauthorized)
	case lie != "":
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, lie)
	default:
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(truth(held))
	}
}

func googleProfile(g grant) map[string]any {
	p := map[string]any{"id": g.person.ID}
	if g.may("email") {
		p["email"], p["verified_email"] = g.person.Email, g.person.Verified
	}
	if g.may("profile") {
		first, last, _ := strings.Cut(g.person.Name, " ")
		p["name"], p["given_name"], p["family_name"], p["picture"] = g.person.Name, first, last, g.person.Avatar
	}
	return p
}

// githubProfile hides the address, as most people there do.
func githubProfile(g grant) map[string]any {
	number, _ := strconv.Atoi(g.person.ID)
	return map[string]any{
		"id": number, "login": strings.ToLower(strings.ReplaceAll(g.person.Name, " ", "-")), "name": g.person.Name,
		"avatar_url": g.person.Avatar, "email": nil, "bio": nil, "location": nil, "two_factor_authentication": true,
	}
}

// emails is github's list of addresses, the primary one last.
func (s *Server) emails(w http.ResponseWriter, r *http.Request) {
	if held, ok := s.bearer(r); ok && !held.may("user", "user:email") {
		http.Error(w, `{"message":"Not Found"}`, http.StatusNotFound)
		return
	}
	s.api(w, r, s.now().Emails, func(g grant) any {
		listed := []map[string]any{{"email": "old+" + g.person.ID + "@example.org", "primary": false, "verified": true, "visibility": nil}}
		if g.person.Email != "" {
			listed = append(listed, map[string]any{"email": g.person.Email, "primary": true, "verified": g.person.Verified, "visibility": "private"})
		}
		return listed
	})
}

// discordProfile returns the address for the scope email alone, and null without one.
func discordProfile(g grant) map[string]any {
	p := map[string]any{
		"id": g.person.ID, "username": strings.ToLower(strings.ReplaceAll(g.person.Name, " ", "")), "global_name": g.person.Name,
		"avatar": "a1b2c3", "discriminator": "0", "mfa_enabled": false,
	}
	if g.may("email") {
		p["verified"] = g.person.Verified
		if p["email"] = any(g.person.Email); g.person.Email == "" {
			p["email"] = nil
		}
	}
	return p
}

package oauth

import (
	"encoding/json"
	"slices"
)

// Claims are the supported individual claims of a request (OpenID Connect Core section
// 5.5).
type Claims struct {
	// UserInfo are returned by the UserInfo endpoint, IDToken in ID tokens.
	UserInfo []string `json:"userinfo,omitempty"`
	IDToken  []string `json:"id_token,omitempty"`
}

// ScopeOf returns the scope that requests a claim about a person (OpenID Connect Core section
// 5.4); empty for any other claim.
func ScopeOf(claim string) string {
	switch claim {
	case "name", "preferred_username", "given_name", "family_name", "picture", "locale", "zoneinfo", "updated_at":
		return Profile
	case "email", "email_verified":
		return Email
	case "org_id":
		return Org
	case "roles":
		return Roles
	case "groups":
		return Groups
	}
	return ""
}

// ReadClaims parses the result of Text.
func ReadClaims(text string) Claims {
	var c Claims
	if text != "" {
		_ = json.Unmarshal([]byte(text), &c) // what this service wrote
	}
	return c
}

// Text returns the form in which the claims are stored; empty for none.
func (c Claims) Text() string {
	if len(c.UserInfo)+len(c.IDToken) == 0 {
		return ""
	}
	text, _ := json.Marshal(c) // lists of texts always have a JSON form
	return string(text)
}

// Scopes returns the scopes that request the claims, sorted.
func (c Claims) Scopes() []string {
	var scopes []string
	for _, claim := range slices.Concat(c.UserInfo, c.IDToken) {
		scopes = append(scopes, ScopeOf(claim))
	}
	slices.Sort(scopes)
	return slices.Compact(scopes)
}

// TellPlace reports whether the claims, or those of scopes, tell about the person's place
// in a workspace.
func (c Claims) TellPlace(scopes []string) bool {
	of := func(scope string) bool { return scope == Roles || scope == Groups }
	return slices.ContainsFunc(scopes, of) || slices.ContainsFunc(c.Scopes(), of)
}

// Within returns the claims that are requested by some of the scopes.
func (c Claims) Within(scopes []string) Claims {
	beyond := func(claim string) bool { return !slices.Contains(scopes, ScopeOf(claim)) }
	return Claims{
		UserInfo: slices.DeleteFunc(slices.Clone(c.UserInfo), beyond),
		IDToken:  slices.DeleteFunc(slices.Clone(c.IDToken), beyond),
	}
}

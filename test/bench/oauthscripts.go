package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/url"
)

const (
	// verifier is the code_verifier of all authorizations (RFC 7636 section 4.1).
	verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

	authorizePath = "/oauth/authorize"
	tokenPath     = "/oauth/token"
	inspectPath   = "/oauth/introspect"
	personPath    = "/oauth/userinfo"
)

func pkceChallenge() string {
	sum := sha256.Sum256([]byte(verifier))
	return base64url(sum[:])
}

// authorizing signs people in to clients: every other request is that of a browser, with the
// person signed in and their consent given, the next one that of the client, which exchanges
// the code.
type authorizing struct {
	people  []authorization
	at      int
	code    string
	request []byte
}

// authorization is what a browser asks for, and how the client authenticates for whom it does.
type authorization struct {
	asked []byte
	basic string
}

func authorizingAll(c *contest) func(int) script {
	all := make([]authorization, len(c.i.sessions))
	for n, h := range c.i.sessions {
		by := c.i.grants.clients[h.user%clientCount]
		asked := url.Values{
			"client_id": {by.slug}, "redirect_uri": {callback}, "response_type": {"code"}, "scope": {"openid profile offline_access"},
			"state": {"af0ifjsldkj"}, "nonce": {"n-0S6_WzA2Mj"}, "code_challenge": {pkceChallenge()}, "code_challenge_method": {"S256"},
		}
		all[n] = authorization{get(authorizePath+"?"+asked.Encode(), "Cookie: "+c.i.cookie(h)), by.basic()}
	}
	return func(connection int) script { return &authorizing{people: share(all, connection, c.connections)} }
}

func (a *authorizing) next() []byte {
	if a.code == "" {
		a.at = (a.at + 1) % len(a.people)
		return a.people[a.at].asked
	}
	a.request = sendForm(a.request[:0], tokenPath, "grant_type=authorization_code&code="+a.code+
		"&redirect_uri="+url.QueryEscape(callback)+"&code_verifier="+verifier, a.people[a.at].basic)
	return a.request
}

// heard reads the code out of the page that a redirect comes with.
func (a *authorizing) heard(status int, body []byte) error {
	if a.code != "" {
		a.code = ""
		return expect(200, status, body)
	}
	if err := expect(303, status, body); err != nil {
		return err
	}
	_, after, found := bytes.Cut(body, []byte("?code="))
	code, _, ended := bytes.Cut(after, []byte("&amp;"))
	if !found || !ended {
		return fmt.Errorf("no code in %.300s", body)
	}
	a.code = string(code)
	return nil
}

// renewing has clients refresh in turn, each time by the token got last.
type renewing struct {
	grants  []*grant
	at      int
	request []byte
}

func renewingAll(c *contest) func(int) script {
	return func(connection int) script {
		return &renewing{grants: share(c.i.grants.sample, connection, c.connections)}
	}
}

func (r *renewing) next() []byte {
	r.at = (r.at + 1) % len(r.grants)
	g := r.grants[r.at]
	r.request = sendForm(r.request[:0], tokenPath, "grant_type=refresh_token&refresh_token="+g.refresh, g.basic)
	return r.request
}

func (r *renewing) heard(status int, body []byte) error { return r.grants[r.at].renewed(status, body) }

// informing asks who people are, by the tokens that clients have for them.
func informing(c *contest) func(int) script {
	var requests [][]byte
	for _, g := range c.i.grants.sample {
		requests = append(requests, get(personPath, "Authorization: Bearer "+g.access))
	}
	return func(connection int) script { return &repeat{requests: requests, want: 200, at: 31 * connection} }
}

// inspectingPeople has clients ask about the tokens that they have for people.
func inspectingPeople(c *contest) func(int) script {
	var requests [][]byte
	for _, g := range c.i.grants.sample {
		requests = append(requests, sendForm(nil, inspectPath, "token="+g.access, g.basic))
	}
	return func(connection int) script { return &inspecting{repeat{requests: requests, at: 31 * connection}} }
}

package httpapi

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/ports/inbound"
)

// credentialsIn appends the client's credentials to the parameters, and removes the
// Authorization header.
func credentialsIn(o object, sent form, to *inbound.Request) (object, *fault.Error) {
	client, refused := clientOf(sent, to.Authorization)
	if refused != nil {
		return nil, refused
	}
	to.Authorization = ""
	return o.
		text("client_id", client.id).
		text("client_secret", client.secret).
		text("client_assertion", sent["client_assertion"]).
		text("client_assertion_type", sent["client_assertion_type"]), nil
}

// tokens is the token endpoint (RFC 6749 section 3.2): M2M.TOKEN for the client
// credentials grant, and OAUTH.TOKEN for all others.
type tokens struct {
	grant

	// asRegistered holds clients to the authentication method that they registered.
	asRegistered bool
}

func (t tokens) request(sent form, to *inbound.Request) *fault.Error {
	if sent["grant_type"] == "" {
		return errNoGrant
	}
	if t.asRegistered {
		to.ClientMethod = string(methodOf(sent, to.Authorization))
	}
	if sent["grant_type"] == clientCredentials {
		to.Command = "M2M.TOKEN"
		return grant{}.request(sent, to)
	}
	to.Command = "OAUTH.TOKEN"
	params, refused := credentialsIn(nil, sent, to)
	if refused != nil {
		return refused
	}
	for _, name := range []string{
		"grant_type", "code", "redirect_uri", "code_verifier", "refresh_token", "device_code", "scope", "resource",
		"subject_token", "subject_token_type", "actor_token", "actor_token_type", "requested_token_type", "audience",
	} {
		params = params.text(name, sent[name])
	}
	to.Params = params.end()
	return nil
}

// result returns only the members defined by OAuth.
func (tokens) result(data []byte) ([]byte, error) {
	var issued struct {
		AccessToken  string `json:"access_token"`
		TokenType    string `json:"token_type"`
		ExpiresIn    int64  `json:"expires_in"`
		RefreshToken string `json:"refresh_token,omitempty"`
		IDToken      string `json:"id_token,omitempty"`
		IssuedType   string `json:"issued_token_type,omitempty"`
		Scope        string `json:"scope,omitempty"`
	}
	if err := json.Unmarshal(data, &issued); err != nil {
		return nil, fmt.Errorf("read issued tokens: %w", err)
	}
	return json.Marshal(issued)
}

// pushedAuthorization is the pushed authorization request endpoint (RFC 9126).
type pushedAuthorization struct{ grant }

func (pushedAuthorization) request(sent form, to *inbound.Request) *fault.Error {
	if sent["request_uri"] != "" {
		return errPushed
	}
	params, refused := credentialsIn(nil, sent, to)
	if refused != nil {
		return refused
	}
	to.Params = authorizationParams(params, func(name string) string { return sent[name] }).end()
	return nil
}

var errPushed = fault.New(fault.Validation, "invalid_request: request_uri is not allowed in a pushed authorization request")

// authorizationParams appends the parameters of an authorization request; missing ones are omitted.
func authorizationParams(params object, sent func(name string) string) object {
	for _, name := range []string{
		"redirect_uri", "response_type", "response_mode", "scope", "state", "nonce", "code_challenge", "code_challenge_method", "resource",
		"prompt", "login_hint", "acr_values", "claims", "ui_locales", "request", "dpop_jkt",
	} {
		params = params.text(name, sent(name))
	}
	return params.number("max_age", sent("max_age"))
}

func (pushedAuthorization) result(data []byte) ([]byte, error) { return data, nil }

// status returns 201 (RFC 9126 section 2.2).
func (pushedAuthorization) status() int { return http.StatusCreated }

// deviceAuthorization is the device authorization endpoint (RFC 8628 section 3.1).
type deviceAuthorization struct{ grant }

func (deviceAuthorization) request(sent form, to *inbound.Request) *fault.Error {
	params, refused := credentialsIn(nil, sent, to)
	if refused != nil {
		return refused
	}
	for _, name := range []string{"scope", "resource", "nonce"} {
		params = params.text(name, sent[name])
	}
	to.Params = params.end()
	return nil
}

func (deviceAuthorization) result(data []byte) ([]byte, error) { return data, nil }

// userInfo is the UserInfo endpoint (OpenID Connect Core section 5.3). The token may also
// be in the form of a POST (RFC 6750 section 2.2).
type userInfo struct{ revocation }

func (userInfo) request(sent form, to *inbound.Request) *fault.Error {
	if token := sent["access_token"]; token != "" {
		if to.Authorization != "" {
			return errTwoTokens
		}
		to.Authorization = "Bearer " + token
	}
	to.Params = object(nil).end()
	return nil
}

var errTwoTokens = fault.New(fault.Validation, "invalid_request: send the token only once, in the header or the body")

func (userInfo) result(data []byte) ([]byte, error) {
	var found struct {
		Subject jsontext.Value            `json:"sub"`
		Claims  map[string]jsontext.Value `json:"claims"`
		Custom  map[string]jsontext.Value `json:"custom_claims"`
	}
	if err := json.Unmarshal(data, &found); err != nil {
		return nil, fmt.Errorf("read the claims of a user: %w", err)
	}
	claims := found.Claims
	if claims == nil {
		claims = map[string]jsontext.Value{}
	}
	maps.Copy(claims, found.Custom)
	claims["sub"] = found.Subject
	return json.Marshal(claims, json.Deterministic(true))
}

// postedRequest serves a POST to the authorization or logout endpoint (OpenID Connect
// Core section 3.1.2.1, RP-Initiated Logout 1.0 section 2), by a redirect to the same
// page with GET.
type postedRequest struct {
	page    string
	answers *answers
	maxBody int64
}

func (p *postedRequest) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	borrowed := p.answers.buffers.borrow()
	defer p.answers.buffers.giveBack(borrowed)
	body, err := readBody(r, *borrowed, p.maxBody)
	*borrowed = body
	if err != nil {
		status, failure := unread(w, err)
		p.answers.send(w, r, status, inbound.Reply{Failure: failure})
		return
	}
	if !isForm(r.Header) || len(body) > longestRequest {
		p.answers.refuse(w, r, "", errRequest)
		return
	}
	sent, err := url.ParseQuery(string(body))
	if err != nil {
		p.answers.refuse(w, r, "", errForm)
		return
	}
	http.Redirect(w, r, p.page+"?"+sent.Encode(), http.StatusSeeOther) //nolint:gosec // to a page of ours
}

// longestRequest is the maximum size of parameters moved into an address, in bytes.
const longestRequest = 16 << 10

var errRequest = fault.New(fault.Validation, "invalid_request: send a form of at most 16 KiB, or use pushed authorization requests (RFC 9126)")

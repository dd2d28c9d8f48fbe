package oauth

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"gatehouse.internal/domain/app"
)

// Lifetimes of requests.
const (
	// PushedLife is how long a pushed request waits to be opened (RFC 9126 section 2.2).
	PushedLife = 90 * time.Second
	// AnswerLife is how long a request is stored for the answer of a person.
	AnswerLife = 30 * time.Minute
	// PageLife is how long a page that was left open continues a request. Later the client
	// is told to start again.
	PageLife = 24 * time.Hour
)

// Error codes of authorization responses (RFC 6749 section 4.1.2.1, OpenID Connect Core
// section 3.1.2.6).
const (
	InvalidRequest          = "invalid_request"
	UnauthorizedClient      = "unauthorized_client"
	AccessDenied            = "access_denied"
	TemporarilyUnavailable  = "temporarily_unavailable"
	UnsupportedResponseType = "unsupported_response_type"
	InvalidScope            = "invalid_scope"
	InvalidTarget           = "invalid_target"
	LoginRequired           = "login_required"
	ConsentRequired         = "consent_required"
	SelectionRequired       = "account_selection_required"
	RequestNotSupported     = "request_not_supported"
	InvalidRequestObject    = "invalid_request_object"
	InvalidRequestURI       = "invalid_request_uri"
	RequestURINotSupported  = "request_uri_not_supported"
	UnmetRequirements       = "unmet_authentication_requirements"
)

// Refusal is an error that goes back to the client.
type Refusal struct {
	Code string
	// Reason is for the developer of the client.
	Reason string
}

func (r *Refusal) Error() string { return r.Code + ": " + r.Reason }

// RefusalOf returns the refusal in an error, nil where there is none.
func RefusalOf(err error) *Refusal {
	var refusal *Refusal
	errors.As(err, &refusal)
	return refusal
}

// The ways in which an answer is sent.
const (
	ByQuery = "query"
	ByForm  = "form_post"
)

// Request is an authorization request (RFC 6749 section 4.1.1, OpenID Connect Core
// section 3.1.2.1). The zero value of a field is an absent parameter.
type Request struct {
	ClientID     string `json:"client_id"`
	ResponseType string `json:"response_type,omitzero"`
	ResponseMode string `json:"response_mode,omitzero"`
	RedirectURI  string `json:"redirect_uri,omitzero"`
	Scope        string `json:"scope,omitzero"`
	State        string `json:"state,omitzero"`
	Nonce        string `json:"nonce,omitzero"`
	Challenge    string `json:"code_challenge,omitzero"`
	Method       string `json:"code_challenge_method,omitzero"`
	Resource     string `json:"resource,omitzero"`
	Prompt       string `json:"prompt,omitzero"`
	// MaxAge is in seconds; nil is absent.
	MaxAge    *int   `json:"max_age,omitzero"`
	LoginHint string `json:"login_hint,omitzero"`
	// IDTokenHint identifies the person to be signed in.
	IDTokenHint string `json:"id_token_hint,omitzero"`
	ACRValues   string `json:"acr_values,omitzero"`
	Claims      string `json:"claims,omitzero"`
	Object      string `json:"request,omitzero"`
	JKT         string `json:"dpop_jkt,omitzero"`
	// Malformed is why parameters of the browser's request were left out; empty for none.
	Malformed Malformed `json:"malformed,omitzero"`
	// Pushed reports whether the request was pushed (RFC 9126).
	Pushed bool `json:"pushed,omitzero"`
}

// Prompts reports whether the request has a value of prompt.
func (r *Request) Prompts(value string) bool {
	return slices.Contains(strings.Fields(r.Prompt), value)
}

// Scopes returns the requested scopes, without duplicates.
func (r *Request) Scopes() []string {
	var asked []string
	for scope := range strings.FieldsSeq(r.Scope) {
		if !slices.Contains(asked, scope) {
			asked = append(asked, scope)
		}
	}
	return asked
}

// digestPattern is that of SHA-256 digests in base64url: challenges of S256, and thumbprints.
var digestPattern = regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`)

// Check validates the request for a client. It must be called after the client and the
// redirect address were verified, because the error may be sent there.
func (r *Request) Check(of app.Snapshot) *Refusal {
	if refusal := r.checkForm(); refusal != nil {
		return refusal
	}
	switch {
	case r.Object != "":
		return &Refusal{RequestNotSupported, "the request object must be signed with a key from the client's JWKS; otherwise send plain parameters"}
	case !of.May(app.AuthorizationCode):
		return &Refusal{UnauthorizedClient, "the app is not registered for the grant type authorization_code"}
	case r.RedirectURI == "" && of.Profile == app.FAPI2:
		return &Refusal{InvalidRequest, "redirect_uri is missing (FAPI 2.0 Security Profile, section 5.3.2.2)"}
	case r.ResponseType == "":
		return &Refusal{InvalidRequest, "response_type is missing"}
	case r.ResponseType != "code":
		return &Refusal{UnsupportedResponseType, "response_type must be code"}
	case r.ResponseMode != "" && r.ResponseMode != ByQuery && r.ResponseMode != ByForm:
		return &Refusal{InvalidRequest, "response_mode must be query or form_post"}
	case r.Challenge == "" && of.NeedsPKCE():
		return &Refusal{InvalidRequest, "code_challenge is missing; use PKCE with S256 (RFC 7636)"}
	case r.Challenge == "" && r.Method != "":
		return &Refusal{InvalidRequest, "code_challenge_method requires code_challenge"}
	case r.Challenge != "" && r.Method != "S256":
		return &Refusal{InvalidRequest, "code_challenge_method must be S256"}
	case r.Challenge != "" && !digestPattern.MatchString(r.Challenge):
		return &Refusal{InvalidRequest, "code_challenge must be the SHA-256 hash of the verifier in base64url"}
	}
	return nil
}

// Redirectable returns the redirect address of a request, and reports whether it is
// registered: by exact comparison, or for a native app with a different port on the
// loopback interface (RFC 8252 section 7.3). If there is only one registered address,
// it may be omitted.
func Redirectable(of app.Snapshot, asked string) (address string, ok bool) {
	if asked == "" {
		if len(of.RedirectURLs) != 1 {
			return "", false
		}
		return of.RedirectURLs[0], true
	}
	for _, registered := range of.RedirectURLs {
		if asked == registered || of.TakesAnyPort() && sameButPort(registered, asked) {
			return asked, true
		}
	}
	return "", false
}

// sameButPort reports whether two addresses are on the loopback interface and are alike but
// for their ports.
func sameButPort(registered, asked string) bool {
	if app.RedirectFault(asked) != "" {
		return false
	}
	one, err := url.Parse(registered)
	if err != nil {
		return false
	}
	other, err := url.Parse(asked)
	if err != nil || one.Scheme != "http" || one.Hostname() != other.Hostname() {
		return false
	}
	if !app.Loopback(one.Hostname()) {
		return false
	}
	one.Host, other.Host = one.Hostname(), other.Hostname()
	return one.String() == other.String()
}

// Verifies reports whether a verifier is that of a challenge by S256 (RFC 7636 section 4.6).
func Verifies(challenge, verifier string) bool {
	sum := sha256.Sum256([]byte(verifier))
	return subtle.ConstantTimeCompare([]byte(base64.RawURLEncoding.EncodeToString(sum[:])), []byte(challenge)) == 1
}

// Domain returns the display name of an address: its host, or the scheme of a native
// app.
func Domain(address string) string {
	parsed, err := url.Parse(address)
	switch {
	case err != nil:
		return ""
	case parsed.Host != "":
		return parsed.Hostname()
	}
	return parsed.Scheme
}

// originPattern is that of hosts with a port which mean nothing else in a header.
var originPattern = regexp.MustCompile(`^[A-Za-z0-9.:\[\]-]+$`)

// Origin returns an address as a source of a Content-Security-Policy: its origin, or the scheme of
// a native app; empty where that cannot be written.
func Origin(address string) string {
	parsed, err := url.Parse(address)
	switch {
	case err != nil:
		return ""
	case parsed.Host == "":
		return parsed.Scheme + ":"
	case !originPattern.MatchString(parsed.Host):
		return ""
	}
	return parsed.Scheme + "://" + parsed.Host
}

// Answer returns an address with response parameters, including the issuer (RFC 9207).
func Answer(address, issuer, state string, parameters ...string) string {
	answer := url.Values{"iss": {issuer}}
	for i := 0; i+1 < len(parameters); i += 2 {
		answer.Set(parameters[i], parameters[i+1])
	}
	if state != "" {
		answer.Set("state", state)
	}
	return extended(address, answer)
}

// Posted splits the result of Answer into the address of the client with its own query
// (RFC 6749 section 3.1.2), and the parameters to post.
func Posted(answer string) (address string, parameters url.Values, err error) {
	begins := -1
	for _, first := range []string{"?code=", "&code=", "?error=", "&error="} { // Encode sorts them to the front
		begins = max(begins, strings.LastIndex(answer, first))
	}
	if begins < 0 {
		return answer, nil, nil
	}
	parameters, err = url.ParseQuery(answer[begins+1:])
	return answer[:begins], parameters, err
}

// Returning returns the address that a person goes to after a logout, with the state of the
// client, if it sent one (OpenID Connect RP-Initiated Logout 1.0 section 3).
func Returning(address, state string) string {
	if state == "" {
		return address
	}
	return extended(address, url.Values{"state": {state}})
}

// extended returns an address with more parameters.
func extended(address string, more url.Values) string {
	separator := "?"
	if strings.Contains(address, "?") {
		separator = "&"
	}
	return address + separator + more.Encode()
}

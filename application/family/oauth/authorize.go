package oauth

import (
	"context"

	"gatehouse.internal/application/authorization"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/domain/maintenance"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/domain/secret"
)

// Asking are the parameters of an authorization request (RFC 6749 section 4.1.1).
type Asking struct {
	RedirectURI   string `json:"redirect_uri,omitzero" doc:"Where the answer goes: one of the app's redirect_urls, character by character; for a native app on the loopback interface with any port." jsonschema:"minLength=1,maxLength=2048,example=https://app.example.com/callback"`
	ResponseType  string `json:"response_type,omitzero" doc:"code." jsonschema:"minLength=1,maxLength=65536,example=code"`
	ResponseMode  string `json:"response_mode,omitzero" doc:"How the answer is sent: query, or form_post." jsonschema:"minLength=1,maxLength=65536,example=query"`
	Scope         string `json:"scope,omitzero" doc:"What the client wants, separated by spaces: openid, profile, email, org, roles, offline_access, permissions that the app was granted, scopes of the resource. Those that it may not have are left out." jsonschema:"minLength=1,maxLength=65536,example=openid profile"`
	State         string `json:"state,omitzero" doc:"Returned with the answer. At most 2,048 characters." jsonschema:"minLength=1,maxLength=65536"`
	Nonce         string `json:"nonce,omitzero" doc:"Claim of the ID token. At most 1,024 characters." jsonschema:"minLength=1,maxLength=65536"`
	CodeChallenge string `json:"code_challenge,omitzero" doc:"SHA-256 of the code_verifier in base64url (RFC 7636)." jsonschema:"minLength=1,maxLength=65536,example=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"`
	Method        string `json:"code_challenge_method,omitzero" doc:"S256." jsonschema:"minLength=1,maxLength=65536,example=S256"`
	Resource      string `json:"resource,omitzero" doc:"API that the access token is for (RFC 8707): an absolute URI without a fragment, or the slug of a known API. Defaults to this service." jsonschema:"minLength=1,maxLength=65536"`
	Prompt        string `json:"prompt,omitzero" doc:"none, login, consent, select_account, separated by spaces." jsonschema:"minLength=1,maxLength=65536"`
	MaxAge        *int   `json:"max_age,omitzero" doc:"How many seconds ago the person may have signed in."`
	LoginHint     string `json:"login_hint,omitzero" doc:"Email address that the login form begins with." jsonschema:"minLength=1,maxLength=65536"`
	IDTokenHint   string `json:"id_token_hint,omitzero" doc:"An ID token that the client has of the person, also one that has expired: nobody else is let in." jsonschema:"minLength=1,maxLength=65536" example:"-"`
	ACRValues     string `json:"acr_values,omitzero" doc:"How strongly they shall have signed in, best first: urn:gatehouse:acr:1, :2 (two factors), :phr (phishing-resistant)." jsonschema:"minLength=1,maxLength=65536"`
	Claims        any    `json:"claims,omitzero" doc:"Claims that the client wants one by one (OpenID Connect Core section 5.5), as an object or its text: userinfo and id_token, each with the names of claims." example:"-"`
	ClaimsLocales string `json:"claims_locales,omitzero" doc:"Languages of claims; ignored, since claims are in no language." jsonschema:"minLength=1,maxLength=65536"`
	UILocales     string `json:"ui_locales,omitzero" doc:"Languages of the pages, which are in English so far; ignored." jsonschema:"minLength=1,maxLength=65536"`
	Request       string `json:"request,omitzero" doc:"All parameters as a JWT that the app signed by a key of its JWKS (RFC 9101), in place of those beside it; client_id is in both. Unsigned, or for an app without keys, it is answered request_not_supported." jsonschema:"minLength=1,maxLength=65536" example:"-"`
	JKT           string `json:"dpop_jkt,omitzero" doc:"Thumbprint of the key that code and tokens are bound to (RFC 9449 section 10)." jsonschema:"minLength=1,maxLength=65536" example:"-"`
}

// claims returns the text of the parameter, which JSON may hold as an object.
func (p *Asking) claims() string {
	switch sent := p.Claims.(type) {
	case nil:
		return ""
	case string:
		return sent
	}
	text, _ := strictjson.Encode(p.Claims) // it was read from JSON
	return string(text)
}

func (p *Asking) request(clientID string) oauth.Request {
	return oauth.Request{
		ClientID: clientID, ResponseType: p.ResponseType, ResponseMode: p.ResponseMode, RedirectURI: p.RedirectURI, Scope: p.Scope,
		State: p.State, Nonce: p.Nonce, Challenge: p.CodeChallenge, Method: p.Method, Resource: p.Resource, Prompt: p.Prompt,
		MaxAge: p.MaxAge, LoginHint: p.LoginHint, IDTokenHint: p.IDTokenHint, ACRValues: p.ACRValues, Claims: p.claims(), Object: p.Request, JKT: p.JKT,
	}
}

// AuthorizeParams are the parameters of OAUTH.AUTHORIZE.
type AuthorizeParams struct {
	ClientID   string `json:"client_id" doc:"Slug of the app." jsonschema:"minLength=1,maxLength=2048,example=wiki"`
	RequestURI string `json:"request_uri,omitzero" doc:"A request that was pushed (OAUTH.REQUEST_PUSH), or that waits for a login; all other parameters are those of that one." jsonschema:"minLength=1,maxLength=4096" example:"-"`

	Malformed oauth.Malformed `json:"malformed,omitzero" doc:"Why a parameter of the browser's request is left out here: repeated, repeated_resource, no_number (max_age), or no_text (invalid UTF-8). The client gets the error." jsonschema:"enum=repeated,enum=repeated_resource,enum=no_number,enum=no_text" example:"-"`

	Asking
}

func (p *AuthorizeParams) asked() oauth.Request {
	asked := p.request(p.ClientID)
	asked.Malformed = p.Malformed
	return asked
}

// AuthorizeResult is the result of OAUTH.AUTHORIZE and OAUTH.CONSENT_DECIDE.
type AuthorizeResult struct {
	RedirectTo      secret.Shown `json:"redirect_to,omitzero" doc:"Where the browser goes: the client's address with code, or error, and state and iss."`
	ResponseMode    string       `json:"response_mode,omitzero" doc:"form_post where the parameters of redirect_to are to be posted there."`
	LoginRequired   bool         `json:"login_required,omitzero" doc:"Somebody has to sign in first, maybe again; then the request is opened by request_id as request_uri."`
	ConsentRequired bool         `json:"consent_required,omitzero" doc:"The person has to agree first, by OAUTH.CONSENT_DECIDE."`
	SelectAccount   bool         `json:"select_account,omitzero" doc:"With consent_required: the person agreed before, and is asked which account it is. For another one, that one signs in and opens the request by request_id as request_uri."`
	RequestID       secret.Shown `json:"request_id,omitzero" doc:"Pending request. It can be decided for 30 minutes, and opened again as request_uri for 24 hours; later the client gets an error."`
	Client          *Client      `json:"client,omitzero" doc:"Who asks."`
	// Scopes are shown to people.
	Scopes    []string `json:"scopes,omitzero" doc:"What it asks for and may have."`
	LoginHint string   `json:"login_hint,omitzero" doc:"With login_required: the login_hint of the request."`
}

// Client is a client as people are shown it.
type Client struct {
	ClientID  string     `json:"client_id" doc:"Slug of the app."`
	Name      string     `json:"name" doc:"What it is called."`
	LogoURL   string     `json:"logo_url" doc:"Its logo, or empty."`
	PolicyURL string     `json:"policy_url" doc:"Its privacy policy, or empty."`
	TermsURL  string     `json:"terms_url" doc:"Its terms of service, or empty."`
	Origin    string     `json:"origin" doc:"The same as a source of form-action in a Content-Security-Policy."`
	Domain    string     `json:"domain" doc:"Where the answer goes: host, or scheme of a native app."`
	OnDevice  string     `json:"on_device,omitzero" doc:"The whole redirect address, if it leads to an app on the device: by the loopback interface or a private-use scheme."`
	Vouched   app.Origin `json:"vouched_by,omitzero" doc:"Where nobody of a workspace vouches for it: open, for it registered itself under any name it liked; document, for it is known by the address alone that is its client_id."`
}

// clientAt shows a client to which a browser goes back at an address, if any.
func clientAt(of *app.Snapshot, address string) *Client {
	shown := &Client{ClientID: of.Slug, Name: of.Name, LogoURL: of.LogoURL, PolicyURL: of.PolicyURL, TermsURL: of.TermsURL, Vouched: of.Origin}
	if address != "" {
		shown.Domain, shown.Origin = oauth.Domain(address), oauth.Origin(address)
		if app.OnDevice(address) {
			shown.OnDevice = address
		}
	}
	return shown
}

func result(o authorization.Outcome) AuthorizeResult {
	r := AuthorizeResult{RedirectTo: secret.Shown(o.RedirectTo), LoginRequired: o.Login, ConsentRequired: o.Consent, SelectAccount: o.Account, RequestID: secret.Shown(o.RequestURI)}
	if o.Form {
		r.ResponseMode = oauth.ByForm
	}
	if o.Asked == nil {
		return r
	}
	r.Client = clientAt(&o.Asked.Client.App, o.Asked.Address)
	r.Scopes = o.Asked.Scopes
	if o.Login {
		r.LoginHint = o.Asked.LoginHint
	}
	return r
}

func (s *Service) authorize() command.Definition {
	return command.Define(command.Spec[AuthorizeParams, AuthorizeResult]{
		Name:    "OAUTH.AUTHORIZE",
		Summary: "Answer the authorization request of a client for the person who is signed in, or say what they have to do first. An error that may be told the client is part of redirect_to.",
		Access:  access.Optional(),
		Effect:  command.Writes,
		Through: maintenance.ReadOnly,
		Limits:  []limit.Spec{limit.PerMinute(limit.IP, 600)},
		Subject: func(context.Context, AuthorizeParams) (command.Subject, error) { return command.Subject{}, nil },
		Emits:   []event.Kind{oauth.KindCodeIssued, app.KindUpdated},
		Handle: func(ctx context.Context, call command.Call, p AuthorizeParams) (AuthorizeResult, error) {
			outcome, err := s.Authorization.Open(ctx, call.Caller, p.asked(), p.RequestURI)
			return result(outcome), err
		},
	})
}

package oauth

import (
	"context"

	"gatehouse.internal/application/authorization"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/domain/maintenance"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/domain/secret"
)

// AuthorizationParams are the parameters of an authorization request (RFC 6749 section 4.1.1).
type AuthorizationParams struct {
	RedirectURI   string `json:"redirect_uri,omitzero" doc:"URL that the response is sent to. Must be one of the app's redirect_urls, matched exactly. Native apps can use any port on the loopback interface." jsonschema:"minLength=1,maxLength=2048,example=https://app.example.com/callback"`
	ResponseType  string `json:"response_type,omitzero" doc:"Response type. Must be code." jsonschema:"minLength=1,maxLength=65536,example=code"`
	ResponseMode  string `json:"response_mode,omitzero" doc:"How the response is sent: query or form_post." jsonschema:"minLength=1,maxLength=65536,example=query"`
	Scope         string `json:"scope,omitzero" doc:"Requested scopes, separated by spaces: openid, profile, email, org, roles, offline_access, permissions granted to the app, and scopes of the resource. Scopes that the client cannot have are left out." jsonschema:"minLength=1,maxLength=65536,example=openid profile"`
	State         string `json:"state,omitzero" doc:"Value returned with the response. At most 2,048 characters." jsonschema:"minLength=1,maxLength=65536"`
	Nonce         string `json:"nonce,omitzero" doc:"Value included in the ID token. At most 1,024 characters." jsonschema:"minLength=1,maxLength=65536"`
	CodeChallenge string `json:"code_challenge,omitzero" doc:"SHA-256 hash of the code_verifier, base64url-encoded (RFC 7636)." jsonschema:"minLength=1,maxLength=65536,example=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"`
	Method        string `json:"code_challenge_method,omitzero" doc:"Method of the code_challenge. Must be S256." jsonschema:"minLength=1,maxLength=65536,example=S256"`
	Resource      string `json:"resource,omitzero" doc:"API the access token is for (RFC 8707): an absolute URI without a fragment, or the slug of a known API. Defaults to this service." jsonschema:"minLength=1,maxLength=65536"`
	Prompt        string `json:"prompt,omitzero" doc:"Prompts to show, separated by spaces: none, login, consent or select_account." jsonschema:"minLength=1,maxLength=65536"`
	MaxAge        *int   `json:"max_age,omitzero" doc:"Maximum time since the person signed in. Seconds."`
	LoginHint     string `json:"login_hint,omitzero" doc:"Email address to prefill in the sign-in form." jsonschema:"minLength=1,maxLength=65536"`
	IDTokenHint   string `json:"id_token_hint,omitzero" doc:"ID token that the client holds for the person, which may have expired. Nobody else can complete the request." jsonschema:"minLength=1,maxLength=65536" example:"-"`
	ACRValues     string `json:"acr_values,omitzero" doc:"Requested strengths of the sign-in, best first: urn:gatehouse:acr:1, :2 (two factors), :phr (phishing-resistant)." jsonschema:"minLength=1,maxLength=65536"`
	Claims        any    `json:"claims,omitzero" doc:"Individual claims that the client requests (OpenID Connect Core, section 5.5), as an object or its JSON text. The members userinfo and id_token each contain the names of claims." example:"-"`
	ClaimsLocales string `json:"claims_locales,omitzero" doc:"Preferred languages of claims. Ignored: claims have no language." jsonschema:"minLength=1,maxLength=65536"`
	UILocales     string `json:"ui_locales,omitzero" doc:"Preferred languages of the pages. Ignored: the pages are in English." jsonschema:"minLength=1,maxLength=65536"`
	Request       string `json:"request,omitzero" doc:"All parameters as a JWT signed with a key of the app's JWKS (RFC 9101), replacing the other parameters. client_id must be in both. An unsigned request, or a request of an app without keys, is answered with request_not_supported." jsonschema:"minLength=1,maxLength=65536" example:"-"`
	JKT           string `json:"dpop_jkt,omitzero" doc:"Thumbprint of the key that the code and the tokens are bound to (RFC 9449, section 10)." jsonschema:"minLength=1,maxLength=65536" example:"-"`
}

// claims returns the text of the parameter, which JSON may hold as an object.
func (p *AuthorizationParams) claims() string {
	switch sent := p.Claims.(type) {
	case nil:
		return ""
	case string:
		return sent
	}
	text, _ := strictjson.Encode(p.Claims) // it was read from JSON
	return string(text)
}

func (p *AuthorizationParams) request(clientID string) oauth.Request {
	return oauth.Request{
		ClientID: clientID, ResponseType: p.ResponseType, ResponseMode: p.ResponseMode, RedirectURI: p.RedirectURI, Scope: p.Scope,
		State: p.State, Nonce: p.Nonce, Challenge: p.CodeChallenge, Method: p.Method, Resource: p.Resource, Prompt: p.Prompt,
		MaxAge: p.MaxAge, LoginHint: p.LoginHint, IDTokenHint: p.IDTokenHint, ACRValues: p.ACRValues, Claims: p.claims(), Object: p.Request, JKT: p.JKT,
	}
}

// AuthorizeParams are the parameters of OAUTH.AUTHORIZE.
type AuthorizeParams struct {
	ClientID   string `json:"client_id" doc:"The client_id of the app." jsonschema:"minLength=1,maxLength=2048,example=wiki"`
	RequestURI string `json:"request_uri,omitzero" doc:"Pushed request (see OAUTH.REQUEST_PUSH), or a request that is waiting for a sign-in. All other parameters come from that request." jsonschema:"minLength=1,maxLength=4096" example:"-"`

	Malformed oauth.Malformed `json:"malformed,omitzero" doc:"Reason a parameter of the browser's request is missing here: repeated, repeated_resource, no_number (max_age), or no_text (invalid UTF-8). The client receives the error." jsonschema:"enum=repeated,enum=repeated_resource,enum=no_number,enum=no_text" example:"-"`

	AuthorizationParams
}

func (p *AuthorizeParams) asked() oauth.Request {
	asked := p.request(p.ClientID)
	asked.Malformed = p.Malformed
	return asked
}

// AuthorizeResult is the result of OAUTH.AUTHORIZE and OAUTH.CONSENT_DECIDE.
type AuthorizeResult struct {
	RedirectTo      secret.Shown `json:"redirect_to,omitzero" doc:"URL to send the browser to: the client's redirect URL with code or error, and with state and iss."`
	ResponseMode    string       `json:"response_mode,omitzero" doc:"Set to form_post if the parameters of redirect_to must be posted to it."`
	LoginRequired   bool         `json:"login_required,omitzero" doc:"Whether the user must sign in first, even if already signed in. After the sign-in, call OAUTH.AUTHORIZE again with request_id as request_uri."`
	ConsentRequired bool         `json:"consent_required,omitzero" doc:"Whether the person has to consent first, with OAUTH.CONSENT_DECIDE."`
	SelectAccount   bool         `json:"select_account,omitzero" doc:"Whether the person, who consented before, is asked to choose an account. Set together with consent_required. To use another account, sign in to it and open the request with request_id as request_uri."`
	RequestID       secret.Shown `json:"request_id,omitzero" doc:"ID of the pending request. It can be decided for 30 minutes and opened again as request_uri for 24 hours. After that, the client gets an error."`
	Client          *Client      `json:"client,omitzero" doc:"Client that sent the request."`
	// Scopes are shown to people.
	Scopes    []string `json:"scopes,omitzero" doc:"Requested scopes that the client can have."`
	LoginHint string   `json:"login_hint,omitzero" doc:"The login_hint of the request. Set together with login_required."`
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
		Summary: "Answer an OAuth authorization request.",
		Description: "The request is answered for the person who is signed in. If that person has to do something first, the result says what: `login_required`, " +
			"`consent_required` or `select_account`.\n\nErrors that can be reported to the client are part of `redirect_to`.\n\n" +
			"If nobody is asked because of an earlier consent, `offline_access` requires a sign-in within the last 15 minutes. Otherwise it is left out, " +
			"and the tokens end with the session. To get it, send `prompt=consent` or `max_age=900`.",
		Access:  access.Optional().Presence(),
		Effect:  command.Writes,
		Through: maintenance.ReadOnly,
		Trigger: flow.Login,
		Quiet:   true,
		Limits:  []limit.Spec{limit.PerMinute(limit.IP, 600)},
		Subject: func(context.Context, AuthorizeParams) (command.Subject, error) { return command.Subject{}, nil },
		Emits:   []event.Kind{oauth.KindCodeIssued, app.KindUpdated},
		Handle: func(ctx context.Context, call command.Call, p AuthorizeParams) (AuthorizeResult, error) {
			outcome, err := s.Authorization.Open(ctx, call, p.asked(), p.RequestURI)
			return result(outcome), err
		},
	})
}

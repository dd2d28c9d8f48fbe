package oauth

import (
	"context"
	"strings"
	"time"

	"gatehouse.internal/application/authorization"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/domain/maintenance"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/session"
)

// Refusals of the form of a request for tokens.
var (
	errGrantType = fault.New(fault.Validation,
		"unsupported_grant_type: use authorization_code, refresh_token, "+oauth.DeviceGrant+" or "+oauth.ExchangeGrant+"; call M2M.TOKEN for client_credentials")
	errNoCode    = fault.New(fault.Validation, "invalid_request: code is missing")
	errNoRefresh = fault.New(fault.Validation, "invalid_request: refresh_token is missing")
	errNoDevice  = fault.New(fault.Validation, "invalid_request: device_code is missing")
)

// TokenParams are the parameters of OAUTH.TOKEN.
type TokenParams struct {
	GrantType string `json:"grant_type" doc:"Grant type: authorization_code, refresh_token, urn:ietf:params:oauth:grant-type:device_code, or urn:ietf:params:oauth:grant-type:token-exchange." jsonschema:"minLength=1,maxLength=128,example=authorization_code"`
	ClientParams

	Code         secret.String `json:"code,omitzero" doc:"Authorization code. It works once, within a minute." jsonschema:"minLength=1,maxLength=512"`
	RedirectURI  string        `json:"redirect_uri,omitzero" doc:"The redirect_uri from the authorization request. Required if the request included one." jsonschema:"minLength=1,maxLength=2048,example=https://app.example.com/callback"`
	CodeVerifier secret.String `json:"code_verifier,omitzero" doc:"Value that the code_challenge was computed from (RFC 7636)." jsonschema:"minLength=1,maxLength=128"`
	RefreshToken secret.String `json:"refresh_token,omitzero" doc:"Latest refresh token. Each one works once. Using one again after the retry window revokes the grant." jsonschema:"minLength=1,maxLength=512" example:"-"`
	DeviceCode   secret.String `json:"device_code,omitzero" doc:"Device code from OAUTH.DEVICE_START. Poll with it every interval seconds until the person has decided." jsonschema:"minLength=1,maxLength=512" example:"-"`
	Scope        string        `json:"scope,omitzero" doc:"Narrower scopes, separated by spaces. Only with refresh_token and token-exchange." jsonschema:"minLength=1,maxLength=4096" example:"-"`
	Resource     string        `json:"resource,omitzero" doc:"API the token is for. Must match the authorization request, or the token that is exchanged." jsonschema:"minLength=1,maxLength=512" example:"-"`

	ExchangeParams
}

// ExchangeParams are the parameters of a token exchange (RFC 8693 section 2.1).
type ExchangeParams struct {
	SubjectToken     secret.String `json:"subject_token,omitzero" doc:"Access token of a person to exchange, issued to this client or to one of its token_exchange_clients. Only with token-exchange." jsonschema:"minLength=1,maxLength=16384" example:"-"`
	SubjectTokenType string        `json:"subject_token_type,omitzero" doc:"Type of subject_token. Must be urn:ietf:params:oauth:token-type:access_token." jsonschema:"minLength=1,maxLength=128" example:"-"`
	ActorToken       secret.String `json:"actor_token,omitzero" doc:"Access token of this client, whose subject becomes the acting party. Defaults to the client itself." jsonschema:"minLength=1,maxLength=16384" example:"-"`
	ActorTokenType   string        `json:"actor_token_type,omitzero" doc:"Type of actor_token. Must be urn:ietf:params:oauth:token-type:access_token." jsonschema:"minLength=1,maxLength=128" example:"-"`
	RequestedType    string        `json:"requested_token_type,omitzero" doc:"Type of token to return. If set, it must be urn:ietf:params:oauth:token-type:access_token." jsonschema:"minLength=1,maxLength=128" example:"-"`
	Audience         string        `json:"audience,omitzero" doc:"Same as resource. If you send both, each must match the audience of subject_token." jsonschema:"minLength=1,maxLength=512" example:"-"`
}

func (p TokenParams) exchange() authorization.Exchange {
	return authorization.Exchange{
		Client: p.credentials(), Subject: p.SubjectToken, SubjectType: p.SubjectTokenType, Actor: p.ActorToken, ActorType: p.ActorTokenType,
		Requested: p.RequestedType, Targets: []string{p.Resource, p.Audience}, Scopes: strings.Fields(p.Scope),
	}
}

// TokenResult is the result of OAUTH.TOKEN.
type TokenResult struct {
	AccessToken  secret.Shown `json:"access_token" doc:"Access token for the resource of the request, or for this service within its scopes."`
	TokenType    string       `json:"token_type" doc:"Scheme to present the token with: Bearer (RFC 6750), or DPoP if it is bound to a key (RFC 9449)." jsonschema:"enum=Bearer,enum=DPoP"`
	ExpiresIn    int          `json:"expires_in" doc:"Seconds until the access token expires."`
	RefreshToken secret.Shown `json:"refresh_token,omitzero" doc:"Refresh token for the next tokens. Only if the app is registered for refresh_token."`
	IDToken      secret.Shown `json:"id_token,omitzero" doc:"ID token that says who signed in. Only with the scope openid (OpenID Connect Core, section 2)."`
	IssuedType   string       `json:"issued_token_type,omitzero" doc:"Type of the issued token: urn:ietf:params:oauth:token-type:access_token (RFC 8693, section 2.2.1). Only with token-exchange." example:"-"`
	Scope        string       `json:"scope" doc:"Scopes of the access token, separated by spaces."`
}

const tokenDescription = "The client sends one of these:\n\n" +
	"- An authorization code from OAUTH.AUTHORIZE.\n" +
	"- A device code from OAUTH.DEVICE_START.\n" +
	"- The refresh token it got with its last tokens.\n" +
	"- An access token to exchange (RFC 8693), issued to this client or to one of its `token_exchange_clients`.\n\n" +
	"An app that acts for itself uses M2M.TOKEN."

func (s *Service) token() command.Definition {
	return command.Define(command.Spec[TokenParams, TokenResult]{
		Name:        "OAUTH.TOKEN",
		Summary:     "Exchange a code or token for new tokens of a client.",
		Description: tokenDescription,
		Access:      access.Public(),
		Effect:      command.Writes,
		Through:     maintenance.ReadOnly,
		Trigger:     flow.Refresh,
		Decided: func(p TokenParams) bool {
			return p.GrantType == string(app.RefreshToken) || p.GrantType == oauth.ExchangeGrant
		},
		Limits:  []limit.Spec{limit.PerMinute(limit.IP, 6000), limit.PerMinute(limit.Token, 600)},
		Guarded: true,
		Subject: func(_ context.Context, p TokenParams) (command.Subject, error) {
			return s.Clients.Naming(p.credentials())
		},
		Emits:  []event.Kind{oauth.KindTokenIssued, oauth.KindRevoked, session.KindReuseDetected},
		Handle: s.redeem,
	})
}

func (s *Service) redeem(ctx context.Context, call command.Call, p TokenParams) (TokenResult, error) {
	if p.GrantType == oauth.ExchangeGrant {
		x := p.exchange()
		x.Client.DryRun, x.Client.Count, x.Client.Method = call.DryRun, call.Count, call.ClientMethod
		made, err := s.Authorization.Exchange(ctx, call, x)
		if err != nil {
			return TokenResult{}, err
		}
		shown := shownTokens(made)
		shown.IssuedType = oauth.AccessTokenType
		return shown, nil
	}
	r := authorization.Redemption{Client: p.credentials(), Resource: p.Resource}
	r.Client.DryRun, r.Client.Count, r.Client.Method = call.DryRun, call.Count, call.ClientMethod
	switch app.GrantType(p.GrantType) {
	case app.AuthorizationCode:
		if p.Code.Empty() {
			return TokenResult{}, errNoCode
		}
		r.Code, r.RedirectURI, r.Verifier = p.Code, p.RedirectURI, p.CodeVerifier.Reveal()
	case app.RefreshToken:
		if p.RefreshToken.Empty() {
			return TokenResult{}, errNoRefresh
		}
		r.Refresh, r.Scope = p.RefreshToken, strings.Fields(p.Scope)
	case oauth.DeviceGrant:
		if p.DeviceCode.Empty() {
			return TokenResult{}, errNoDevice
		}
		r.Device = p.DeviceCode
	default:
		return TokenResult{}, errGrantType
	}
	made, err := s.Authorization.Redeem(ctx, call, r)
	if err != nil {
		return TokenResult{}, err
	}
	return shownTokens(made), nil
}

func shownTokens(made authorization.Tokens) TokenResult {
	return TokenResult{
		AccessToken: made.Access, TokenType: made.Type, ExpiresIn: int(made.ExpiresIn / time.Second), RefreshToken: made.Refresh,
		IDToken: made.ID, Scope: strings.Join(made.Scopes, " "),
	}
}

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
		"unsupported_grant_type: send authorization_code, refresh_token, "+oauth.DeviceGrant+" or "+oauth.ExchangeGrant+"; an app that acts for itself calls M2M.TOKEN")
	errNoCode    = fault.New(fault.Validation, "invalid_request: code is missing")
	errNoRefresh = fault.New(fault.Validation, "invalid_request: refresh_token is missing")
	errNoDevice  = fault.New(fault.Validation, "invalid_request: device_code is missing")
)

// TokenParams are the parameters of OAUTH.TOKEN.
type TokenParams struct {
	GrantType string `json:"grant_type" doc:"authorization_code, refresh_token, urn:ietf:params:oauth:grant-type:device_code, or urn:ietf:params:oauth:grant-type:token-exchange." jsonschema:"minLength=1,maxLength=128,example=authorization_code"`
	ClientParams

	Code         secret.String `json:"code,omitzero" doc:"The authorization code, which works once, within a minute." jsonschema:"minLength=1,maxLength=512"`
	RedirectURI  string        `json:"redirect_uri,omitzero" doc:"That of the authorization request, if it had one." jsonschema:"minLength=1,maxLength=2048,example=https://app.example.com/callback"`
	CodeVerifier secret.String `json:"code_verifier,omitzero" doc:"What the code_challenge was made of (RFC 7636)." jsonschema:"minLength=1,maxLength=128"`
	RefreshToken secret.String `json:"refresh_token,omitzero" doc:"The refresh token of the tokens before. Each works once; one that comes again later than the retry window ends the grant." jsonschema:"minLength=1,maxLength=512" example:"-"`
	DeviceCode   secret.String `json:"device_code,omitzero" doc:"That of OAUTH.DEVICE_START, to ask with every interval seconds until its person has answered." jsonschema:"minLength=1,maxLength=512" example:"-"`
	Scope        string        `json:"scope,omitzero" doc:"With refresh_token and token-exchange: fewer scopes, separated by spaces." jsonschema:"minLength=1,maxLength=4096" example:"-"`
	Resource     string        `json:"resource,omitzero" doc:"The API that the token is for; it must be that of the authorization request, or of the token that is exchanged." jsonschema:"minLength=1,maxLength=512" example:"-"`

	ExchangeParams
}

// ExchangeParams are the parameters of a token exchange (RFC 8693 section 2.1).
type ExchangeParams struct {
	SubjectToken     secret.String `json:"subject_token,omitzero" doc:"With token-exchange: the access token of a person to exchange, given to this client or to one of its token_exchange_clients." jsonschema:"minLength=1,maxLength=16384" example:"-"`
	SubjectTokenType string        `json:"subject_token_type,omitzero" doc:"urn:ietf:params:oauth:token-type:access_token." jsonschema:"minLength=1,maxLength=128" example:"-"`
	ActorToken       secret.String `json:"actor_token,omitzero" doc:"An access token of this client, whose subject acts; absent: the client." jsonschema:"minLength=1,maxLength=16384" example:"-"`
	ActorTokenType   string        `json:"actor_token_type,omitzero" doc:"With actor_token: urn:ietf:params:oauth:token-type:access_token." jsonschema:"minLength=1,maxLength=128" example:"-"`
	RequestedType    string        `json:"requested_token_type,omitzero" doc:"urn:ietf:params:oauth:token-type:access_token, or absent." jsonschema:"minLength=1,maxLength=128" example:"-"`
	Audience         string        `json:"audience,omitzero" doc:"As resource; of both, each must be that of subject_token." jsonschema:"minLength=1,maxLength=512" example:"-"`
}

func (p TokenParams) exchange() authorization.Exchange {
	return authorization.Exchange{
		Client: p.credentials(), Subject: p.SubjectToken, SubjectType: p.SubjectTokenType, Actor: p.ActorToken, ActorType: p.ActorTokenType,
		Requested: p.RequestedType, Targets: []string{p.Resource, p.Audience}, Scopes: strings.Fields(p.Scope),
	}
}

// TokenResult is the result of OAUTH.TOKEN.
type TokenResult struct {
	AccessToken  secret.Shown `json:"access_token" doc:"Token for the resource of the request, or for this service within its scopes."`
	TokenType    string       `json:"token_type" doc:"How it is presented: Bearer (RFC 6750), or DPoP when it is bound to a key (RFC 9449)." jsonschema:"enum=Bearer,enum=DPoP"`
	ExpiresIn    int          `json:"expires_in" doc:"Seconds until it expires."`
	RefreshToken secret.Shown `json:"refresh_token,omitzero" doc:"Token for the next ones, where the app is registered for refresh_token."`
	IDToken      secret.Shown `json:"id_token,omitzero" doc:"Who signed in, with the scope openid (OpenID Connect Core section 2)."`
	IssuedType   string       `json:"issued_token_type,omitzero" doc:"With token-exchange: urn:ietf:params:oauth:token-type:access_token (RFC 8693 section 2.2.1)." example:"-"`
	Scope        string       `json:"scope" doc:"The scopes of the access token, separated by spaces."`
}

func (s *Service) token() command.Definition {
	return command.Define(command.Spec[TokenParams, TokenResult]{
		Name:    "OAUTH.TOKEN",
		Summary: "Give a client the tokens for an authorization code, for a device code, for the refresh token of those before, or for a token that it acts by for somebody else's client.",
		Access:  access.Public(),
		Effect:  command.Writes,
		Through: maintenance.ReadOnly,
		Trigger: flow.Refresh,
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

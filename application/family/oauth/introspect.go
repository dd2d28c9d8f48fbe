package oauth

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/token"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/domain/maintenance"
	"gatehouse.internal/domain/secret"
)

// IntrospectParams are the parameters of OAUTH.INTROSPECT.
type IntrospectParams struct {
	Token         secret.String `json:"token" doc:"Token to introspect: an access or refresh token of a person, or an M2M token." jsonschema:"minLength=1,maxLength=16384"`
	TokenTypeHint string        `json:"token_type_hint,omitzero" doc:"Type of the token, such as access_token. The token is found without it." jsonschema:"minLength=1,maxLength=64,example=access_token"`
}

// IntrospectResult is the result of OAUTH.INTROSPECT (RFC 7662 section 2.2). Of a token that
// is not active nothing is told, not even why.
type IntrospectResult struct {
	Active       bool                `json:"active" doc:"Whether the token is valid now, and you can see it."`
	Subject      string              `json:"sub,omitzero" doc:"The person, or the client_id of an app that acts for itself."`
	Scope        *string             `json:"scope,omitzero" doc:"Scopes of the token, separated by spaces. Absent for a sign-in to this service, which has no scopes."`
	ClientID     string              `json:"client_id,omitzero" doc:"The client_id the token was issued to."`
	Username     string              `json:"username,omitzero" doc:"Email address of the person."`
	TokenType    string              `json:"token_type,omitzero" doc:"Scheme an access token must be presented with. Absent for a refresh token." jsonschema:"enum=Bearer,enum=DPoP"`
	Audience     string              `json:"aud,omitzero" doc:"Audience of the token. A resource server must reject tokens for another audience."`
	Issuer       string              `json:"iss,omitzero" doc:"Issuer of the token: this service."`
	Expiry       int64               `json:"exp,omitzero" doc:"Time the token expires. Unix seconds."`
	IssuedAt     int64               `json:"iat,omitzero" doc:"Time the token was issued. Unix seconds."`
	JTI          string              `json:"jti,omitzero" doc:"ID of an access token."`
	OrgID        string              `json:"org_id,omitzero" doc:"ID of the workspace the token acts in."`
	Session      string              `json:"sid,omitzero" doc:"ID of the session the token belongs to. Absent if the token does not end with a session."`
	Actor        any                 `json:"act,omitzero" doc:"The acting party (RFC 8693, section 4.1). Present on exchanged tokens, where a nested act names the previous actor, and on tokens of a support agent who acts as the person." example:"-"`
	Confirmation *token.Confirmation `json:"cnf,omitzero" doc:"Key the token is bound to. The presenter must prove possession of it (RFC 9449, section 6.2)."`
}

func (s *Service) introspect() command.Definition {
	return command.Define(command.Spec[IntrospectParams, IntrospectResult]{
		Name:    "OAUTH.INTROSPECT",
		Summary: "Check whether a token is active, and read its claims (RFC 7662).",
		Description: "Resource servers can check tokens of people and of apps. You can see your own tokens, tokens for an API of your workspace, and tokens of " +
			"your workspace for this service. Every other token is reported as not active, without a reason.",
		Access:  access.Client("tokens:introspect"),
		Effect:  command.Reads,
		Limits:  []limit.Spec{limit.PerMinute(limit.Token, 6000)},
		Through: maintenance.Closed, // as M2M.INTROSPECT
		Handle: func(ctx context.Context, call command.Call, p IntrospectParams) (IntrospectResult, error) {
			shown, err := s.look(ctx, call.Caller, p.Token)
			if err != nil || !shown.Active {
				return IntrospectResult{}, err
			}
			shown.Issuer = s.Access.Issuer
			return shown, nil
		},
	})
}

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
	Token         secret.String `json:"token" doc:"The token to look at: an access or refresh token of a person, or an M2M token." jsonschema:"minLength=1,maxLength=16384"`
	TokenTypeHint string        `json:"token_type_hint,omitzero" doc:"What the token is, such as access_token; it is found without." jsonschema:"minLength=1,maxLength=64,example=access_token"`
}

// IntrospectResult is the result of OAUTH.INTROSPECT (RFC 7662 section 2.2). Of a token that
// is not active nothing is told, not even why.
type IntrospectResult struct {
	Active       bool                `json:"active" doc:"Whether the token is good now, and for the caller to know."`
	Subject      string              `json:"sub,omitzero" doc:"The person, or the client_id of an app that acts for itself."`
	Scope        *string             `json:"scope,omitzero" doc:"Its scopes, separated by spaces; absent for a login at this service, which has none."`
	ClientID     string              `json:"client_id,omitzero" doc:"Whom it was issued to."`
	Username     string              `json:"username,omitzero" doc:"Email address of the person."`
	TokenType    string              `json:"token_type,omitzero" doc:"How an access token must be presented; absent for a refresh token." jsonschema:"enum=Bearer,enum=DPoP"`
	Audience     string              `json:"aud,omitzero" doc:"Who it is for: a resource server takes no token that is for somebody else."`
	Issuer       string              `json:"iss,omitzero" doc:"This service."`
	Expiry       int64               `json:"exp,omitzero" doc:"When it expires, in Unix seconds."`
	IssuedAt     int64               `json:"iat,omitzero" doc:"When it was issued, in Unix seconds."`
	JTI          string              `json:"jti,omitzero" doc:"Identifier of an access token."`
	OrgID        string              `json:"org_id,omitzero" doc:"The workspace that it acts in."`
	Session      string              `json:"sid,omitzero" doc:"The session that it belongs to, if it ends with one."`
	Actor        any                 `json:"act,omitzero" doc:"Who acts by a token that was exchanged for another one: sub, and in act who did before; or who of the support staff acts as the person (RFC 8693 section 4.1)." example:"-"`
	Confirmation *token.Confirmation `json:"cnf,omitzero" doc:"The key that it is bound to, whose possession must be proved (RFC 9449 section 6.2)."`
}

func (s *Service) introspect() command.Definition {
	return command.Define(command.Spec[IntrospectParams, IntrospectResult]{
		Name:    "OAUTH.INTROSPECT",
		Summary: "Tell a resource server whether a token of a person or an app is good at this moment, and what it carries (RFC 7662); one that is neither for an API of its workspace nor of its own is not active.",
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

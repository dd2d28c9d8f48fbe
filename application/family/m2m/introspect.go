package m2m

import (
	"context"
	"errors"
	"strings"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/token"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/keytext"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/ports/outbound"
)

// Why a token is not active (contract section 3).
const (
	tokenExpired = "token_expired"
	tokenRevoked = "token_revoked"
	tokenInvalid = "token_invalid"
	notM2M       = "not_m2m"
)

// refreshPrefix begins a user's refresh token (contract section 3).
const refreshPrefix = "rt_"

// IntrospectParams are the parameters of M2M.INTROSPECT.
type IntrospectParams struct {
	Token secret.String `json:"token" doc:"Token to introspect." jsonschema:"minLength=1,maxLength=16384"`
}

// IntrospectResult is the result of M2M.INTROSPECT. Of a token that is not active
// nothing is told but why.
type IntrospectResult struct {
	Active       bool                `json:"active" doc:"Whether the token is valid now."`
	Error        string              `json:"error,omitzero" doc:"Reason the token is not active." jsonschema:"enum=token_expired,enum=token_revoked,enum=token_invalid,enum=not_m2m"`
	Subject      string              `json:"sub,omitzero" doc:"The client_id of the app the token was issued to."`
	Party        string              `json:"azp,omitzero" doc:"Same as sub."`
	Scope        *string             `json:"scope,omitzero" doc:"Scopes of the token that the app still has, separated by spaces. Empty if there are none."`
	Audience     string              `json:"aud,omitzero" doc:"Audience of the token. A resource server must reject tokens for another audience."`
	Issuer       string              `json:"iss,omitzero" doc:"Issuer of the token: this service."`
	Expiry       int64               `json:"exp,omitzero" doc:"Time the token expires. Unix seconds."`
	IssuedAt     int64               `json:"iat,omitzero" doc:"Time the token was issued. Unix seconds."`
	JTI          string              `json:"jti,omitzero" doc:"ID of the token."`
	ClientName   string              `json:"client_name,omitzero" doc:"Name of the app."`
	TokenType    string              `json:"token_type,omitzero" doc:"Scheme the token must be presented with." jsonschema:"enum=Bearer,enum=DPoP"`
	Confirmation *token.Confirmation `json:"cnf,omitzero" doc:"Key the token is bound to. The presenter must prove possession of it (RFC 9449, section 6.2)."`
}

func (s *Service) introspect() command.Definition {
	return command.Define(command.Spec[IntrospectParams, IntrospectResult]{
		Name:        "M2M.INTROSPECT",
		Summary:     "Check whether an M2M token is active, and read its claims (RFC 7662).",
		Description: "An invalid token is not an error: the result is not active and says why.",
		Access:      access.Public(),
		Effect:      command.Reads,
		Limits:      []limit.Spec{limit.PerMinute(limit.IP, 6000)},
		Subject:     s.presented,
		Handle:      s.inspect,
	})
}

// presented names a token that is right so far, so that it is looked up with the
// admission. What needs a look at the store first waits until the call is counted.
func (s *Service) presented(ctx context.Context, p IntrospectParams) (command.Subject, error) {
	if otherKind(p.Token.Reveal()) {
		return command.Subject{}, nil
	}
	found, err := s.Access.Inspect(ctx, p.Token.Reveal(), func(context.Context) error { return nil })
	if err != nil || !found.Machine() {
		return command.Subject{}, nil //nolint:nilerr // The handler tells what is wrong with it.
	}
	return command.Subject{Token: found.ID}, nil
}

// otherKind reports whether a text has the form of another kind of credential.
func otherKind(text string) bool {
	for _, prefix := range []string{string(keytext.APIKey), string(keytext.AppSecret), refreshPrefix} {
		if strings.HasPrefix(text, prefix) {
			return true
		}
	}
	return false
}

func (s *Service) inspect(ctx context.Context, call command.Call, p IntrospectParams) (IntrospectResult, error) {
	if otherKind(p.Token.Reveal()) {
		return IntrospectResult{Error: notM2M}, nil
	}
	found, err := s.Access.Inspect(ctx, p.Token.Reveal(), s.Access.Refresh(s.Admission))
	expired := errors.Is(err, token.ErrExpired)
	switch {
	case errors.Is(err, token.ErrInvalid):
		return IntrospectResult{Error: tokenInvalid}, nil
	case err != nil && !expired:
		return IntrospectResult{}, err
	case !found.Machine():
		return IntrospectResult{Error: notM2M}, nil
	case expired:
		return IntrospectResult{Error: tokenExpired}, nil
	}
	held := call.Token
	if held == nil { // it was not looked up yet, or it is gone
		answer, err := s.Admission.Admit(ctx, outbound.AdmissionAsk{Token: found.ID})
		if err != nil {
			return IntrospectResult{}, err
		}
		held = answer.Token
	}
	if held.Failing(s.Clock.Now()) != 0 {
		return IntrospectResult{Error: tokenRevoked}, nil
	}
	return s.active(found, held), nil
}

// active shows a token with the scopes that its app still has.
func (s *Service) active(found token.VerifiedToken, held *outbound.TokenIdentity) IntrospectResult {
	scope := strings.Join(held.Remaining(), " ")
	shown := IntrospectResult{
		Active: true, Subject: held.Slug, Party: held.Slug, Audience: found.Audience, Issuer: s.Access.Issuer,
		Scope: &scope, Expiry: found.Expiry, IssuedAt: found.IssuedAt, JTI: found.ID, ClientName: held.Name, TokenType: bearer,
	}
	if held.JKT != "" {
		shown.TokenType, shown.Confirmation = bound, &token.Confirmation{JKT: held.JKT}
	}
	return shown
}

package oauth

import (
	"cmp"
	"context"
	"slices"

	"gatehouse.internal/application/authorization"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/oauth"
)

// errOpenID is returned for a token that was not given for OpenID Connect (RFC 6750 section 3.1).
var errOpenID = fault.New(fault.Denied, "insufficient_scope: the token has no scope openid")

// UserinfoResult is the result of OAUTH.USERINFO.
type UserinfoResult struct {
	Subject string                     `json:"sub" doc:"The person, as the client knows them."`
	Claims  authorization.PersonClaims `json:"claims" doc:"What the scopes of the token tell of them, and claims that the client named; all of it with a token of a session."`
}

func (s *Service) userinfo() command.Definition {
	return command.Define(command.Spec[command.None, UserinfoResult]{
		Name:    "OAUTH.USERINFO",
		Summary: "Who the caller is, as far as the token's scopes reach (OpenID Connect Core section 5.3).",
		Access:  access.User().But(access.Key).Delegated(),
		Effect:  command.Reads,
		Handle: func(_ context.Context, call command.Call, _ command.None) (UserinfoResult, error) {
			c := call.Caller
			scopes := c.Scopes
			switch {
			case c.Kind.InSession():
				scopes = oauth.ClaimScopes()
			case !slices.Contains(scopes, oauth.OpenID):
				return UserinfoResult{}, errOpenID
			}
			claims := authorization.ClaimsOf(c.Profile, c.Org.String(), c.Roles, scopes, c.Claims)
			if c.Actor != "" {
				claims.Actor = &authorization.Actor{Subject: c.Actor.String()}
			}
			return UserinfoResult{Subject: cmp.Or(c.KnownAs, c.User.String()), Claims: claims}, nil
		},
	})
}

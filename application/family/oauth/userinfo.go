package oauth

import (
	"cmp"
	"context"
	"slices"

	"gatehouse.internal/application/authorization"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/rolegrant"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/domain/role"
)

// errOpenID is returned for a token that was not given for OpenID Connect (RFC 6750 section 3.1).
var errOpenID = fault.New(fault.Denied, "insufficient_scope: the token lacks the scope openid")

// UserinfoResult is the result of OAUTH.USERINFO.
type UserinfoResult struct {
	Subject string                     `json:"sub" doc:"Identifier by which the client knows the person."`
	Claims  authorization.PersonClaims `json:"claims" doc:"Claims that the scopes of the token allow, and claims that the client requested individually. With a token of a session, all claims."`
	Custom  map[string]any             `json:"custom_claims,omitzero" doc:"Custom claims of the app (see APP.SET_CLAIMS). /oauth/userinfo returns them next to the standard claims."`
}

func (s *Service) userinfo() command.Definition {
	return command.Define(command.Spec[command.None, UserinfoResult]{
		Name:        "OAUTH.USERINFO",
		Summary:     "Retrieve claims about the person a token acts for.",
		Description: "Returns the claims that the scopes of the token allow (OpenID Connect Core, section 5.3).",
		Access:      access.User().But(access.Key).Delegated(),
		Effect:      command.Reads,
		Handle: func(ctx context.Context, call command.Call, _ command.None) (UserinfoResult, error) {
			c := call.Caller
			if !c.Kind.InSession() && !slices.Contains(c.Scopes, oauth.OpenID) {
				return UserinfoResult{}, errOpenID
			}
			person := personOf(c)
			claims, custom, err := s.Authorization.Claims(ctx, &person)
			if err != nil {
				return UserinfoResult{}, err
			}
			if c.Actor != "" {
				claims.Actor = &authorization.Actor{Subject: c.Actor.String()}
			}
			return UserinfoResult{Subject: person.Subject, Claims: claims, Custom: custom}, nil
		},
	})
}

// personOf returns what a caller may know about themself: in a session all of it.
func personOf(c access.Caller) authorization.Person {
	person := authorization.Person{
		Account: c.Profile, Subject: cmp.Or(c.KnownAs, c.User.String()), Org: c.Org, Affiliation: c.Affiliation, App: c.ActingApp, Scopes: c.Scopes, Named: c.Claims,
	}
	if c.Kind.InSession() {
		standing, _ := c.Source.(role.EffectiveRoles) // the zero one in a suspended workspace
		person.Scopes, person.Affiliation = oauth.ClaimScopes(), rolegrant.ActiveAffiliation(c.Org, standing)
	}
	return person
}

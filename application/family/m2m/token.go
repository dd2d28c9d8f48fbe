package m2m

import (
	"cmp"
	"context"

	"gatehouse.internal/application/client"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/dpop"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/domain/m2m"
	"gatehouse.internal/domain/maintenance"
	"gatehouse.internal/domain/resource"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/ports/outbound"
)

// TokenParams are the parameters of M2M.TOKEN.
type TokenParams struct {
	ClientID            string        `json:"client_id" doc:"Slug of the app." jsonschema:"format=credential,example=billing-worker"`
	ClientSecret        secret.String `json:"client_secret,omitzero" doc:"A secret of the app, the api_key of APP.REGISTER. Apps of the types spa and native have none." jsonschema:"format=credential"`
	ClientAssertion     secret.String `json:"client_assertion,omitzero" doc:"In place of a secret: a JWT that the app signed with one of its keys (RFC 7523 section 3); iss and sub are the client_id, aud is the issuer or the address of the token endpoint, exp is at most 10 minutes ahead, each jti works once." jsonschema:"format=credential,minLength=1,maxLength=8192" example:"-"`
	ClientAssertionType string        `json:"client_assertion_type,omitzero" doc:"With client_assertion: urn:ietf:params:oauth:client-assertion-type:jwt-bearer." jsonschema:"minLength=1,maxLength=128" example:"-"`
	Scopes              []app.Scope   `json:"scopes,omitzero" doc:"Scopes to ask for; absent: all that were granted to the app, empty: none. A permission of this service must be granted. Other scopes are those of the API that is registered under the audience, and free where that names none, unless the app was registered with a list of scopes; for an API of the instance a superadmin must have granted them." jsonschema:"maxItems=200"`
	Audience            string        `json:"audience,omitzero" doc:"Who the token is for; absent: this service. An audience belongs to one workspace: the slug of one of its apps, an API that it registered (OAUTH.RESOURCE_CREATE), or what one of its apps was the first to ask for. Those of others are invalid_target." jsonschema:"minLength=1,maxLength=512,pattern=^[!-~]+$,example=https://api.example.com"`
	Resource            string        `json:"resource,omitzero" doc:"The audience by RFC 8707: an absolute URI without a fragment, or the slug of a known API. With audience, both must be the same." jsonschema:"minLength=1,maxLength=512,pattern=^[!-~]+$" example:"-"`
	TTLSeconds          int           `json:"ttl_seconds,omitzero" doc:"Seconds the token shall live; absent: the app's access_ttl_seconds, or 3600. The app's access_ttl_seconds cuts it." jsonschema:"minimum=60,maximum=86400"`
	DPoPBinding         dpop.ID       `json:"dpop_binding,omitzero" doc:"Bind the token to this key, which the app registered by DPOP.REGISTER. A proof in the DPoP header binds it to the key of the proof; with both they must be the same."`
}

// TokenResult is the result of M2M.TOKEN.
type TokenResult struct {
	AccessToken secret.Shown `json:"access_token" doc:"Token for protected commands, or for the audience asked for."`
	JTI         string       `json:"jti" doc:"Identifier of the token, for M2M.REVOKE." jsonschema:"format=uuid"`
	TokenType   string       `json:"token_type" doc:"How it is presented: Bearer (RFC 6750), or DPoP when it is bound to a key (RFC 9449)." jsonschema:"enum=Bearer,enum=DPoP"`
	ExpiresIn   int          `json:"expires_in" doc:"Seconds until it expires."`
	Scope       string       `json:"scope" doc:"Its scopes, separated by spaces."`
}

// target returns who the token is for. The parameter resource names it too.
func (p TokenParams) target() string { return cmp.Or(p.Audience, p.Resource) }

// credentials returns those of the client, who wants a token for a target.
func (p TokenParams) credentials(target string) client.Credentials {
	return client.Credentials{
		ID: p.ClientID, Audience: target, Secret: p.ClientSecret, Assertion: p.ClientAssertion, AssertionType: p.ClientAssertionType,
	}
}

func (s *Service) token() command.Definition {
	return command.Define(command.Spec[TokenParams, TokenResult]{
		Name:    "M2M.TOKEN",
		Summary: "Exchange the client_id and a secret or signed assertion of an app for an access token (OAuth client credentials).",
		Access:  access.Public(),
		Effect:  command.Writes,
		Through: maintenance.ReadOnly,
		Trigger: flow.M2MToken,
		Limits:  []limit.Spec{limit.PerMinute(limit.IP, 6000), limit.PerMinute(limit.Token, 600)},
		Subject: func(_ context.Context, p TokenParams) (command.Subject, error) {
			target := s.Audiences.Target(p.target())
			subject, err := s.Clients.Subject(p.credentials(target))
			subject.Wants = &outbound.TokenWish{Audience: target}
			return subject, err
		},
		Emits:  []event.Kind{m2m.KindIssued, resource.KindCreated},
		Handle: s.exchange,
	})
}

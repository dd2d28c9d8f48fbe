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
	ClientID            string        `json:"client_id" doc:"The client_id of the app, which is its slug." jsonschema:"format=credential,example=billing-worker"`
	ClientSecret        secret.String `json:"client_secret,omitzero" doc:"Client secret of the app, which APP.REGISTER returned as api_key. spa and native apps have none." jsonschema:"format=credential"`
	ClientAssertion     secret.String `json:"client_assertion,omitzero" doc:"JWT signed with one of the keys of the app, in place of a secret (RFC 7523, section 3). iss and sub are the client_id. aud is the issuer or the URL of the token endpoint. exp is at most 10 minutes ahead. Each jti works once." jsonschema:"format=credential,minLength=1,maxLength=8192" example:"-"`
	ClientAssertionType string        `json:"client_assertion_type,omitzero" doc:"Required with client_assertion. Must be urn:ietf:params:oauth:client-assertion-type:jwt-bearer." jsonschema:"minLength=1,maxLength=128" example:"-"`
	Scopes              []app.Scope   `json:"scopes,omitzero" doc:"Scopes to request. Omit to request all scopes granted to the app. Use an empty list to request none. Permissions of this service must be granted. See the description for the scopes of other APIs." jsonschema:"maxItems=200"`
	Audience            string        `json:"audience,omitzero" doc:"Audience of the token. Defaults to this service. An audience of another workspace is refused with invalid_target. See the description." jsonschema:"minLength=1,maxLength=512,pattern=^[!-~]+$,example=https://api.example.com"`
	Resource            string        `json:"resource,omitzero" doc:"Audience as in RFC 8707: an absolute URI without a fragment, or the slug of a known API. If you also send audience, both must be the same." jsonschema:"minLength=1,maxLength=512,pattern=^[!-~]+$" example:"-"`
	TTLSeconds          int           `json:"ttl_seconds,omitzero" doc:"Lifetime of the token. Seconds. Defaults to the app's access_ttl_seconds, or 3600. The app's access_ttl_seconds is also the maximum." jsonschema:"minimum=60,maximum=86400"`
	DPoPBinding         dpop.ID       `json:"dpop_binding,omitzero" doc:"ID of a key to bind the token to, which the app registered with DPOP.REGISTER. A proof in the DPoP header binds the token to the key of the proof. If you send both, they must be the same key."`
}

// TokenResult is the result of M2M.TOKEN.
type TokenResult struct {
	AccessToken secret.Shown `json:"access_token" doc:"Access token for protected commands, or for the requested audience."`
	JTI         string       `json:"jti" doc:"ID of the token, for M2M.REVOKE." jsonschema:"format=uuid"`
	TokenType   string       `json:"token_type" doc:"Scheme to present the token with: Bearer (RFC 6750), or DPoP if it is bound to a key (RFC 9449)." jsonschema:"enum=Bearer,enum=DPoP"`
	ExpiresIn   int          `json:"expires_in" doc:"Seconds until the token expires."`
	Scope       string       `json:"scope" doc:"Scopes of the token, separated by spaces."`
}

// target returns who the token is for. The parameter resource names it too.
func (p TokenParams) target() string { return cmp.Or(p.Audience, p.Resource) }

// credentials returns those of the client, who wants a token for a target.
func (p TokenParams) credentials(target string) client.Credentials {
	return client.Credentials{
		ID: p.ClientID, Audience: target, Secret: p.ClientSecret, Assertion: p.ClientAssertion, AssertionType: p.ClientAssertionType,
	}
}

const tokenDescription = "The app authenticates with its `client_id` and a client secret or a signed assertion.\n\n" +
	"An audience belongs to one workspace. It is one of the following:\n\n" +
	"- The slug of one of its apps.\n" +
	"- An API that the workspace registered with OAUTH.RESOURCE_CREATE.\n" +
	"- An audience that one of its apps was the first to request.\n\n" +
	"Scopes that are not permissions of this service are the scopes of the API registered under the audience. If that API names no scopes, an " +
	"app can request any scope, unless the app was registered with a list of scopes. For an API of the instance, a superadmin must have granted " +
	"the scopes to the app."

func (s *Service) token() command.Definition {
	return command.Define(command.Spec[TokenParams, TokenResult]{
		Name:        "M2M.TOKEN",
		Summary:     "Get an access token for an app (OAuth client credentials).",
		Description: tokenDescription,
		Access:      access.Public(),
		Effect:      command.Writes,
		Through:     maintenance.ReadOnly,
		Trigger:     flow.M2MToken,
		Limits:      []limit.Spec{limit.PerMinute(limit.IP, 6000), limit.PerMinute(limit.Token, 600)},
		Subject: func(_ context.Context, p TokenParams) (command.Subject, error) {
			target := s.Audiences.Target(p.target())
			subject, err := s.Clients.Subject(p.credentials(target))
			subject.Wants = &outbound.TokenRequest{Audience: target}
			return subject, err
		},
		Emits:  []event.Kind{m2m.KindIssued, resource.KindCreated},
		Handle: s.exchange,
	})
}

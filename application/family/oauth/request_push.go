package oauth

import (
	"context"

	"gatehouse.internal/application/client"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/domain/maintenance"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/domain/secret"
)

// ClientParams are how a client says who it is.
type ClientParams struct {
	ClientID            string        `json:"client_id,omitzero" doc:"The client_id of the app. Defaults to the sub of client_assertion." jsonschema:"format=credential,example=wiki"`
	ClientSecret        secret.String `json:"client_secret,omitzero" doc:"Client secret of the app, which APP.REGISTER returned as api_key. Public clients (spa, native) have none." jsonschema:"format=credential"`
	ClientAssertion     secret.String `json:"client_assertion,omitzero" doc:"JWT signed by the app, in place of a secret. See M2M.TOKEN." jsonschema:"format=credential,minLength=1,maxLength=8192" example:"-"`
	ClientAssertionType string        `json:"client_assertion_type,omitzero" doc:"Required with client_assertion. Must be urn:ietf:params:oauth:client-assertion-type:jwt-bearer." jsonschema:"minLength=1,maxLength=128" example:"-"`
}

func (p ClientParams) credentials() client.Credentials {
	return RevokeParams{
		ClientID: p.ClientID, ClientSecret: p.ClientSecret, ClientAssertion: p.ClientAssertion, ClientAssertionType: p.ClientAssertionType,
	}.credentials()
}

// RequestPushParams are the parameters of OAUTH.REQUEST_PUSH.
type RequestPushParams struct {
	ClientParams
	AuthorizationParams
}

// RequestPushResult is the result of OAUTH.REQUEST_PUSH.
type RequestPushResult struct {
	RequestURI secret.Shown `json:"request_uri" doc:"Value that OAUTH.AUTHORIZE accepts as request_uri in place of the parameters."`
	ExpiresIn  int          `json:"expires_in" doc:"Seconds within which the request must be opened."`
}

func (s *Service) requestPush() command.Definition {
	return command.Define(command.Spec[RequestPushParams, RequestPushResult]{
		Name:        "OAUTH.REQUEST_PUSH",
		Summary:     "Push the parameters of an authorization request (RFC 9126).",
		Description: "The parameters do not pass through the browser, so nobody can read or change them on the way.",
		Access:      access.Public(),
		Effect:      command.Writes,
		Through:     maintenance.ReadOnly,
		Limits:      []limit.Spec{limit.PerMinute(limit.IP, 6000), limit.PerMinute(limit.Token, 600)},
		Subject: func(_ context.Context, p RequestPushParams) (command.Subject, error) {
			return s.Clients.Naming(p.credentials())
		},
		Handle: func(ctx context.Context, call command.Call, p RequestPushParams) (RequestPushResult, error) {
			credentials := p.credentials()
			credentials.DryRun, credentials.Count = call.DryRun, call.Count
			by, err := s.Clients.Identify(ctx, &credentials, call.Client)
			if err != nil {
				return RequestPushResult{}, err
			}
			uri, err := s.Authorization.Push(ctx, call, by, p.request(by.App.Slug))
			return RequestPushResult{RequestURI: secret.Shown(uri), ExpiresIn: int(oauth.PushedLife.Seconds())}, err
		},
	})
}

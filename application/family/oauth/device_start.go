package oauth

import (
	"context"
	"net/url"
	"time"

	"gatehouse.internal/application/authorization"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/domain/maintenance"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/domain/secret"
)

// devicePath is the page where people type user codes in.
const devicePath = "/device"

// DeviceStartParams are the parameters of OAUTH.DEVICE_START.
type DeviceStartParams struct {
	ClientParams

	Scope    string `json:"scope,omitzero" doc:"Requested scopes, separated by spaces. See OAUTH.AUTHORIZE." jsonschema:"minLength=1,maxLength=4096,example=openid profile"`
	Resource string `json:"resource,omitzero" doc:"API the access token is for (RFC 8707). Defaults to this service." jsonschema:"minLength=1,maxLength=512" example:"-"`
	Nonce    string `json:"nonce,omitzero" doc:"Value included in the ID token." jsonschema:"minLength=1,maxLength=1024"`
}

// DeviceStartResult is the result of OAUTH.DEVICE_START.
type DeviceStartResult struct {
	DeviceCode              secret.Shown `json:"device_code" doc:"Code that the device polls OAUTH.TOKEN with. Do not show it to anybody."`
	UserCode                secret.Shown `json:"user_code" doc:"Code that the device shows and the person types at verification_uri: eight letters and a hyphen."`
	VerificationURI         string       `json:"verification_uri" doc:"URL of the page that the device shows with the code."`
	VerificationURIComplete secret.Shown `json:"verification_uri_complete" doc:"URL of the same page with the code filled in, for a QR code."`
	ExpiresIn               int          `json:"expires_in" doc:"Seconds until both codes expire."`
	Interval                int          `json:"interval" doc:"Minimum time between two polls. Seconds."`
}

func (s *Service) deviceStart() command.Definition {
	return command.Define(command.Spec[DeviceStartParams, DeviceStartResult]{
		Name:        "OAUTH.DEVICE_START",
		Summary:     "Start a sign-in on a device without a browser (RFC 8628).",
		Description: "The device shows a code, which the person types on another device, such as their phone.",
		Access:      access.Public(),
		Effect:      command.Writes,
		Through:     maintenance.ReadOnly,
		Limits:      []limit.Spec{limit.PerMinute(limit.IP, 120), limit.PerMinute(limit.Token, 600)},
		Subject: func(_ context.Context, p DeviceStartParams) (command.Subject, error) {
			return s.Clients.Naming(p.credentials())
		},
		Handle: func(ctx context.Context, call command.Call, p DeviceStartParams) (DeviceStartResult, error) {
			credentials := p.credentials()
			credentials.DryRun, credentials.Count = call.DryRun, call.Count
			by, err := s.Clients.Identify(ctx, &credentials, call.Client)
			if err != nil {
				return DeviceStartResult{}, err
			}
			made, err := s.Authorization.StartDevice(ctx, call, by, authorization.DeviceParams{Scope: p.Scope, Resource: p.Resource, Nonce: p.Nonce})
			if err != nil {
				return DeviceStartResult{}, err
			}
			page := s.Access.Issuer + devicePath
			return DeviceStartResult{
				DeviceCode: made.Code, UserCode: made.User, VerificationURI: page,
				VerificationURIComplete: secret.Shown(page + "?" + url.Values{"user_code": {string(made.User)}}.Encode()),
				ExpiresIn:               int(oauth.DeviceLife / time.Second), Interval: int(made.Asked.Interval / time.Second),
			}, nil
		},
	})
}

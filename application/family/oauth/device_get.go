package oauth

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/device"
	"gatehouse.internal/domain/limit"
)

// How often user codes may be tried (RFC 8628 section 5.1): by one address, by one session,
// and by everybody together. That is one in 2,560,000 of all codes an hour.
const (
	codesByAddress = 60
	codesBySession = 20
	codesByAll     = 10_000
)

func codeLimits() []limit.Spec {
	return []limit.Spec{limit.PerHour(limit.IP, codesByAddress), limit.PerHour(limit.Token, codesBySession), limit.PerHour(limit.All, codesByAll)}
}

// DeviceGetParams are the parameters of OAUTH.DEVICE_GET.
type DeviceGetParams struct {
	UserCode string `json:"user_code" doc:"Code that the device shows. Case and separators between the letters do not matter." jsonschema:"minLength=1,maxLength=64,example=WDJB-MJHT"`
}

// DeviceGetResult is the result of OAUTH.DEVICE_GET.
type DeviceGetResult struct {
	Client    DeviceClient `json:"client" doc:"Client that requests access."`
	Scopes    []string     `json:"scopes" doc:"Requested scopes that the client can have."`
	IP        string       `json:"ip" doc:"IP address that the device, or the server behind it, sent the request from."`
	UserAgent string       `json:"user_agent" doc:"User agent of the device, or empty."`
	Device    string       `json:"device" doc:"Readable name of the device, from its user agent, or empty."`
	ExpiresAt time.Time    `json:"expires_at" doc:"Time the request expires."`
}

// DeviceClient is the client on a device as people are shown it.
type DeviceClient struct {
	ClientID  string `json:"client_id" doc:"The client_id of the app."`
	Name      string `json:"name" doc:"Display name of the app."`
	LogoURL   string `json:"logo_url" doc:"URL of the app's logo, or empty."`
	PolicyURL string `json:"policy_url" doc:"URL of the app's privacy policy, or empty."`
	TermsURL  string `json:"terms_url" doc:"URL of the app's terms of service, or empty."`

	Vouched app.Origin `json:"vouched_by,omitzero" doc:"Origin of a client that nobody in a workspace vouches for. open: it registered itself under a name of its choice."`
}

func (s *Service) deviceGet() command.Definition {
	return command.Define(command.Spec[DeviceGetParams, DeviceGetResult]{
		Name:        "OAUTH.DEVICE_GET",
		Summary:     "Look up a sign-in request of a device by its user code.",
		Description: "Shows which client requests access, and from where.",
		Access:      access.User().InPerson(),
		Effect:      command.Reads,
		Limits:      codeLimits(),
		Handle: func(ctx context.Context, _ command.Call, p DeviceGetParams) (DeviceGetResult, error) {
			asking, err := s.Authorization.Device(ctx, p.UserCode)
			if err != nil {
				return DeviceGetResult{}, err
			}
			of := asking.Client.App
			return DeviceGetResult{
				Client: DeviceClient{ClientID: of.Slug, Name: of.Name, LogoURL: of.LogoURL, PolicyURL: of.PolicyURL, TermsURL: of.TermsURL, Vouched: of.Origin},
				Scopes: asking.Scopes, IP: asking.IP, UserAgent: asking.UserAgent, Device: device.Describe(asking.UserAgent), ExpiresAt: asking.ExpiresAt,
			}, nil
		},
	})
}

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
	UserCode string `json:"user_code" doc:"The code that the device shows, in any case, with or without what stands between the letters." jsonschema:"minLength=1,maxLength=64,example=WDJB-MJHT"`
}

// DeviceGetResult is the result of OAUTH.DEVICE_GET.
type DeviceGetResult struct {
	Client    DeviceClient `json:"client" doc:"Who asks."`
	Scopes    []string     `json:"scopes" doc:"What it asks for and may have."`
	IP        string       `json:"ip" doc:"Address that the device, or the server behind it, asked from."`
	UserAgent string       `json:"user_agent" doc:"What it calls itself, or empty."`
	Device    string       `json:"device" doc:"The same as people know it, or empty."`
	ExpiresAt time.Time    `json:"expires_at" doc:"Until when it waits."`
}

// DeviceClient is the client on a device as people are shown it.
type DeviceClient struct {
	ClientID  string `json:"client_id" doc:"Slug of the app."`
	Name      string `json:"name" doc:"What it is called."`
	LogoURL   string `json:"logo_url" doc:"Its logo, or empty."`
	PolicyURL string `json:"policy_url" doc:"Its privacy policy, or empty."`
	TermsURL  string `json:"terms_url" doc:"Its terms of service, or empty."`

	Vouched app.Origin `json:"vouched_by,omitzero" doc:"Where nobody of a workspace vouches for it: open, for it registered itself under any name it liked."`
}

func (s *Service) deviceGet() command.Definition {
	return command.Define(command.Spec[DeviceGetParams, DeviceGetResult]{
		Name:    "OAUTH.DEVICE_GET",
		Summary: "Show who asks by the device that waits under a user code, and from where.",
		Access:  access.User().InPerson(),
		Effect:  command.Reads,
		Limits:  codeLimits(),
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

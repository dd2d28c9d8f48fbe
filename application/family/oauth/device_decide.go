package oauth

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/maintenance"
	"gatehouse.internal/domain/oauth"
)

// DeviceDecideParams are the parameters of OAUTH.DEVICE_DECIDE.
type DeviceDecideParams struct {
	UserCode string `json:"user_code" doc:"The code that the device shows." jsonschema:"minLength=1,maxLength=64,example=WDJB-MJHT"`
	Approve  bool   `json:"approve" doc:"Whether the device may have what it asks for."`
}

// DeviceDecideResult is the result of OAUTH.DEVICE_DECIDE.
type DeviceDecideResult struct {
	Approved bool `json:"approved" doc:"Whether the device was let in."`
}

func (s *Service) deviceDecide() command.Definition {
	return command.Define(command.Spec[DeviceDecideParams, DeviceDecideResult]{
		Name:    "OAUTH.DEVICE_DECIDE",
		Summary: "Let the device that waits under a user code have what it asks for, or nothing. Show people who asks first (OAUTH.DEVICE_GET), also where they came by a link: somebody else may have begun it. Granting offline_access or a permission of this service needs a login of the last 15 minutes (AUTH.REAUTHENTICATE).",
		Access:  access.User().InPerson().Presence(),
		Effect:  command.Writes,
		Through: maintenance.ReadOnly,
		Limits:  codeLimits(),
		Emits:   []event.Kind{oauth.KindDeviceApproved, oauth.KindDeviceDenied, oauth.KindConsentGranted},
		Handle: func(ctx context.Context, call command.Call, p DeviceDecideParams) (DeviceDecideResult, error) {
			err := s.Authorization.DecideDevice(ctx, call.Caller, p.UserCode, p.Approve)
			return DeviceDecideResult{Approved: p.Approve && err == nil}, err
		},
	})
}

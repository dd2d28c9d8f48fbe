package oauth

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/maintenance"
	"gatehouse.internal/domain/oauth"
)

// DeviceDecideParams are the parameters of OAUTH.DEVICE_DECIDE.
type DeviceDecideParams struct {
	UserCode string `json:"user_code" doc:"Code that the device shows." jsonschema:"minLength=1,maxLength=64,example=WDJB-MJHT"`
	Approve  bool   `json:"approve" doc:"Whether the device gets what it requests."`
}

// DeviceDecideResult is the result of OAUTH.DEVICE_DECIDE.
type DeviceDecideResult struct {
	Approved bool `json:"approved" doc:"Whether the request was approved."`
}

const deviceDecideDescription = "Before you ask people to decide, show them who requests access with OAUTH.DEVICE_GET. Do so even if they came by a link, because somebody " +
	"else may have started the request.\n\n" +
	"Granting `offline_access` or a permission of this service requires a sign-in within the last 15 minutes: see AUTH.REAUTHENTICATE."

func (s *Service) deviceDecide() command.Definition {
	return command.Define(command.Spec[DeviceDecideParams, DeviceDecideResult]{
		Name:        "OAUTH.DEVICE_DECIDE",
		Summary:     "Approve or deny a sign-in request of a device.",
		Description: deviceDecideDescription,
		Access:      access.User().InPerson().Presence(),
		Effect:      command.Writes,
		Through:     maintenance.ReadOnly,
		Trigger:     flow.Login,
		Quiet:       true,
		Limits:      codeLimits(),
		Emits:       []event.Kind{oauth.KindDeviceApproved, oauth.KindDeviceDenied, oauth.KindConsentGranted},
		Handle: func(ctx context.Context, call command.Call, p DeviceDecideParams) (DeviceDecideResult, error) {
			if err := s.Authorization.DecideDevice(ctx, call, p.UserCode, p.Approve); err != nil {
				return DeviceDecideResult{}, err
			}
			return DeviceDecideResult{Approved: p.Approve}, nil
		},
	})
}

package devices

import (
	"context"

	"gatehouse.internal/application/account"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/device"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
)

// errOneWay is returned for a call that names no device, or several selections.
var errOneWay = fault.Invalid("", "provide either device_id or all: true, not both")

// RevokeParams are the parameters of DEVICE.REVOKE.
type RevokeParams struct {
	DeviceID device.ID `json:"device_id,omitzero" doc:"ID of the device to forget. Another user's device requires the permission users:manage. Provide either this or all."`
	All      bool      `json:"all,omitzero" doc:"Whether to forget all of your own devices." example:"-"`
}

// RevokeResult is the result of DEVICE.REVOKE.
type RevokeResult struct {
	RevokedCount int `json:"revoked_count" doc:"Number of devices forgotten."`
}

func (s *Service) revoke() command.Definition {
	return command.Define(command.Spec[RevokeParams, RevokeResult]{
		Name:        "DEVICE.REVOKE",
		Summary:     "Forget a remembered device, or all of yours.",
		Description: "The next sign-in from a forgotten device requires the second factor again.",
		Access:      access.Anybody().Scoped(account.Manage),
		Effect:      command.Writes,
		Withdraws:   true,
		Emits:       []event.Kind{device.KindRevoked},
		Handle: func(ctx context.Context, call command.Call, p RevokeParams) (RevokeResult, error) {
			if (p.DeviceID == "") != p.All {
				return RevokeResult{}, errOneWay
			}
			forgotten := 0
			err := s.Unit.Do(ctx, func(tx Repos) error {
				chosen, err := s.chosen(ctx, tx, call.Caller, p)
				if err != nil {
					return err
				}
				for _, one := range chosen {
					one.Revoke()
					if err := tx.Devices.Remove(ctx, one); err != nil {
						return err
					}
				}
				forgotten = len(chosen)
				return nil
			})
			return RevokeResult{RevokedCount: forgotten}, err
		},
	})
}

// chosen returns the devices to forget. It fails with device.ErrNotFound when the one
// that is named is not the caller's to forget.
func (s *Service) chosen(ctx context.Context, tx Repos, caller access.Caller, p RevokeParams) ([]*device.Device, error) {
	if p.All {
		if caller.Kind == access.App {
			return nil, access.ErrNotForApps
		}
		return tx.Devices.Held(ctx, caller.User, s.Clock.Now())
	}
	named, err := tx.Devices.ByID(ctx, p.DeviceID)
	if err != nil {
		return nil, err
	}
	if !owns(caller, named) {
		if !caller.May(account.Manage) {
			return nil, device.ErrNotFound
		}
		if _, err := account.Managed(ctx, tx.Users, caller, named.Snapshot().UserID); err != nil {
			return nil, err
		}
	}
	return []*device.Device{named}, nil
}

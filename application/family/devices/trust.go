package devices

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/device"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/secret"
)

// TrustParams are the parameters of DEVICE.TRUST.
type TrustParams struct {
	Name device.Name `json:"name,omitzero" doc:"Name of the device."`
}

// TrustResult is the result of DEVICE.TRUST.
type TrustResult struct {
	Device      Device       `json:"device" doc:"The remembered device."`
	DeviceToken secret.Shown `json:"device_token" doc:"Token to send to AUTH.LOGIN from this device. It is returned only once. Store it as securely as a password."`
	ExpiresAt   time.Time    `json:"expires_at" doc:"When the token expires. The MFA policy sets the number of days (remember_days)."`
}

func (s *Service) trust() command.Definition {
	return command.Define(command.Spec[TrustParams, TrustResult]{
		Name:    "DEVICE.TRUST",
		Summary: "Remember the calling device.",
		Description: "Requires a sign-in with a second factor within the last 15 minutes. Sign-ins that send the device token skip the second factor, until the first of these:\n\n" +
			"- The token expires.\n" +
			"- The device is revoked.\n" +
			"- The password or the second factors are reset.\n\n" +
			"The MFA policy can shorten this time or disable remembered devices (`remember_days`).",
		Access: access.User().InPerson().Recent(),
		Effect: command.Writes,
		Emits:  []event.Kind{device.KindTrusted},
		Handle: func(ctx context.Context, call command.Call, p TrustParams) (TrustResult, error) {
			rules, err := s.Policies.OfUser(ctx, call.Caller.User)
			if err != nil {
				return TrustResult{}, err
			}
			token, digest := challenge.NewHandle(s.Random)
			made, err := s.remember(ctx, call, device.Draft{
				ID: device.NewID(s.IDs), UserID: call.Caller.User, Digest: digest, Name: p.Name,
				IP: call.IP, UserAgent: call.UserAgent,
			}, rules.MFA)
			if err != nil {
				return TrustResult{}, err
			}
			return TrustResult{Device: show(made), DeviceToken: token, ExpiresAt: made.ExpiresAt}, nil
		},
	})
}

// remember stores a device.
func (s *Service) remember(ctx context.Context, call command.Call, w device.Draft, rules policy.MFA) (device.Snapshot, error) {
	var stored device.Snapshot
	err := s.Unit.Do(ctx, func(tx Repos) error {
		now := s.Clock.Now()
		held, err := tx.Devices.Held(ctx, w.UserID, now)
		if err != nil {
			return err
		}
		asking, err := tx.Sessions.ByID(ctx, call.Caller.Session)
		if err != nil {
			return err
		}
		w.AMR = asking.Snapshot().AMR
		made, err := device.Trust(w, rules, len(held), now)
		if err != nil {
			return err
		}
		stored = made.Snapshot()
		return tx.Devices.Save(ctx, made)
	})
	return stored, err
}

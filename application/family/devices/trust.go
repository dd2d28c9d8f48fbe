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
	Name device.Name `json:"name,omitzero" doc:"What to call the device."`
}

// TrustResult is the result of DEVICE.TRUST.
type TrustResult struct {
	Device      Device       `json:"device" doc:"The device as lists show it."`
	DeviceToken secret.Shown `json:"device_token" doc:"What to send to AUTH.LOGIN from this device. It is shown this once: keep it as a password is kept."`
	ExpiresAt   time.Time    `json:"expires_at" doc:"Until when it works: as many days as the mfa policy says (remember_days)."`
}

func (s *Service) trust() command.Definition {
	return command.Define(command.Spec[TrustParams, TrustResult]{
		Name: "DEVICE.TRUST",
		Summary: "Remember the device that calls, after a second factor: logins that send its token skip the second factor, " +
			"until it ends, is revoked, or the password or the factors are reset. The mfa policy can shorten this, or switch it off.",
		Access: access.User().InPerson().Recent(),
		Effect: command.Writes,
		Emits:  []event.Kind{device.KindTrusted},
		Handle: func(ctx context.Context, call command.Call, p TrustParams) (TrustResult, error) {
			rules, err := s.Policies.OfUser(ctx, call.Caller.User)
			if err != nil {
				return TrustResult{}, err
			}
			token, digest := challenge.NewHandle(s.Random)
			made, err := s.remember(ctx, call, device.Wish{
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
func (s *Service) remember(ctx context.Context, call command.Call, w device.Wish, rules policy.MFA) (device.Snapshot, error) {
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

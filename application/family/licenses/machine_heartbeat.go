package licenses

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/license"
)

// HeartbeatParams are the parameters of LICENSE.MACHINE_HEARTBEAT.
type HeartbeatParams struct {
	Key     string              `json:"key" doc:"License key." jsonschema:"minLength=1,maxLength=100,example=LIC-9ZKT4-MNW2X-0V8QA-7RD3F-H5CJB"`
	Machine license.Fingerprint `json:"machine" doc:"Fingerprint of the machine."`
}

// HeartbeatResult is the result of LICENSE.MACHINE_HEARTBEAT.
type HeartbeatResult struct {
	Code       license.Code `json:"code" doc:"Outcome: valid, or the reason why the machine is not active." jsonschema:"enum=unknown,enum=revoked,enum=suspended,enum=expired,enum=machine_mismatch,enum=too_many_machines,enum=valid"`
	AliveUntil *time.Time   `json:"alive_until,omitzero" doc:"Time until which the machine stays active without another heartbeat. Omitted if it never lapses or is not active."`
}

func (s *Service) machineHeartbeat() command.Definition {
	return command.Define(command.Spec[HeartbeatParams, HeartbeatResult]{
		Name:    "LICENSE.MACHINE_HEARTBEAT",
		Summary: "Send a heartbeat of an activated machine.",
		Description: "Call this command from your program with the license key; it needs no sign-in.\n" +
			"A machine that has lapsed is activated again if the license has a free activation.",
		Access:  access.Public(),
		Effect:  command.Writes,
		Emits:   []event.Kind{license.KindActivated},
		Limits:  asked(),
		Subject: func(_ context.Context, p HeartbeatParams) (command.Subject, error) { return counted(p.Key) },
		Handle: func(ctx context.Context, _ command.Call, p HeartbeatParams) (HeartbeatResult, error) {
			if until, noted, err := s.beat(ctx, p); err != nil || noted {
				return HeartbeatResult{Code: license.Valid, AliveUntil: view.Time(until)}, err
			}
			came, err := s.byKey(ctx, p.Key, func(tx Repos, l *license.License) (seat, error) {
				return s.place(ctx, tx, l, p.Machine, nil)
			})
			result := HeartbeatResult{Code: came.code}
			if came.machine != nil {
				result.AliveUntil = came.machine.AliveUntil
			}
			return result, err
		},
	})
}

// beat notes the sign of life of a machine that has its place, without a unit of work of its
// own. It reports whether it did.
func (s *Service) beat(ctx context.Context, p HeartbeatParams) (until time.Time, noted bool, err error) {
	canonical, ok := license.ReadKey(p.Key)
	if !ok {
		return time.Time{}, false, nil
	}
	return s.Beats.Beat(ctx, canonical, p.Machine)
}

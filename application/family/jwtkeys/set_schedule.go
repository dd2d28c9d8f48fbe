package jwtkeys

import (
	"cmp"
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/signingkey"
)

// SetScheduleParams are the parameters of JWT_KEY.SET_SCHEDULE.
type SetScheduleParams struct {
	EveryDays    *int                 `json:"every_days,omitzero" nullable:"true" doc:"Days between rotations, counted from now and from every rotation. Omit or use null to rotate only manually." jsonschema:"minimum=1,maximum=3650,example=90"`
	Algorithm    signingkey.Algorithm `json:"algorithm,omitzero" doc:"Algorithm of future keys. Defaults to ES256."`
	OverlapHours *int                 `json:"overlap_hours,omitzero" doc:"Hours the old key stays valid for verification. Defaults to 24." jsonschema:"minimum=0,maximum=720,example=24"`
}

// SetScheduleResult is the result of JWT_KEY.SET_SCHEDULE.
type SetScheduleResult struct {
	Schedule *Schedule `json:"schedule" doc:"Schedule after the change. Null if keys are not rotated automatically."`
}

func (s *Service) setSchedule() command.Definition {
	return command.Define(command.Spec[SetScheduleParams, SetScheduleResult]{
		Name:    "JWT_KEY.SET_SCHEDULE",
		Summary: "Schedule the automatic rotation of signing keys.",
		Description: "Keys are rotated every `every_days` days, or never if you omit it. The next key is prepared immediately, so that verifiers know it before " +
			"it signs.",
		Access: access.Superadmin().Recent(),
		Effect: command.Writes,
		Emits:  []event.Kind{signingkey.KindScheduleSet},
		Handle: func(ctx context.Context, _ command.Call, p SetScheduleParams) (SetScheduleResult, error) {
			planned := signingkey.Schedule{
				EveryDays: either(p.EveryDays, 0), Algorithm: cmp.Or(p.Algorithm, signingkey.ES256),
				OverlapHours: either(p.OverlapHours, defaultOverlap),
			}
			fresh, err := s.Keys.Fresh(planned.Algorithm)
			if err != nil {
				return SetScheduleResult{}, err
			}
			var after signingkey.Snapshot
			err = s.Unit.Do(ctx, func(tx Repos) error {
				ring, err := tx.Keys.Load(ctx)
				if err != nil {
					return err
				}
				ring.SetSchedule(planned, fresh, s.Clock.Now())
				after = ring.Snapshot()
				return tx.Keys.Save(ctx, ring)
			})
			return SetScheduleResult{Schedule: schedule(after)}, err
		},
	})
}

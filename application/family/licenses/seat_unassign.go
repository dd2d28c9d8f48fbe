package licenses

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/license"
)

// SeatUnassignResult is the result of LICENSE.SEAT_UNASSIGN.
type SeatUnassignResult struct {
	Unassigned bool `json:"unassigned" doc:"Whether the account or email address had a seat."`
}

func (s *Service) seatUnassign() command.Definition {
	return command.Define(command.Spec[SeatParams, SeatUnassignResult]{
		Name:    "LICENSE.SEAT_UNASSIGN",
		Summary: "Unassign a named seat of a license.",
		Description: "Identify the seat by account or email address, as `LICENSE.SEAT_LIST` shows it.\n\n" +
			"Call it as the owner of the license, or with `licenses:write` in the workspace that issued it.",
		Access:      access.Anybody().Scoped(writing),
		InWorkspace: true,
		Effect:      command.Writes,
		Withdraws:   true,
		Emits:       []event.Kind{license.KindSeatUnassigned},
		Handle: func(ctx context.Context, call command.Call, p SeatParams) (result SeatUnassignResult, err error) {
			err = s.Unit.Do(ctx, func(tx Repos) error {
				of, seat, err := s.seatOf(ctx, tx, call.Caller, p)
				if result.Unassigned = seat != nil; err != nil || seat == nil {
					return err
				}
				seat.Unassign(of.Snapshot())
				return tx.Seats.Delete(ctx, seat)
			})
			return result, err
		},
	})
}

package licenses

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/license"
)

// SeatResult is the result of LICENSE.SEAT_ASSIGN.
type SeatResult struct {
	Seat view.Seat `json:"seat" doc:"The assigned seat."`
}

func (s *Service) seatAssign() command.Definition {
	return command.Define(command.Spec[SeatParams, SeatResult]{
		Name:    "LICENSE.SEAT_ASSIGN",
		Summary: "Assign a named seat of a license to an account or email address.",
		Description: "Call it as the owner of the license, or with `licenses:write` in the workspace that issued it.\n" +
			"An account or address that already has a seat keeps it.\n\n" +
			"When an account binds the email address of a seat, the seat becomes the account's.",
		Access:      access.Anybody().Scoped(writing),
		InWorkspace: true,
		Effect:      command.Writes,
		Emits:       []event.Kind{license.KindSeatAssigned},
		Handle: func(ctx context.Context, call command.Call, p SeatParams) (result SeatResult, err error) {
			id := license.NewSeatID(s.IDs)
			err = s.Unit.Do(ctx, func(tx Repos) error {
				of, seat, err := s.seatOf(ctx, tx, call.Caller, p)
				if err == nil && seat == nil {
					seat, err = s.assign(ctx, tx, of.Snapshot(), license.SeatSnapshot{ID: id, Holder: p.holder()})
				}
				if err != nil {
					return err
				}
				result.Seat = view.OfSeat(seat.Snapshot())
				return nil
			})
			return result, err
		},
	})
}

// assign takes a free seat of a license for somebody who is there.
func (s *Service) assign(ctx context.Context, tx Repos, of license.Snapshot, to license.SeatSnapshot) (*license.Seat, error) {
	var err error
	if to.UserID = to.Holder.UserID; to.UserID != "" {
		err = belongs(ctx, tx, license.Owner{UserID: to.UserID})
	} else {
		to.UserID, err = tx.Owners.Bound(ctx, to.Holder.Email)
	}
	if err != nil {
		return nil, err
	}
	taken, err := tx.Seats.Count(ctx, of.ID)
	if err != nil {
		return nil, err
	}
	made, err := license.Assign(of, to, taken, s.now())
	if err != nil {
		return nil, err
	}
	return made, tx.Seats.Save(ctx, made)
}

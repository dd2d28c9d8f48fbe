package licenses

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/license"
)

// SeatListParams are the parameters of LICENSE.SEAT_LIST.
type SeatListParams struct {
	LicenseID license.ID `json:"license_id" doc:"ID of the license."`
	page.Params
}

func (s *Service) seatList() command.Definition {
	return command.Define(command.Spec[SeatListParams, page.Of[view.Seat]]{
		Name:    "LICENSE.SEAT_LIST",
		Summary: "List the named seats of a license, newest first.",
		Description: "The license must be owned by you or your workspace. With `licenses:read`, you can also list seats of licenses that the " +
			"workspace issued.",
		Access:      access.Anybody(),
		InWorkspace: true,
		Effect:      command.Reads,
		Handle: func(ctx context.Context, call command.Call, p SeatListParams) (page.Of[view.Seat], error) {
			of, err := s.readable(ctx, call.Caller, p.LicenseID)
			if err != nil {
				return page.Of[view.Seat]{}, err
			}
			list := s.Cursors.List("LICENSE.SEAT_LIST|"+of.ID.String(), p.Params)
			return page.Read(list, func(one license.SeatSnapshot) string { return one.ID.String() }, view.OfSeat,
				func(before string, most int) ([]license.SeatSnapshot, error) {
					return s.Seats.List(ctx, of.ID, license.SeatID(before), most)
				})
		},
	})
}

// readable reads a license that the caller may see. It fails with license.ErrNotFound.
func (s *Service) readable(ctx context.Context, caller access.Caller, id license.ID) (license.Snapshot, error) {
	found, err := s.Licenses.Find(ctx, id)
	if err == nil && !manages(caller, found, reading) {
		err = license.ErrNotFound
	}
	return found, err
}

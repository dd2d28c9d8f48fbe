package licenses

import (
	"context"
	"errors"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/license"
	"gatehouse.internal/domain/user"
)

// SeatParams name a named seat of a license.
type SeatParams struct {
	LicenseID license.ID    `json:"license_id" doc:"ID of the license. It must be your own, or issued by a workspace in which you hold licenses:write."`
	UserID    user.ID       `json:"user_id,omitzero" doc:"Account that holds the seat. It can belong to any workspace. Provide either user_id or email."`
	Email     email.Address `json:"email,omitzero" doc:"Email address that holds the seat. Provide either user_id or email." example:"-"`
}

func (p SeatParams) holder() license.Holder { return license.Holder{UserID: p.UserID, Email: p.Email} }

// seatOf reads the seat of somebody under a lock of the license, which the caller manages;
// nil for none. It fails with license.ErrNotFound.
func (s *Service) seatOf(ctx context.Context, tx Repos, caller access.Caller, p SeatParams) (*license.License, *license.Seat, error) {
	of, err := tx.managed(ctx, caller, p.LicenseID)
	if err == nil {
		err = p.holder().Check()
	}
	if err != nil {
		return nil, nil, err
	}
	found, err := tx.Seats.Of(ctx, p.LicenseID, p.holder())
	if errors.Is(err, license.ErrNoSeat) {
		return of, nil, nil
	}
	return of, found, err
}

// managed reads a license that the caller manages, under a lock. It fails with
// license.ErrNotFound.
func (tx Repos) managed(ctx context.Context, caller access.Caller, id license.ID) (*license.License, error) {
	found, err := tx.Licenses.ByID(ctx, id)
	if err == nil && !manages(caller, found.Snapshot(), writing) {
		err = license.ErrNotFound
	}
	return found, err
}

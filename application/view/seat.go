package view

import (
	"time"

	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/license"
	"gatehouse.internal/domain/user"
)

// Seat is a named seat of a license in results.
type Seat struct {
	LicenseID  license.ID    `json:"license_id" doc:"The license."`
	UserID     user.ID       `json:"user_id,omitzero" doc:"The person who has it; absent: an address has it, whose account is not told."`
	Email      email.Address `json:"email,omitzero" doc:"The address that it was given to, until that is bound to an account."`
	AssignedAt time.Time     `json:"assigned_at" doc:"When it was given."`
}

// OfSeat shows a named seat.
func OfSeat(s license.SeatSnapshot) Seat {
	return Seat{LicenseID: s.LicenseID, UserID: s.Holder.UserID, Email: s.Holder.Email, AssignedAt: s.AssignedAt}
}

// Lease is a lease of a floating seat in results.
type Lease struct {
	ID         license.LeaseID     `json:"id" doc:"Identifier of the lease, to renew and release it by."`
	LicenseID  license.ID          `json:"license_id" doc:"The license."`
	Machine    license.Fingerprint `json:"machine" doc:"The machine that has it."`
	User       string              `json:"user" doc:"Who has it there, as the program tells; may be empty."`
	AcquiredAt time.Time           `json:"acquired_at" doc:"Since when."`
	EndsAt     time.Time           `json:"ends_at" doc:"Until when, unless it is renewed."`
}

// OfLease shows a lease.
func OfLease(s license.LeaseSnapshot) Lease {
	return Lease{ID: s.ID, LicenseID: s.LicenseID, Machine: s.Machine, User: s.User, AcquiredAt: s.AcquiredAt, EndsAt: s.EndsAt}
}

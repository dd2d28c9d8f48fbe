package view

import (
	"time"

	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/license"
	"gatehouse.internal/domain/user"
)

// Seat is a named seat of a license in results.
type Seat struct {
	LicenseID  license.ID    `json:"license_id" doc:"ID of the license."`
	UserID     user.ID       `json:"user_id,omitzero" doc:"Account that holds the seat. Omitted if an email address holds it, even if that address has an account."`
	Email      email.Address `json:"email,omitzero" doc:"Email address that the seat was assigned to. Omitted once it is bound to an account."`
	AssignedAt time.Time     `json:"assigned_at" doc:"Time at which the seat was assigned."`
}

// OfSeat shows a named seat.
func OfSeat(s license.SeatSnapshot) Seat {
	return Seat{LicenseID: s.LicenseID, UserID: s.Holder.UserID, Email: s.Holder.Email, AssignedAt: s.AssignedAt}
}

// Lease is a lease of a floating seat in results.
type Lease struct {
	ID         license.LeaseID     `json:"id" doc:"ID of the lease. Use it to renew or release the lease."`
	LicenseID  license.ID          `json:"license_id" doc:"ID of the license."`
	Machine    license.Fingerprint `json:"machine" doc:"Fingerprint of the machine that holds the seat."`
	User       string              `json:"user" doc:"User on the machine, as the program reported it. May be empty."`
	AcquiredAt time.Time           `json:"acquired_at" doc:"Time at which the seat was leased."`
	EndsAt     time.Time           `json:"ends_at" doc:"Time at which the lease expires unless it is renewed."`
}

// OfLease shows a lease.
func OfLease(s license.LeaseSnapshot) Lease {
	return Lease{ID: s.ID, LicenseID: s.LicenseID, Machine: s.Machine, User: s.User, AcquiredAt: s.AcquiredAt, EndsAt: s.EndsAt}
}

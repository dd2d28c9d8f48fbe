package people

import (
	"context"
	"time"

	"gatehouse.internal/domain/impersonation"
	"gatehouse.internal/domain/user"
)

// Impersonations stores impersonations, and what people allow of them, inside a unit of work.
type Impersonations interface {
	// ByID fails with impersonation.ErrNotFound.
	ByID(ctx context.Context, id impersonation.ID) (*impersonation.Impersonation, error)
	Save(ctx context.Context, i *impersonation.Impersonation) error
	// Open returns the impersonations of a person of which no end was noted.
	Open(ctx context.Context, person user.ID) ([]*impersonation.Impersonation, error)
	// Unended returns up to most impersonations of which no end was noted, in the order of their IDs
	// and beyond one: their Standing says whether they have ended without being stopped.
	Unended(ctx context.Context, beyond impersonation.ID, most int) ([]impersonation.Standing, error)
	// AllowedUntil returns until when a person allows support to act as them; zero: not at all.
	AllowedUntil(ctx context.Context, person user.ID) (time.Time, error)
	// Allow replaces that; zero is no more.
	Allow(ctx context.Context, person user.ID, until time.Time) error
}

// ImpersonationDirectory lists impersonations for reading, outside any transaction.
type ImpersonationDirectory interface {
	// List returns the impersonations that match, newest first.
	List(ctx context.Context, query ImpersonationQuery) ([]Impersonation, error)
	// AllowedUntil returns until when a person allows support to act as them; zero: not at all.
	AllowedUntil(ctx context.Context, person user.ID) (time.Time, error)
}

// Impersonation is one as lists show it.
type Impersonation struct {
	impersonation.Snapshot

	// ActorName is the display name of the actor; empty where their account is gone.
	ActorName string
}

// ImpersonationQuery narrows a list of impersonations; zero values do not narrow.
type ImpersonationQuery struct {
	// Concerning narrows to those in which somebody acts, or is acted as.
	Concerning user.ID
	User       user.ID
	Actor      user.ID
	// Active narrows to those that go on, or to those that do not.
	Active *bool
	// Before is the last id of the page before.
	Before impersonation.ID
	Limit  int
	Now    time.Time
}

package signin

import (
	"context"
	"net/netip"
	"time"

	"gatehouse.internal/domain/risk"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// RiskQuery identifies a login attempt and the history to assess it with.
type RiskQuery struct {
	User user.ID
	// Org restricts the history to logins in a workspace.
	Org workspace.ID
	IP  string
	// Client is the display name of the client (device.Kind).
	Client string
	// Device is the digest of a remembered device's token, if one was sent; the device
	// must have been remembered after a time.
	Device          string
	RememberedAfter time.Time
	// KnownFor is how long a client counts as known.
	KnownFor time.Duration
	Now      time.Time
}

// RiskHistories reads the history for risk assessments, inside a unit of work.
type RiskHistories interface {
	// Of returns the history in one round trip, without the locations of the addresses.
	Of(ctx context.Context, ask RiskQuery) (risk.History, error)
}

// Assessments stores risk assessments, inside a unit of work.
type Assessments interface {
	// ByID returns an assessment. It fails with risk.ErrNotFound.
	ByID(ctx context.Context, id risk.ID) (*risk.Assessment, error)
	// Save stores an assessment. It fails with aggregate.ErrConflict if it was changed
	// since it was read.
	Save(ctx context.Context, a *risk.Assessment) error
}

// AssessmentDirectory reads assessments, outside any transaction.
type AssessmentDirectory interface {
	// List returns the assessments that match, newest first.
	List(ctx context.Context, query AssessmentQuery) ([]risk.Snapshot, error)
}

// AssessmentQuery narrows a list of assessments; zero values do not narrow.
type AssessmentQuery struct {
	User     user.ID
	Org      workspace.ID
	IP       string
	MinScore int
	// From is inclusive, and To exclusive.
	From, To time.Time
	// Before is the last ID of the previous page.
	Before risk.ID
	Limit  int
}

// Places looks up the locations of addresses.
type Places interface {
	// Place returns the location of an address; unknown parts are empty.
	Place(address netip.Addr) risk.Place
}

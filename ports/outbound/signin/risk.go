package signin

import (
	"context"
	"net/netip"
	"time"

	"gatehouse.internal/domain/risk"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// RiskAsk is whose history is wanted, for which attempt.
type RiskAsk struct {
	User user.ID
	// Org narrows the history to what happened in a workspace: its logins alone.
	Org workspace.ID
	IP  string
	// Client is what is used, by the name that a person knows it by (device.Kind).
	Client string
	// Device is the digest of the token of a remembered device, if one was sent, that counts
	// when it was remembered after a time.
	Device          string
	RememberedAfter time.Time
	// KnownFor is how long a client is known.
	KnownFor time.Duration
	Now      time.Time
}

// RiskHistories reads what attempts are scored by, inside a unit of work.
type RiskHistories interface {
	// Of reads all of it in one round trip, without the places of the addresses.
	Of(ctx context.Context, ask RiskAsk) (risk.History, error)
}

// Assessments stores the assessments of attempts, inside a unit of work.
type Assessments interface {
	// ByID fails with risk.ErrNotFound.
	ByID(ctx context.Context, id risk.ID) (*risk.Assessment, error)
	// Save fails with aggregate.ErrConflict when it was changed since it was read.
	Save(ctx context.Context, a *risk.Assessment) error
}

// AssessmentDirectory lists assessments, outside any transaction.
type AssessmentDirectory interface {
	// List returns those that match, newest first.
	List(ctx context.Context, query AssessmentQuery) ([]risk.Snapshot, error)
}

// AssessmentQuery narrows a list of assessments; zero values do not narrow.
type AssessmentQuery struct {
	User     user.ID
	Org      workspace.ID
	IP       string
	MinScore int
	// From is the first moment, To the first one beyond.
	From, To time.Time
	// Before is the last id of the page before.
	Before risk.ID
	Limit  int
}

// Places knows where addresses are.
type Places interface {
	// Place is where an address is; what is not known of it is empty.
	Place(address netip.Addr) risk.Place
}

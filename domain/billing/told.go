package billing

import (
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/workspace"
)

// ErrNoEvent says that there is no such event of a processor, for whoever asks.
var ErrNoEvent = fault.New(fault.NotFound, "no such processor event")

// ErrApplied refuses to apply again what was applied.
var ErrApplied = fault.New(fault.Validation, "the processor event did not fail: there is nothing to apply again")

// ErrSignature refuses a hook that the processor did not sign for this instance, or not
// within the last minutes.
var ErrSignature = fault.New(fault.Auth, "the signature is not that of the payment processor, or is older than 5 minutes")

// SignatureAge is how old a signed hook may be.
const SignatureAge = 5 * time.Minute

// MostAttempts is how often what was told is applied before only a replay does.
const MostAttempts = 8

// ToldStatus is what became of what a processor told.
type ToldStatus string

// The states: to be applied, applied, of no consequence, failed.
const (
	ToldPending ToldStatus = "pending"
	ToldApplied ToldStatus = "applied"
	ToldIgnored ToldStatus = "ignored"
	ToldFailed  ToldStatus = "failed"
)

// Told is one event that a processor told of.
type Told struct {
	ID      EventID
	Account Account
	// EventID and Type are the processor's.
	EventID, Type string
	// OrgID is the workspace whose sale it is about; empty until that is known.
	OrgID      workspace.ID
	Facts      []Fact
	Status     ToldStatus
	Reason     string
	Attempts   int
	ReceivedAt time.Time
	AppliedAt  time.Time
}

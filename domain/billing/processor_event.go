package billing

import (
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/workspace"
)

// ErrNoEvent is returned if the processor event does not exist, or the caller may not
// see it.
var ErrNoEvent = fault.New(fault.NotFound, "no such processor event")

// ErrApplied is returned if a processor event was already applied.
var ErrApplied = fault.New(fault.Validation, "the processor event did not fail: only failed events can be applied again")

// ErrSignature is returned for a hook that the processor did not sign for this instance, or not
// within the last minutes.
var ErrSignature = fault.New(fault.Auth, "the payment processor's signature is invalid or older than 5 minutes")

// SignatureAge is how old a signed hook may be.
const SignatureAge = 5 * time.Minute

// MostAttempts is the number of automatic attempts to apply a processor event;
// afterwards it can be replayed.
const MostAttempts = 8

// ProcessorEventStatus is the processing status of a processor event.
type ProcessorEventStatus string

// The states: to be applied, applied, of no consequence, failed.
const (
	EventPending ProcessorEventStatus = "pending"
	EventApplied ProcessorEventStatus = "applied"
	EventIgnored ProcessorEventStatus = "ignored"
	EventFailed  ProcessorEventStatus = "failed"
)

// ProcessorEvent is an event received from a processor.
type ProcessorEvent struct {
	ID      EventID
	Account Account
	// EventID and Type are the processor's.
	EventID, Type string
	// OrgID is the workspace of the sale; empty while unknown.
	OrgID      workspace.ID
	Facts      []Fact
	Status     ProcessorEventStatus
	Reason     string
	Attempts   int
	ReceivedAt time.Time
	AppliedAt  time.Time
}

package mail

import (
	"time"

	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/user"
)

// Errors of mail in the queue.
var (
	ErrNotFound = fault.New(fault.NotFound, "no such email")
	// ErrNotFailed is returned for mail that was sent, or is queued.
	ErrNotFailed = fault.New(fault.Validation, "only failed emails can be queued again")
	// ErrLost is returned if the lease of a mail has expired and another replica has
	// it.
	ErrLost = fault.New(fault.Internal, "the claim on the email was lost")
)

// Status is the status of a request.
type Status string

// The states of a request. A queued one becomes any of the others, which stay as
// they are, but for a failed one that is queued again.
const (
	Queued Status = "queued"
	Sent   Status = "sent"
	// Failed is given up.
	Failed Status = "failed"
	// Suppressed was not sent because the address gets no mail, or no more for now.
	Suppressed Status = "suppressed"
)

// SchemaFragment describes the status in a JSON Schema.
func (Status) SchemaFragment() map[string]any {
	return map[string]any{"type": "string", "enum": []any{string(Queued), string(Sent), string(Failed), string(Suppressed)}}
}

// ClaimedMail is a request that one replica carries out, until its lease ends.
type ClaimedMail struct {
	ID ID
	Request
	// Attempt counts the attempts from 1. It distinguishes an attempt from later ones.
	Attempt int
}

// Outcome is the result of an attempt.
type Outcome struct {
	// Status is Queued for a mail that is tried again at RetryAt.
	Status  Status
	RetryAt time.Time
	// Why is shown to superadmins; it contains no address.
	Why string
}

// Entry is a mail as superadmins see it.
type Entry struct {
	ID       ID
	Template Template
	UserID   user.ID
	// To is the address it was sent to or, before that, the current address of the
	// account.
	To        email.Address
	Status    Status
	Attempts  int
	LastError string
	CreatedAt time.Time
}

// Letter is a mail that is written.
type Letter struct {
	// ID identifies the letter, also one that is sent again after a crash.
	ID ID
	To email.Address
	// From is the display name of the sender, if the configuration has none.
	From    string
	Subject string
	HTML    string
	Text    string
}

package mail

import (
	"time"

	"gatehouse.internal/domain/email"
)

// MailboxHourly is the maximum number of mails to an address within an hour, over all
// commands and accounts, to prevent flooding. Notices, second factor codes, and
// verification of address changes are counted separately from mail that anybody can
// request.
const MailboxHourly = 20

// UnprovedDaily is the maximum number of security notices within a day to an address that
// nobody proved to be theirs. Further ones are combined into one mail.
const UnprovedDaily = 3

// Reason is why an address gets no mail.
type Reason string

// The reasons.
const (
	Bounce    Reason = "bounce"
	Complaint Reason = "complaint"
	Manual    Reason = "manual"
)

// SchemaFragment describes the reason in a JSON Schema.
func (Reason) SchemaFragment() map[string]any {
	return map[string]any{"type": "string", "enum": []any{string(Bounce), string(Complaint), string(Manual)}}
}

// Suppression is an address that gets no mail.
type Suppression struct {
	// ID sorts by creation.
	ID        string
	Email     email.Address
	Reason    Reason
	CreatedAt time.Time
}

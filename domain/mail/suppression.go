package mail

import (
	"time"

	"gatehouse.internal/domain/email"
)

// MailboxHourly is how many mails go to one address within any hour, over all
// commands and accounts: nobody's mailbox is flooded through this service. Notices
// of changes, codes of second factors, and what asks whether an account may have the
// address count apart from mail that anybody can ask for.
const MailboxHourly = 20

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

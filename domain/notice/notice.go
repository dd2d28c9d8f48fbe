// Package notice is the model of security notices: they inform a person of actions on
// their account that somebody else may have taken. Most are raised by events; each is
// stored for the person to read, and most are mailed.
package notice

import (
	"time"

	"gatehouse.internal/domain/device"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/id"
	"gatehouse.internal/domain/mail"
	"gatehouse.internal/domain/user"
)

type idKind struct{}

func (idKind) Prefix() string { return "ntf" }

// ID identifies a notice to a person.
type ID = id.ID[idKind]

// NewID mints an identifier.
func NewID(m id.Minter) ID { return id.New[idKind](m) }

// KeptFor is how long a notice is kept.
const KeptFor = 365 * 24 * time.Hour

// Snapshot is a stored notice.
type Snapshot struct {
	ID     ID
	UserID user.ID
	Kind   Kind
	// EventID is the event of the notice; empty if there is none.
	EventID event.ID
	// IP and UserAgent are the origin; empty for actions of administrators.
	IP        string
	UserAgent string
	CreatedAt time.Time
	ReadAt    time.Time
	// Until is when the reported state ends by itself, for the mail only.
	Until time.Time
}

// VisibleOrigin returns the origin of an event as far as its person may know it: that of other
// actors is not shown.
func VisibleOrigin(origin event.Origin, person user.ID) (ip, userAgent string) {
	if origin.ActorKind == "anonymous" || (origin.ActorKind == "user" && origin.ActorID == person.String()) {
		return origin.IP, origin.UserAgent
	}
	return "", ""
}

// Facts returns the template variables of the mail about a notice. The origin is
// omitted if it is not shown.
func (s Snapshot) Facts(of Definition) map[string]string {
	facts := map[string]string{"headline": of.Headline, "detail": of.Sentence, "when": s.CreatedAt.UTC().Format(mail.TimeFormat)}
	if !s.Until.IsZero() {
		facts["detail"] += " This ends on " + s.Until.UTC().Format(mail.TimeFormat) + "."
	}
	if page := of.Page(); page != "" {
		facts["page"] = page
	}
	if named := device.Describe(s.UserAgent); named != "" {
		facts["device"] = named
	}
	if s.IP != "" {
		facts["ip"] = s.IP
	}
	return facts
}

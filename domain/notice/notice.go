// Package notice holds the security notices: what a person is told when something
// happened to their account that somebody else might have done. Most are raised by
// events; each is kept for the person to read, and most are mailed.
package notice

import (
	"time"

	"gatehouse.internal/domain/device"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/id"
	"gatehouse.internal/domain/user"
)

type idKind struct{}

func (idKind) Prefix() string { return "ntf" }

// ID identifies a notice that somebody got.
type ID = id.ID[idKind]

// NewID mints an identifier.
func NewID(m id.Minter) ID { return id.New[idKind](m) }

// KeptFor is how long a notice is kept.
const KeptFor = 365 * 24 * time.Hour

// Snapshot is a notice that somebody got, as it is stored.
type Snapshot struct {
	ID     ID
	UserID user.ID
	Kind   Kind
	// EventID is the event that it tells of; empty where no event does.
	EventID event.ID
	// IP and UserAgent are where that came from; empty where an administrator did it.
	IP        string
	UserAgent string
	CreatedAt time.Time
	ReadAt    time.Time
	// Until is when what it tells of ends by itself, for its mail alone.
	Until time.Time
}

// Told is where from an event happened, as far as its person may know: who acts on
// somebody else's account is not shown to them.
func Told(origin event.Origin, person user.ID) (ip, userAgent string) {
	if origin.ActorKind == "anonymous" || (origin.ActorKind == "user" && origin.ActorID == person.String()) {
		return origin.IP, origin.UserAgent
	}
	return "", ""
}

// Facts returns the facts in the mail about a notice, by the names that its template uses.
// Where from is left out when that is not told.
func (s Snapshot) Facts(of Definition) map[string]string {
	const form = "2 January 2006, 15:04 MST"
	facts := map[string]string{"headline": of.Headline, "detail": of.Sentence, "when": s.CreatedAt.UTC().Format(form)}
	if !s.Until.IsZero() {
		facts["detail"] += " That ends on " + s.Until.UTC().Format(form) + "."
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

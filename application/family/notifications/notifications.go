// Package notifications implements the family NOTIFICATION: security notices, and which
// of them are mailed.
package notifications

import (
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/device"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/notice"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/people"
)

// Repos holds the repositories of one unit of work.
type Repos struct {
	Notices people.Notices
}

// Service holds the dependencies of the family's commands.
type Service struct {
	Unit      outbound.Unit[Repos]
	Directory people.NoticeDirectory
	Clock     outbound.Clock
	Cursors   page.Cursors
}

// Commands lists the commands of the family.
func (s *Service) Commands() []command.Definition {
	return []command.Definition{
		s.list(),
		s.markRead(),
		s.preferenceGet(),
		s.preferenceSet(),
	}
}

// Notification is a security notice in results.
type Notification struct {
	ID        notice.ID   `json:"id" doc:"ID of the notice."`
	Kind      notice.Kind `json:"kind" doc:"Kind of the notice."`
	Headline  string      `json:"headline" doc:"Short title of the notice."`
	Message   string      `json:"message" doc:"Text of the notice."`
	Vital     bool        `json:"vital" doc:"Whether the notice is always emailed, regardless of preferences."`
	EventID   *event.ID   `json:"event_id" doc:"ID of the reported event, as in AUDIT.SEARCH. Null for a sign-in."`
	IP        string      `json:"ip" doc:"IP address that the action came from. Empty if an administrator or the service acted."`
	UserAgent string      `json:"user_agent" doc:"User agent of the client. Empty if an administrator or the service acted."`
	Device    string      `json:"device" doc:"Browser and operating system, derived from the user agent. Empty if unknown." jsonschema:"example=Firefox on Windows"`
	CreatedAt time.Time   `json:"created_at" doc:"When the event happened."`
	ReadAt    *time.Time  `json:"read_at" doc:"When the notice was marked as read. Null if it is unread."`
}

// show returns a notice; one whose kind only another release knows has no words.
func show(s notice.Snapshot) Notification {
	of, _ := notice.Find(s.Kind)
	shown := Notification{
		ID: s.ID, Kind: s.Kind, Headline: of.Headline, Message: of.Sentence, Vital: of.Vital,
		IP: s.IP, UserAgent: s.UserAgent, Device: device.Describe(s.UserAgent),
		CreatedAt: s.CreatedAt, ReadAt: view.Time(s.ReadAt),
	}
	if s.EventID != "" {
		shown.EventID = &s.EventID
	}
	return shown
}

func position(s notice.Snapshot) string { return s.ID.String() }

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
	ID        notice.ID   `json:"id" doc:"Identifier of the notice."`
	Kind      notice.Kind `json:"kind" doc:"What it is about."`
	Headline  string      `json:"headline" doc:"That in a few words."`
	Message   string      `json:"message" doc:"That in a sentence."`
	Vital     bool        `json:"vital" doc:"Whether it comes by mail whatever the preferences say."`
	EventID   *event.ID   `json:"event_id" doc:"The event that it tells of, as in AUDIT.SEARCH; null: a login."`
	IP        string      `json:"ip" doc:"Address that it came from; empty where an administrator or the service acted."`
	UserAgent string      `json:"user_agent" doc:"What the client called itself; empty likewise."`
	Device    string      `json:"device" doc:"Browser and system, as the user agent tells them; empty when it tells neither." jsonschema:"example=Firefox on Windows"`
	CreatedAt time.Time   `json:"created_at" doc:"When it happened."`
	ReadAt    *time.Time  `json:"read_at" doc:"When it was marked read; null: not yet."`
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

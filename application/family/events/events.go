// Package events implements the family EVENT: the event kinds, and the event feed.
package events

import (
	"encoding/json"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/kinds"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/webhooks"
)

// Service holds the dependencies of the family's commands.
type Service struct {
	// Kinds returns every kind; it is complete only after the families are.
	Kinds      func() *kinds.Catalog
	Feed       webhooks.Feed
	Deliveries webhooks.DeliveryDirectory
	Cursors    page.Cursors
	// Leaving is ready once the service stops.
	Leaving <-chan struct{}
}

// Commands lists the commands of the family.
func (s *Service) Commands() []command.Definition {
	return []command.Definition{
		s.kindList(),
		s.kindGet(),
		s.list(),
		s.get(),
	}
}

// Event is an event of the feed: the body of a webhook, and the workspace it is of.
type Event struct {
	ID        event.ID        `json:"id" doc:"ID of the event."`
	Type      event.Kind      `json:"type" doc:"Type of the event. EVENT.KIND_GET describes it."`
	Timestamp time.Time       `json:"timestamp" doc:"When the event happened."`
	OrgID     *workspace.ID   `json:"org_id" doc:"ID of the workspace the event belongs to. Null for events of the instance."`
	Data      json.RawMessage `json:"data" doc:"Content of the event, as described by the schema of its type."`
}

func show(r event.Record) Event {
	return Event{ID: r.ID, Type: r.Kind, Timestamp: r.At, OrgID: view.Text(workspace.ID(r.OrgID)), Data: r.Data}
}

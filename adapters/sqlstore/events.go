package sqlstore

import (
	"context"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/id"
	"gatehouse.internal/domain/label"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound"
)

const (
	eventColumns = `id, kind, at, outcome, user_id, org_id, actor_kind, actor_id, session_id,
	ip, ip_index, user_agent, request_id, request_index, command, data, on_behalf_of`
	eventTypes = `id text, kind text, at time, outcome text, user_id text, org_id text, actor_kind text, actor_id text,
	session_id text, ip text, ip_index text, user_agent text, request_id text, request_index text, command text, data text, on_behalf_of text`
	insertEvents = `INSERT INTO events (` + eventColumns + `) SELECT ` + eventColumns + ` FROM {rows ` + eventTypes + `}`
	// A statement that queues its events for the feed sets queued. A trigger queues the other events: those
	// of the previous release, and those of a database that takes no changes in WITH.
	storedEvents = `told AS (INSERT INTO events (` + eventColumns + `, queued) SELECT ` + eventColumns + `, TRUE FROM `
	queueStored  = ` RETURNING id, org_id, kind), queued AS (
INSERT INTO event_queue (event_id, org_id, kind) SELECT id, org_id, kind FROM told)`
	insertAndQueue = `WITH ` + storedEvents + `{rows ` + eventTypes + `}` + queueStored + ` SELECT 1`
	// insertEventsOf stores the events of what was written, as a part of WITH; the condition
	// lacks its right side, and queueStored follows.
	insertEventsOf = storedEvents + `{rows written text, ` + eventTypes + `} WHERE r.written IN `
)

// Events returns the port that records events which belong to no aggregate.
func (t *Tx) Events() outbound.Events { return events{t} }

type events struct{ tx *Tx }

// Record stores events.
func (e events) Record(ctx context.Context, happened ...event.Data) error {
	return e.tx.Record(ctx, happened)
}

// RecordChange stores an event together with the change of configuration that it reports.
func (e events) RecordChange(ctx context.Context, happened event.Data, change event.Change) error {
	return e.tx.record(ctx, []event.Data{happened}, &change)
}

// Record records events with the origin of the context, in the given order. They are written
// together when the transaction ends.
func (t *Tx) Record(ctx context.Context, happened []event.Data) error {
	return t.record(ctx, happened, nil)
}

// record records events, the last of them with the change that it reports.
func (t *Tx) record(ctx context.Context, happened []event.Data, change *event.Change) error {
	for i, data := range happened {
		encoded, err := t.store.eventRow(event.OriginOf(ctx), data)
		if err != nil {
			return err
		}
		t.happened, t.kinds = append(t.happened, encoded), append(t.kinds, data.Kind())
		if change != nil && i == len(happened)-1 {
			t.changes = append(t.changes, t.store.changeRow(encoded, *change))
		}
		if of, raises := t.store.notices[data.Kind()]; raises {
			raised := raisedNotice{of: of, person: user.ID(event.ConcernOf(data).UserID), event: event.ID(encoded[0].(string))} //nolint:forcetypeassert // eventRow begins with it
			if ends, ok := data.(interface{ Ends() time.Time }); ok {
				raised.until = ends.Ends()
			}
			t.raised = append(t.raised, raised)
		}
	}
	return nil
}

// writeEvents writes the recorded events and the notices that they raise.
func (t *Tx) writeEvents(ctx context.Context) error {
	happened, raised, changes := t.happened, t.raised, t.changes
	if len(happened) == 0 {
		return nil
	}
	t.happened, t.raised, t.changes, t.evented = nil, nil, nil, true
	if err := t.insertEvents(ctx, happened); err != nil {
		return err
	}
	if len(changes) > 0 {
		if _, err := t.Exec(ctx, insertChanges, changes); err != nil {
			return fmt.Errorf("store changes: %w", err)
		}
	}
	return t.storeNotices(ctx, raised)
}

// insertEvents writes encoded events, which queues them for the feed.
func (t *Tx) insertEvents(ctx context.Context, happened Rows) error {
	text := insertEvents
	if t.store.database.ChangesInWith {
		text = insertAndQueue
	}
	if _, err := t.Exec(ctx, text, happened); err != nil {
		return fmt.Errorf("store events: %w", err)
	}
	return nil
}

// eventRow returns the values of an event in the column order of insertEvents.
func (s *Store) eventRow(origin event.Origin, data event.Data) ([]any, error) {
	content, err := json.Marshal(data, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("encode an event %s: %w", data.Kind(), err)
	}
	happened, self := s.clock.Now(), event.NewID(s.ids)
	minted, concern, outcome, request := self.String(), event.ConcernOf(data), event.Success, Printable(origin.RequestID)
	if concern.Failed {
		outcome = event.Failure
	}
	seal := s.RowSealer("events", minted)
	return []any{
		minted, string(data.Kind()), At(near(self, happened)), string(outcome), concern.UserID, concern.OrgID,
		origin.ActorKind, origin.ActorID, origin.Credential,
		seal("ip", origin.IP), s.Index(label.IP, origin.IP),
		seal("user_agent", Printable(origin.UserAgent)), request, requestIndex(request, self), origin.Command,
		seal("data", string(content)), origin.OnBehalfOf,
	}, nil
}

// apart is the maximum difference between the time of an event and that of its identifier.
// Both are read from the same clock, but identifiers keep increasing after the clock was set
// back.
const apart = 10 * time.Second

// near returns the time of an event, moved towards that of its identifier if they differ by
// more than apart: a search by time selects identifiers of that time.
func near(self event.ID, happened time.Time) time.Time {
	minted := self.Time()
	if earliest := minted.Add(-apart); happened.Before(earliest) {
		return earliest
	}
	if latest := minted.Add(apart); happened.After(latest) {
		return latest
	}
	return happened
}

// requestTime is how long after a request its events are searched for by the time in the
// request's identifier.
const requestTime = 2 * time.Second

// requestIndex returns the value by which the events of a request are found. It is empty if
// the time in the request's identifier suffices to find them. Callers may send any identifier,
// so its time is only relied on if it is close to that of the event.
func requestIndex(request string, happened event.ID) string {
	if made, known := id.UUIDTime(request); known && happened >= event.EarliestID(made) && happened < event.EarliestID(made.Add(requestTime)) {
		return ""
	}
	return request
}

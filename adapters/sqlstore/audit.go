package sqlstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"gatehouse.internal/adapters/cipher"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/id"
	"gatehouse.internal/domain/label"
	"gatehouse.internal/domain/m2m"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/ports/outbound"
)

// AuditTrail searches the event log.
func (s *Store) AuditTrail() outbound.AuditTrail { return auditTrail{s} }

type auditTrail struct{ store *Store }

const shownColumns = `id, kind, at, outcome, user_id, org_id, actor_kind, actor_id, session_id,
	ip, user_agent, request_id, command, data, on_behalf_of`

// storedEvent is the stored form of an event. The address, the user agent and the data, which
// may contain names and reasons, are sealed.
type storedEvent struct {
	ID        event.ID      `db:"id"`
	Kind      event.Kind    `db:"kind"`
	At        Instant       `db:"at"`
	Outcome   event.Outcome `db:"outcome"`
	UserID    string        `db:"user_id"`
	OrgID     string        `db:"org_id"`
	ActorKind string        `db:"actor_kind"`
	ActorID   string        `db:"actor_id"`
	SessionID string        `db:"session_id"`
	IP        string        `db:"ip"`
	UserAgent string        `db:"user_agent"`
	RequestID string        `db:"request_id"`
	Command   string        `db:"command"`
	Data      string        `db:"data"`
	Behalf    string        `db:"on_behalf_of"`
}

// Search returns events, newest first: in the order of their identifiers, which the
// indexes end in.
func (a auditTrail) Search(ctx context.Context, query outbound.AuditQuery) ([]event.Record, error) {
	text, args := a.statement(query)
	var found []storedEvent
	if err := a.store.Reader(ctx).Search(ctx, &found, "SELECT "+shownColumns+" FROM events"+text, args...); err != nil {
		return nil, fmt.Errorf("search the event log: %w", err)
	}
	return a.records(found)
}

func (a auditTrail) records(found []storedEvent) ([]event.Record, error) {
	return Map(found, func(row *storedEvent) (event.Record, error) { return a.record(row) })
}

// EventsOf returns events by their identifiers, in any order; those that were purged are omitted.
func (s *Store) EventsOf(ctx context.Context, ids []event.ID) ([]event.Record, error) {
	var found []storedEvent
	err := s.Reader(ctx).List(ctx, &found, "SELECT "+shownColumns+" FROM events WHERE id {any id text}", OneColumn(texts(ids)))
	if err != nil {
		return nil, fmt.Errorf("read events: %w", err)
	}
	return auditTrail{s}.records(found)
}

// IPIndexesOf returns the blind indexes of the IP addresses of events.
func (s *Store) IPIndexesOf(ctx context.Context, ids []event.ID) (map[event.ID]string, error) {
	var found []struct {
		ID    event.ID `db:"id"`
		Index string   `db:"ip_index"`
	}
	err := s.Reader(ctx).List(ctx, &found, "SELECT id, ip_index FROM events WHERE id {any id text}", OneColumn(texts(ids)))
	if err != nil {
		return nil, fmt.Errorf("read the indexes of events: %w", err)
	}
	indexes := make(map[event.ID]string, len(found))
	for _, one := range found {
		indexes[one.ID] = one.Index
	}
	return indexes, nil
}

func texts(ids []event.ID) []string {
	all := make([]string, len(ids))
	for i, id := range ids {
		all[i] = id.String()
	}
	return all
}

// statement returns what follows FROM. A search of several parts of the log reads one page of
// each part, because with OR it would read the whole log.
func (a auditTrail) statement(query outbound.AuditQuery) (text string, args []any) {
	const byID = " ORDER BY id DESC LIMIT ?"
	parts, rest := a.store.parts(query)
	limit := AtMost(query.Limit)
	if len(parts) == 0 {
		return rest.String() + byID, append(rest.Args, limit)
	}
	pages := make([]string, len(parts))
	for i, part := range parts {
		part.also(rest)
		pages[i] = fmt.Sprintf("SELECT id FROM (SELECT id FROM events%s%s) AS part%d", part, byID, i)
		args = append(append(args, part.Args...), limit)
	}
	return " WHERE id IN (" + strings.Join(pages, " UNION ") + ")" + byID, append(args, limit)
}

// parts returns the index ranges that together contain the results of a search, and its other
// conditions. It returns no parts if a single index range contains them all.
func (s *Store) parts(query outbound.AuditQuery) (parts []*Filter, rest *Filter) {
	rest = s.matchEvents(query)
	own, org := query.Own.String(), query.Org.String()
	switch {
	case query.RequestID != "":
		parts = ofRequest(query.RequestID)
		rest.Unless(own == "", "(user_id = ? OR actor_id = ? OR (org_id = ? AND org_id <> ''))", own, own, org)
	case own != "":
		parts = []*Filter{under("user_id", own), under("actor_id", own)}
		if org != "" {
			parts = append(parts, under("org_id", org))
		}
	}
	return parts, rest
}

// under returns the condition for a value of a column whose partial index omits empty values.
// It excludes them explicitly, so that the index can be used.
func under(column, value string) *Filter {
	f := &Filter{}
	f.Where(column+" = ? AND "+column+" <> ''", value)
	return f
}

// ofRequest returns the parts of the log that contain the events of a request.
func ofRequest(request string) []*Filter {
	parts := []*Filter{under("request_index", request)}
	if made, known := id.UUIDTime(request); known {
		during := &Filter{}
		during.Where("id >= ? AND id < ? AND request_id = ?",
			event.EarliestID(made).String(), event.EarliestID(made.Add(requestTime)).String(), request)
		parts = append(parts, during)
	}
	return parts
}

// matchEvents returns the conditions of a search, except those that select parts of the log.
func (s *Store) matchEvents(query outbound.AuditQuery) *Filter {
	f := &Filter{}
	for _, narrow := range []struct{ column, value string }{
		{"user_id", query.User.String()},
		{"org_id", orgAlone(query)},
		{"ip_index", s.Index(label.IP, query.IP)},
		{"actor_id", query.ActorID},
	} {
		if narrow.value != "" {
			f.also(under(narrow.column, narrow.value))
		}
	}
	f.Unless(query.Kind == "", OfKind(query.Kind), string(query.Kind))
	f.Unless(query.Outcome == "", "outcome = ?", string(query.Outcome))
	// A range of identifiers, which the indexes cover, and within it the exact times.
	f.Unless(query.From.IsZero(), "id >= ? AND at >= ?", event.EarliestID(query.From.Add(-apart)).String(), At(query.From))
	f.Unless(query.To.IsZero(), "id < ? AND at < ?", event.EarliestID(query.To.Add(apart+time.Millisecond)).String(), At(query.To))
	f.Unless(query.Before == "", "id < ?", query.Before.String())
	return f
}

// hotKinds returns the kinds that every refresh and every token records. The index by kind omits
// them: they are so frequent that a page of them is found by reading the log from its end.
// The migration 0002_machines.sql lists the same kinds.
func hotKinds() [2]event.Kind { return [2]event.Kind{session.KindRefreshed, m2m.KindIssued} }

// OfKind returns the condition for a kind. For all but the hot kinds it repeats the condition
// of the partial index by kind, without which no database would use that index.
func OfKind(kind event.Kind) string {
	hot := hotKinds()
	if slices.Contains(hot[:], kind) {
		return "kind = ?"
	}
	return fmt.Sprintf("kind = ? AND kind NOT IN ('%s', '%s')", hot[0], hot[1])
}

// orgAlone returns the workspace that a search is limited to, or "" if the search includes a
// person's own events.
func orgAlone(query outbound.AuditQuery) string {
	if query.Own != "" {
		return ""
	}
	return query.Org.String()
}

// record opens a stored event.
func (a auditTrail) record(e *storedEvent) (event.Record, error) {
	open := a.store.RowOpener("events", e.ID.String())
	record := event.Record{
		ID: e.ID, Kind: e.Kind, At: e.At.Time, Outcome: e.Outcome, UserID: e.UserID, OrgID: e.OrgID,
		Origin: event.Origin{
			ActorKind: e.ActorKind, ActorID: e.ActorID, Credential: e.SessionID, IP: open.Value("ip", e.IP),
			UserAgent: open.Value("user_agent", e.UserAgent), RequestID: e.RequestID, Command: e.Command, OnBehalfOf: e.Behalf,
		},
		Data: []byte(open.Value("data", e.Data)),
	}
	switch {
	case errors.Is(open.Err, cipher.ErrAltered), open.Err == nil && !json.Valid(record.Data):
		// An altered event must neither hide the others nor block the readers of the log.
		record.Altered, record.Data = true, []byte("null")
	case open.Err != nil:
		return event.Record{}, fmt.Errorf("open the event %s: %w", e.ID, open.Err)
	}
	return record, nil
}

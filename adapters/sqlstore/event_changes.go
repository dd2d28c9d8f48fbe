package sqlstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gatehouse.internal/adapters/cipher"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/ports/outbound"
)

const insertChanges = `INSERT INTO event_changes (id, org_id, resource, object, actor_id, before, after)
	SELECT id, org_id, resource, object, actor_id, before, after
	FROM {rows id text, org_id text, resource text, object text, actor_id text, before text, after text}`

// The positions of values in a row of insertEvents.
const (
	idCell    = 0
	kindCell  = 1
	orgCell   = 5
	actorCell = 7
)

// changeRow returns the change of an event in the column order of insertChanges.
func (s *Store) changeRow(of []any, change event.Change) []any {
	minted, kind := fmt.Sprint(of[idCell]), fmt.Sprint(of[kindCell])
	resource, _, _ := strings.Cut(kind, ".")
	seal := s.RowSealer("event_changes", minted)
	return []any{minted, of[orgCell], resource, change.Object, of[actorCell], seal("before", string(change.Before)), seal("after", string(change.After))}
}

// storedChange is the stored form of a change.
type storedChange struct {
	ID     event.ID `db:"id"`
	Object string   `db:"object"`
	Before string   `db:"before"`
	After  string   `db:"after"`
}

// Changes searches changes, then reads their events.
func (a auditTrail) Changes(ctx context.Context, query outbound.ChangeQuery) ([]outbound.Changed, error) {
	f := &Filter{}
	f.Where("resource = ?", query.Resource)
	f.Unless(query.Org == "", "org_id = ?", query.Org.String())
	f.Unless(query.Object == "", "object = ? AND object <> ''", query.Object)
	f.Unless(query.ActorID == "", "actor_id = ?", query.ActorID)
	f.Unless(query.From.IsZero(), "id >= ?", event.EarliestID(query.From).String())
	f.Unless(query.To.IsZero(), "id < ?", event.EarliestID(query.To).String())
	f.Unless(query.Before == "", "id < ?", query.Before.String())
	var found []storedChange
	err := a.store.Reader(ctx).List(ctx, &found, "SELECT id, object, before, after FROM event_changes"+f.String()+" ORDER BY id DESC LIMIT ?",
		append(f.Args, AtMost(query.Limit))...)
	if err != nil {
		return nil, fmt.Errorf("search the changes: %w", err)
	}
	ids := make([]event.ID, len(found))
	for i, one := range found {
		ids[i] = one.ID
	}
	records, err := a.store.EventsOf(ctx, ids)
	if err != nil {
		return nil, err
	}
	changed := make([]outbound.Changed, 0, len(found))
	for _, one := range found {
		at := slices.IndexFunc(records, func(r event.Record) bool { return r.ID == one.ID })
		if at < 0 {
			continue // it went meanwhile
		}
		change, err := a.store.openChange(one)
		if err != nil {
			return nil, err
		}
		changed = append(changed, outbound.Changed{Record: records[at], Change: change})
	}
	return changed, nil
}

// ChangesOf returns the changes of events; events without one are omitted.
func (s *Store) ChangesOf(ctx context.Context, ids []event.ID) (map[event.ID]event.Change, error) {
	var found []storedChange
	err := s.Reader(ctx).List(ctx, &found, `SELECT c.id, c.object, c.before, c.after FROM {rows id text} JOIN event_changes c ON c.id = r.id`, OneColumn(texts(ids)))
	if err != nil {
		return nil, fmt.Errorf("read changes: %w", err)
	}
	changes := make(map[event.ID]event.Change, len(found))
	for _, one := range found {
		if changes[one.ID], err = s.openChange(one); err != nil {
			return nil, err
		}
	}
	return changes, nil
}

// sound reports whether a state is JSON, or absent.
func sound(state []byte) bool { return len(state) == 0 || json.Valid(state) }

func (s *Store) openChange(one storedChange) (event.Change, error) {
	open := s.RowOpener("event_changes", one.ID.String())
	change := event.Change{Object: one.Object, Before: []byte(open.Value("before", one.Before)), After: []byte(open.Value("after", one.After))}
	if errors.Is(open.Err, cipher.ErrAltered) || open.Err == nil && (!sound(change.Before) || !sound(change.After)) {
		return event.Change{Object: one.Object, Before: []byte("null"), After: []byte("null"), Altered: true}, nil
	}
	if open.Err != nil {
		return event.Change{}, fmt.Errorf("open the change %s: %w", one.ID, open.Err)
	}
	return change, nil
}

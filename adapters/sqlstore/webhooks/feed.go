package webhooks

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/webhook"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/webhooks"
)

// scannedAtOnce is how many positions a search for events of some kinds reads at once.
const scannedAtOnce = 5000

// Feed returns the feed of events.
//
// # Decision: positions are assigned after the commit
//
// Context: the identifier of an event is assigned before the commit, so that an event may become visible
// after others with later identifiers. The specification names the oldest running transaction as the
// bound below which no event can appear any more.
//
// Choice: each transaction queues its events: on PostgreSQL by the statement that stores them, or by a
// trigger for the previous release, on SQLite by a trigger, which costs as little there. One replica at a
// time moves events from the queue to the feed, and assigns the next positions. An event that is
// committed late has a later position, so that no consumer misses it, and no consumer waits for a
// transaction that stays open, of any program in the same cluster. No transaction id is stored, so that
// dump and restore change nothing.
//
// What would change our mind: a consumer that needs the order of commits within one pass.
func Feed(store *sqlstore.Store) webhooks.Feed { return feed{store} }

type feed struct{ store *sqlstore.Store }

// queued is an event that has no position yet.
type queued struct {
	EventID string `db:"event_id"`
	OrgID   string `db:"org_id"`
	Kind    string `db:"kind"`
}

// The most events that one transaction places, and the most deliveries that it makes. On SQLite every
// other writer waits for it. The deliveries of a single event are fewer: at most one for each endpoint of
// its workspace and of the instance.
const (
	placedAtOnce    = 500
	deliveredAtOnce = 10 * webhook.MaxEndpoints
)

// Place assigns positions to all queued events. It reads the queue outside a transaction first, because it
// is empty most of the time.
func (f feed) Place(ctx context.Context) error {
	var waiting []int
	if err := f.store.Reader(ctx).List(ctx, &waiting, `SELECT 1 FROM event_queue LIMIT 1`); err != nil || len(waiting) == 0 {
		return sqlstore.Wrap("look at the queue of events", err)
	}
	for more := true; more; {
		err := f.store.Do(ctx, func(tx *sqlstore.Tx) (err error) {
			more, err = place(ctx, tx)
			return err
		})
		if err != nil {
			return sqlstore.Wrap("place events", err)
		}
	}
	return nil
}

// Refresh places events that were committed, as far as nobody holds the writer: the relay places the
// rest.
func (f feed) Refresh(ctx context.Context) error { return f.store.Aside(ctx, f.Place) }

// place moves events from the queue to the feed, with a delivery for each endpoint that subscribes to
// them, and reports whether there may be more in the queue.
func place(ctx context.Context, tx *sqlstore.Tx) (more bool, err error) {
	last, err := lastPlace(ctx, tx)
	if err != nil {
		return false, err
	}
	var waiting []queued
	if err := tx.List(ctx, &waiting, `SELECT event_id, org_id, kind FROM event_queue ORDER BY event_id LIMIT ?`, placedAtOnce); err != nil || len(waiting) == 0 {
		return false, err
	}
	next, wanted, err := match(ctx, tx, waiting)
	if err != nil {
		return false, err
	}
	placed, gone := make(sqlstore.Rows, len(next)), make(sqlstore.Rows, len(next))
	for i, one := range next {
		placed[i] = []any{last + int64(i) + 1, one.EventID, one.OrgID, one.Kind}
		gone[i] = []any{one.EventID}
	}
	_, err = tx.Exec(ctx, `INSERT INTO event_feed (pos, event_id, org_id, kind)
		SELECT pos, event_id, org_id, kind FROM {rows pos bigint, event_id text, org_id text, kind text}`, placed)
	if err != nil {
		return false, err
	}
	if _, err := tx.Exec(ctx, `DELETE FROM event_queue WHERE event_id {any event_id text}`, gone); err != nil {
		return false, err
	}
	if err := fanOut(ctx, tx, wanted); err != nil {
		return false, err
	}
	_, err = tx.Exec(ctx, `UPDATE feed_cursor SET last = ? WHERE id = 1`, last+int64(len(next)))
	return len(next) < len(waiting) || len(waiting) == placedAtOnce, err
}

// lastPlace returns the last position that was assigned, under a lock, so that no other transaction assigns
// one until this one ends.
func lastPlace(ctx context.Context, tx *sqlstore.Tx) (last int64, err error) {
	const held = `SELECT last FROM feed_cursor WHERE id = 1 {for update}`
	if err = tx.Get(ctx, &last, held); !errors.Is(err, sql.ErrNoRows) {
		return last, err
	}
	if _, err = tx.Exec(ctx, `INSERT INTO feed_cursor (id, last) VALUES (1, 0) ON CONFLICT DO NOTHING`); err != nil {
		return 0, err
	}
	err = tx.Get(ctx, &last, held)
	return last, err
}

// subscribedEvent is an event to which an endpoint subscribes.
type subscribedEvent struct {
	// N is the index of the event among those that were asked for.
	N          int    `db:"n"`
	EventID    string `db:"event_id"`
	Kind       string `db:"kind"`
	EndpointID string `db:"endpoint_id"`
	OrgID      string `db:"org_id"`
}

// match returns as many of the first events as one transaction makes the deliveries for, and the
// deliveries to make.
func match(ctx context.Context, tx *sqlstore.Tx, events []queued) ([]queued, []subscribedEvent, error) {
	if wanted, err := anyWanted(ctx, tx.Queries); err != nil || !wanted {
		return events, nil, err
	}
	wishes, err := wishesFor(ctx, tx, events, deliveredAtOnce+1)
	if err != nil || len(wishes) <= deliveredAtOnce {
		return events, wishes, err
	}
	whole := wishes[deliveredAtOnce].N // the first event that may have more subscribers
	return events[:whole], slices.DeleteFunc(wishes, func(w subscribedEvent) bool { return w.N >= whole }), nil
}

// wishesFor returns the subscriptions to events, in the order of the events, at most so many.
func wishesFor(ctx context.Context, tx *sqlstore.Tx, events []queued, most int) (wishes []subscribedEvent, err error) {
	asked := make(sqlstore.Rows, 0, len(events))
	for n, one := range events {
		for _, pattern := range webhook.Patterns(event.Kind(one.Kind)) {
			asked = append(asked, []any{n, one.EventID, one.OrgID, one.Kind, string(pattern)})
		}
	}
	err = tx.List(ctx, &wishes, `
		SELECT DISTINCT r.n, r.event_id, r.kind, s.endpoint_id, s.org_id FROM {rows n bigint, event_id text, org_id text, kind text, pattern text}
		JOIN webhook_subscriptions s ON s.org_id IN ('', r.org_id) AND s.pattern = r.pattern ORDER BY r.n LIMIT ?`, asked, most)
	return wishes, err
}

// fanOut stores a delivery for each wish.
func fanOut(ctx context.Context, tx *sqlstore.Tx, wishes []subscribedEvent) error {
	if len(wishes) == 0 {
		return nil
	}
	ids, now := tx.Store().IDs(), sqlstore.At(tx.Store().Clock().Now())
	made := make(sqlstore.Rows, len(wishes))
	for i, w := range wishes {
		made[i] = []any{webhook.NewDeliveryID(ids).String(), w.EndpointID, w.OrgID, w.EventID, w.Kind, now}
	}
	_, err := tx.Exec(ctx, insertDeliveries, made)
	return err
}

// anyWanted reports whether any endpoint subscribes to events.
func anyWanted(ctx context.Context, q *sqlstore.Queries) (bool, error) {
	var wanted []int
	err := q.List(ctx, &wanted, `SELECT 1 FROM webhook_subscriptions LIMIT 1`)
	return len(wanted) > 0, err
}

// Read reads a page of the feed. With kinds it searches a bounded part of the feed, so that a page may have
// no events and still not be the last.
func (f feed) Read(ctx context.Context, query webhooks.FeedQuery) (webhooks.FeedPage, error) {
	most := query.Limit
	if len(query.Kinds) > 0 {
		most = scannedAtOnce
	}
	var seen []struct {
		Pos     webhooks.Position `db:"pos"`
		EventID event.ID          `db:"event_id"`
		Kind    event.Kind        `db:"kind"`
	}
	where := &sqlstore.Filter{}
	where.Where("pos > ?", int64(query.After))
	where.Unless(query.Org == "", "org_id = ? AND org_id <> ''", query.Org.String())
	err := f.store.Reader(ctx).List(ctx, &seen, `SELECT pos, event_id, kind FROM event_feed`+where.String()+` ORDER BY pos LIMIT ?`,
		append(where.Args, most+1)...)
	if err != nil {
		return webhooks.FeedPage{}, fmt.Errorf("read the feed: %w", err)
	}
	page := webhooks.FeedPage{Position: query.After}
	var ids []event.ID
	for _, one := range seen[:min(len(seen), most)] {
		if len(ids) == query.Limit {
			break
		}
		page.Position = one.Pos
		if len(query.Kinds) == 0 || slices.Contains(query.Kinds, one.Kind) {
			ids = append(ids, one.EventID)
		}
	}
	page.More = len(seen) > 0 && page.Position < seen[len(seen)-1].Pos
	page.Events, err = f.inOrder(ctx, ids)
	return page, err
}

// inOrder reads events in the order of ids.
func (f feed) inOrder(ctx context.Context, ids []event.ID) ([]event.Record, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	found, err := f.store.EventsOf(ctx, ids)
	place := make(map[event.ID]int, len(ids))
	for i, id := range ids {
		place[id] = i
	}
	slices.SortFunc(found, func(a, b event.Record) int { return cmp.Compare(place[a.ID], place[b.ID]) })
	return found, err
}

// After returns the position of an event. It fails with event.ErrNotFound.
func (f feed) After(ctx context.Context, org workspace.ID, id event.ID) (at webhooks.Position, err error) {
	where := &sqlstore.Filter{}
	where.Where("event_id = ?", id.String())
	where.Unless(org == "", "org_id = ?", org.String())
	err = f.store.Reader(ctx).Get(ctx, &at, `SELECT pos FROM event_feed`+where.String(), where.Args...)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, event.ErrNotFound
	}
	return at, sqlstore.Wrap("find an event in the feed", err)
}

// near is how many events from a time on Since reads to find the first position. Positions are almost in
// the order of the identifiers.
const near = 1000

// Since returns the position before the first event since a time.
func (f feed) Since(ctx context.Context, moment time.Time) (at webhooks.Position, err error) {
	err = f.store.Reader(ctx).Get(ctx, &at, `
		SELECT COALESCE((SELECT MIN(pos) - 1 FROM (SELECT pos FROM event_feed WHERE event_id >= ? ORDER BY event_id LIMIT ?) AS first),
			(SELECT last FROM feed_cursor WHERE id = 1), 0)`, event.EarliestID(moment).String(), near)
	return at, sqlstore.Wrap("find a time in the feed", err)
}

// Find reads an event. It fails with event.ErrNotFound.
func (f feed) Find(ctx context.Context, org workspace.ID, id event.ID) (event.Record, error) {
	found, err := f.store.EventsOf(ctx, []event.ID{id})
	switch {
	case err != nil:
		return event.Record{}, err
	case len(found) == 0 || (org != "" && found[0].OrgID != org.String()):
		return event.Record{}, event.ErrNotFound
	}
	return found[0], nil
}

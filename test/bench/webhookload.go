package main

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"gatehouse.internal/adapters/system"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/webhook"
)

// happened is the kind of the events that are written past the service.
const happened = "role.created"

// eventColumns are those of the event log.
func eventColumns() []string {
	return columns(`id kind at outcome user_id org_id actor_kind actor_id session_id ip ip_index user_agent request_id command data`)
}

func eventOf(id event.ID, at time.Time) []any {
	return []any{
		id.String(), happened, at, "success", "", "", "system", "", "", "", "", "", "", "",
		`{"role_id":"rol_01jd8z6y3te6rs2w9k4v7x5q1b","org_id":"org_01jd8z6y3te6rs2w9k4v7x5q1b","name":"Reader","permissions":["apps:read"]}`,
	}
}

// happen writes events as the service does: whoever listens is told of them.
func (i *instance) happen(ctx context.Context, n int) error {
	ids, now := system.NewIDs(system.Clock{}), time.Now().UTC()
	log := func(n int) table {
		return table{"events", eventColumns(), each(n, func(int) []any { return eventOf(event.NewID(ids), now) })}
	}
	return i.db.onOne(ctx, func(conn *sql.Conn) error {
		f := filler{conn: conn, sqlite: i.db.store == sqliteStore}
		if !f.sqlite {
			return f.copyIn(ctx, log(n))
		}
		const together = 100 // the service writes in between
		for ; n > 0; n -= together {
			if err := f.insert(ctx, log(min(n, together))); err != nil {
				return err
			}
		}
		return nil
	})
}

// age fills the store with events that everybody was told of long ago, while the service rests.
func (h *hooking) age(ctx context.Context) error {
	i, o := h.i, h.o
	i.stop()
	began := time.Now()
	err := i.db.onOne(ctx, func(conn *sql.Conn) error {
		var last, block int64
		if err := conn.QueryRowContext(ctx, `SELECT last, (SELECT COALESCE(MAX(number), 0) FROM audit_blocks) FROM feed_cursor`).Scan(&last, &block); err != nil {
			return fmt.Errorf("read where the feed ends: %w", err)
		}
		f := filler{conn: conn, sqlite: i.db.store == sqliteStore}
		if err := f.all(ctx, history(o, h.webhooks[0], last, block+1)); err != nil {
			return err
		}
		return f.exec(ctx, `DELETE FROM event_queue`, fmt.Sprintf(`UPDATE feed_cursor SET last = %d`, last+int64(o.storedEvents)))
	})
	if err != nil {
		return err
	}
	h.r.printf("%d events and %d deliveries were loaded in %s\n", o.storedEvents, o.storedDeliveries, time.Since(began).Round(time.Second))
	if i.process, err = i.serve(ctx); err != nil {
		return err
	}
	return i.login(ctx)
}

// history are tables of what happened one a millisecond: places in the feed behind the last one,
// deliveries of the latest, and the block of the chain that has them all, which was cut.
func history(o options, of string, last, block int64) []table {
	now := time.Now().UTC().Truncate(time.Millisecond)
	when := func(k int) time.Time { return now.Add(time.Duration(k-o.storedEvents) * time.Millisecond) }
	id := func(k int) event.ID { return event.EarliestID(when(k)) }
	first := o.storedEvents - o.storedDeliveries
	delivery := func(k int) string { return webhook.EarliestDelivery(when(first + k)).String() }
	return []table{
		{"events", eventColumns(), each(o.storedEvents, func(k int) []any { return eventOf(id(k), when(k)) })},
		{"event_feed", columns(`pos event_id org_id kind`), each(o.storedEvents, func(k int) []any {
			return []any{last + int64(k) + 1, id(k).String(), "", happened}
		})},
		{
			"webhook_deliveries", columns(`id endpoint_id org_id event_id kind status attempts round status_code error duration_ms created_at finished_at`),
			each(o.storedDeliveries, func(k int) []any {
				at := when(first + k)
				return []any{delivery(k), of, "", id(first + k).String(), happened, "succeeded", 1, 1, 200, "", 5, at, at}
			}),
		},
		{"webhook_attempts", columns(`id delivery_id at status_code duration_ms error excerpt`), each(o.storedDeliveries, func(k int) []any {
			return []any{delivery(k) + "/001", delivery(k), when(first + k), 200, 5, "", ""}
		})},
		{"audit_blocks", columns(`id number first_pos last_pos entries earliest_at latest_at previous root hash proofs closed_at cut_at`), each(1, func(int) []any {
			return []any{fmt.Sprintf("%016d", block), block, last + 1, last + int64(o.storedEvents), o.storedEvents, when(0), now, "", "", "", "", now, now}
		})},
	}
}

package webhooks

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/audit"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/ports/outbound/webhooks"
)

// Chain returns the storage of the hash chain over the feed of events.
func Chain(store *sqlstore.Store) webhooks.Chain { return chain{store} }

// Heads returns the storage of the signed heads of the chain.
func Heads(store *sqlstore.Store) webhooks.Heads { return chain{store} }

type chain struct{ store *sqlstore.Store }

const blockColumns = `id, number, format, first_pos, last_pos, entries, earliest_at, latest_at, previous, root, hash, proofs, closed_at, cut_at`

type blockRow struct {
	ID         string           `db:"id"`
	Number     int64            `db:"number"`
	Format     audit.Format     `db:"format"`
	FirstPos   int64            `db:"first_pos"`
	LastPos    int64            `db:"last_pos"`
	Entries    int              `db:"entries"`
	EarliestAt sqlstore.Instant `db:"earliest_at"`
	LatestAt   sqlstore.Instant `db:"latest_at"`
	Previous   string           `db:"previous"`
	Root       string           `db:"root"`
	Hash       string           `db:"hash"`
	Proofs     string           `db:"proofs"`
	ClosedAt   sqlstore.Instant `db:"closed_at"`
	CutAt      sqlstore.Instant `db:"cut_at"`
}

func (c chain) block(r blockRow) (audit.Block, error) {
	b := audit.Block{
		Number: r.Number, Format: r.Format, First: r.FirstPos, Last: r.LastPos, Entries: r.Entries, Earliest: r.EarliestAt.Time, Latest: r.LatestAt.Time,
		Previous: r.Previous, Root: r.Root, Hash: r.Hash, ClosedAt: r.ClosedAt.Time, Cut: !r.CutAt.IsZero(),
	}
	if b.Cut {
		return b, nil
	}
	open := c.store.RowOpener("audit_blocks", r.ID)
	proofs := open.Value("proofs", r.Proofs)
	if open.Err != nil {
		return b, sqlstore.Wrap("open a block", open.Err)
	}
	// Proofs that were tampered with are dropped, and the verification of the block fails.
	_ = b.DecodeProofs(proofs)
	return b, nil
}

// Tail reads the last block without its proofs; zero for none.
func (c chain) Tail(ctx context.Context) (audit.Block, error) {
	var r blockRow
	err := c.store.Reader(ctx).Get(ctx, &r, `SELECT id, number, format, first_pos, last_pos, entries, earliest_at, latest_at, previous, root, hash, '' AS proofs, closed_at, closed_at AS cut_at
		FROM audit_blocks ORDER BY number DESC LIMIT 1`)
	if errors.Is(err, sql.ErrNoRows) {
		return audit.Block{}, nil
	}
	if err != nil {
		return audit.Block{}, sqlstore.Wrap("read the end of the chain", err)
	}
	return c.block(r)
}

// positionedEvent is an event with its position in the feed.
type positionedEvent struct {
	Pos     int64    `db:"pos"`
	EventID event.ID `db:"event_id"`
}

// Waiting returns the events to chain after a position, at most so many. It returns none if there are
// fewer, and all of them happened after a time. It reads the events only then.
func (c chain) Waiting(ctx context.Context, after int64, most int, by time.Time) ([]audit.Link, error) {
	var next []positionedEvent
	err := c.store.Reader(ctx).List(ctx, &next, `SELECT pos, event_id FROM event_feed WHERE pos > ? ORDER BY pos LIMIT ?`, after, most)
	if err != nil {
		return nil, sqlstore.Wrap("look for events to chain", err)
	}
	// Any of them, and not only the first, because its identifier may have been inserted with a time in
	// the future.
	waited := slices.ContainsFunc(next, func(p positionedEvent) bool { return !p.EventID.Time().After(by) })
	if !waited && len(next) < most {
		return nil, nil
	}
	found, err := c.links(ctx, next)
	if err != nil {
		return nil, err
	}
	links := make([]audit.Link, len(next))
	for i, one := range next {
		links[i] = audit.Link{Position: one.Pos, Event: event.Record{ID: one.EventID}}
		if len(found) == 0 || found[0].Position != one.Pos {
			continue
		}
		if !found[0].Event.Altered && !found[0].Change.Altered {
			links[i] = found[0]
		}
		found = found[1:]
	}
	return links, nil
}

// links reads events with their changes of configuration, in the order of which. Those that do not exist
// any more are left out.
func (c chain) links(ctx context.Context, which []positionedEvent) ([]audit.Link, error) {
	ids := make([]event.ID, len(which))
	for i, one := range which {
		ids[i] = one.EventID
	}
	records, err := c.store.EventsOf(ctx, ids)
	if err != nil {
		return nil, err
	}
	changes, err := c.store.ChangesOf(ctx, ids)
	if err != nil {
		return nil, err
	}
	indexes, err := c.store.IPIndexesOf(ctx, ids)
	if err != nil {
		return nil, err
	}
	known := make(map[event.ID]event.Record, len(records))
	for _, one := range records {
		known[one.ID] = one
	}
	links := make([]audit.Link, 0, len(which))
	for _, one := range which {
		if r, there := known[one.EventID]; there {
			links = append(links, audit.Link{Position: one.Pos, Event: r, Change: changes[r.ID], IPIndex: indexes[r.ID]})
		}
	}
	return links, nil
}

func blockID(number int64) string { return fmt.Sprintf("%016d", number) }

// Add stores a block, unless another replica has stored one with its number.
func (c chain) Add(ctx context.Context, b audit.Block) error {
	proofs, err := b.EncodeProofs()
	if err != nil {
		return err
	}
	id := blockID(b.Number)
	err = c.store.Do(ctx, func(tx *sqlstore.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO audit_blocks (`+blockColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL) ON CONFLICT DO NOTHING`,
			id, b.Number, b.Format, b.First, b.Last, b.Entries, sqlstore.At(b.Earliest), sqlstore.At(b.Latest), b.Previous, b.Root, b.Hash,
			c.store.RowSealer("audit_blocks", id)("proofs", proofs), sqlstore.At(b.ClosedAt))
		return err
	})
	return sqlstore.Wrap("store a block", err)
}

// Blocks reads blocks with their proofs, from a number on.
func (c chain) Blocks(ctx context.Context, from int64, to time.Time, most int) ([]audit.Block, error) {
	where := &sqlstore.Filter{}
	where.Where("number >= ?", from)
	where.Unless(to.IsZero(), "earliest_at < ?", sqlstore.At(to))
	var rows []blockRow
	err := c.store.Reader(ctx).List(ctx, &rows, `SELECT `+blockColumns+` FROM audit_blocks`+where.String()+` ORDER BY number LIMIT ?`,
		append(where.Args, most)...)
	if err != nil {
		return nil, sqlstore.Wrap("read blocks", err)
	}
	blocks := make([]audit.Block, len(rows))
	for i, r := range rows {
		if blocks[i], err = c.block(r); err != nil {
			return nil, err
		}
	}
	return blocks, nil
}

// FirstSince returns the number of the first block with an event since a time; 0 for none.
func (c chain) FirstSince(ctx context.Context, from time.Time) (number int64, err error) {
	where := &sqlstore.Filter{}
	where.Unless(from.IsZero(), "latest_at >= ?", sqlstore.At(from))
	err = c.store.Reader(ctx).Get(ctx, &number, `SELECT COALESCE(MIN(number), 0) FROM audit_blocks`+where.String(), where.Args...)
	return number, sqlstore.Wrap("find a block", err)
}

// Now reads the events that the log has now between the end of the previous block and the last event of
// a block: those that the block proves, and those that it does not.
func (c chain) Now(ctx context.Context, before, b audit.Block) ([]audit.Link, []event.Record, error) {
	which := make([]positionedEvent, len(b.Proofs))
	known := map[event.ID]bool{}
	var least, greatest event.ID
	if before.Number > 0 {
		least = event.EarliestID(before.Latest)
	}
	for i, p := range b.Proofs {
		which[i] = positionedEvent{p.Position, p.Event}
		known[p.Event] = true
		least = min(least, p.Event)
		greatest = max(greatest, p.Event)
	}
	links, err := c.links(ctx, which)
	if err != nil {
		return nil, nil, err
	}
	var found []event.ID
	err = c.store.Reader(ctx).List(ctx, &found, `
		SELECT e.id FROM events e WHERE e.id >= ? AND e.id <= ? AND NOT EXISTS (SELECT 1 FROM event_feed f WHERE f.event_id = e.id)
			AND NOT EXISTS (SELECT 1 FROM event_queue q WHERE q.event_id = e.id)
		UNION ALL SELECT event_id FROM event_feed WHERE pos >= ? AND pos <= ? ORDER BY 1`, least.String(), greatest.String(), b.First, b.Last)
	if err != nil {
		return nil, nil, sqlstore.Wrap("look for inserted events", err)
	}
	var unproved []event.ID
	for _, id := range found {
		if !known[id] {
			unproved = append(unproved, id)
		}
	}
	if len(unproved) == 0 {
		return links, nil, nil
	}
	inserted, err := c.store.EventsOf(ctx, unproved)
	return links, inserted, err
}

type headRow struct {
	Number   int64            `db:"number"`
	Hash     string           `db:"hash"`
	SignedAt sqlstore.Instant `db:"signed_at"`
	Token    string           `db:"signature"`
}

func (r headRow) head() audit.Head {
	return audit.Head{Number: r.Number, Hash: r.Hash, SignedAt: r.SignedAt.Time, Token: r.Token}
}

// LastHead reads the newest head; zero for none.
func (c chain) LastHead(ctx context.Context) (audit.Head, error) {
	var r headRow
	err := c.store.Reader(ctx).Get(ctx, &r, `SELECT number, hash, signed_at, signature FROM audit_heads ORDER BY number DESC LIMIT 1`)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return r.head(), sqlstore.Wrap("read a head", err)
}

// AddHead stores a head.
func (c chain) AddHead(ctx context.Context, h audit.Head) error {
	err := c.store.Do(ctx, func(tx *sqlstore.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO audit_heads (number, hash, signed_at, signature) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`,
			h.Number, h.Hash, sqlstore.At(h.SignedAt), h.Token)
		return err
	})
	return sqlstore.Wrap("store a head", err)
}

// HeadsFrom reads the heads of a range of numbers, and the newest head.
func (c chain) HeadsFrom(ctx context.Context, from, to int64) ([]audit.Head, error) {
	var rows []headRow
	err := c.store.Reader(ctx).List(ctx, &rows, `SELECT number, hash, signed_at, signature FROM audit_heads
		WHERE number >= ? AND number <= ? OR number = (SELECT MAX(number) FROM audit_heads) ORDER BY number`, from, to)
	heads := make([]audit.Head, len(rows))
	for i, r := range rows {
		heads[i] = r.head()
	}
	return heads, sqlstore.Wrap("read heads", err)
}

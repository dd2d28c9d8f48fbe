package relay

import (
	"context"
	"errors"
	"fmt"

	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/application/queue"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/auditstream"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/ports/outbound/webhooks"
)

// shippedAtOnce is how many events of the feed a batch covers.
const shippedAtOnce = 500

// streamsAtOnce is how many streams a replica sends at once.
const streamsAtOnce = 64

// streamOn sends until the context ends. A collector that hangs holds up no other.
func (r *Relay) streamOn(ctx context.Context) {
	wake := make(chan struct{}, 1)
	queue.Loop[auditstream.Snapshot]{
		Name: "audit streams", Parallel: streamsAtOnce, Claim: r.claimStreams,
		CarryOut: func(ctx context.Context, s auditstream.Snapshot) {
			more, err := r.streamOne(ctx, s)
			if err != nil && ctx.Err() == nil {
				r.Logger.WarnContext(ctx, "failed to send an audit stream", "stream_id", s.ID.String(), "cause", err)
			}
			if more {
				signal(wake)
			}
		},
		Queued: wake, Logger: r.Logger,
	}.Run(ctx)
}

// Stream sends one batch for each stream that is due, one after the other, and reports whether
// there is more.
func (r *Relay) Stream(ctx context.Context) (more bool, err error) {
	due, err := r.claimStreams(ctx, streamsAtOnce)
	for _, s := range due {
		again, failed := r.streamOne(ctx, s)
		more, err = more || again, errors.Join(err, failed)
	}
	return more, err
}

// claimStreams leases due streams; a replica that finds an expired lease starts at the
// same position.
func (r *Relay) claimStreams(ctx context.Context, most int) (claimed []auditstream.Snapshot, err error) {
	due, err := r.Streams.Due(ctx, r.Clock.Now(), most)
	if err != nil {
		return nil, err
	}
	for _, id := range due {
		s, took, err := r.change(ctx, id, func(a *auditstream.Stream) bool { return a.Take(r.Clock.Now()) })
		if err != nil {
			return claimed, err
		}
		if took {
			claimed = append(claimed, s)
		}
	}
	return claimed, nil
}

// change changes a stream, unless it was deleted meanwhile.
func (r *Relay) change(ctx context.Context, id auditstream.ID, to func(*auditstream.Stream) bool) (s auditstream.Snapshot, did bool, err error) {
	err = r.Unit.Do(ctx, func(tx Repos) error {
		did = false
		a, err := tx.Streams.ByID(ctx, id)
		if err != nil {
			return ignoreGone(err)
		}
		if did = to(a); !did {
			return nil
		}
		s = a.Snapshot()
		return tx.Streams.Save(ctx, a)
	})
	return s, did, err
}

// streamOne sends the next batch of a stream that was claimed, and reports whether there is more.
func (r *Relay) streamOne(ctx context.Context, s auditstream.Snapshot) (more bool, err error) {
	page, err := r.Feed.Read(ctx, webhooks.FeedQuery{Org: s.OrgID, After: webhooks.Position(s.Position), Limit: shippedAtOnce})
	if err != nil {
		return false, err
	}
	batch, err := BatchOf(s, page.Events, int64(page.Position))
	if err != nil {
		return false, err
	}
	if len(batch.Lines) > 0 {
		err = r.Shipper.Ship(ctx, s, batch, r.Clock.Now())
	}
	if ctx.Err() != nil {
		return false, nil // the service stops: the batch is sent again
	}
	_, _, stored := r.change(ctx, s.ID, func(a *auditstream.Stream) bool {
		if err != nil {
			return a.Failed(s.Turn, err.Error(), r.Clock.Now())
		}
		return a.Sent(s.Turn, int64(page.Position), page.More, r.Clock.Now())
	})
	return page.More && err == nil, stored
}

// BatchOf returns the batch of a stream for events.
func BatchOf(s auditstream.Snapshot, events []event.Record, position int64) (webhooks.Batch, error) {
	batch := webhooks.Batch{ID: fmt.Sprintf("%s-%d", s.ID, position)}
	for _, one := range events {
		if !s.Filter.Takes(one) {
			continue
		}
		line, err := strictjson.Encode(view.OfEvent(one))
		if err != nil {
			return batch, fmt.Errorf("encode the event %s: %w", one.ID, err)
		}
		batch.Events, batch.Lines = append(batch.Events, one), append(batch.Lines, line)
	}
	return batch, nil
}

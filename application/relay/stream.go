package relay

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/auditstream"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/ports/outbound/webhooks"
)

// shippedAtOnce is how many events of the feed a batch covers.
const shippedAtOnce = 500

// Stream sends what each stream of the log has not sent yet, one batch for each that is due,
// and reports whether there is more.
func (r *Relay) Stream(ctx context.Context) (more bool, err error) {
	due, err := r.Streams.Due(ctx, r.Clock.Now())
	again, failures := make([]bool, len(due)), make([]error, len(due))
	var working sync.WaitGroup
	for i, id := range due {
		working.Go(func() { again[i], failures[i] = r.streamOne(ctx, id) })
	}
	working.Wait()
	return slices.Contains(again, true), errors.Join(append(failures, err)...)
}

// streamOn sends until the context ends.
func (r *Relay) streamOn(ctx context.Context) {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for {
		more, err := r.Stream(ctx)
		if err != nil && ctx.Err() == nil {
			r.Logger.WarnContext(ctx, "the streams of the log cannot be carried on", "cause", err)
		}
		if more && ctx.Err() == nil {
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		}
	}
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

// streamOne sends a batch under a lease; who finds the lease over begins where this one did.
func (r *Relay) streamOne(ctx context.Context, id auditstream.ID) (more bool, err error) {
	s, took, err := r.change(ctx, id, func(a *auditstream.Stream) bool { return a.Take(r.Clock.Now()) })
	if err != nil || !took {
		return false, err
	}
	page, err := r.Feed.Read(ctx, webhooks.FeedQuery{Org: s.OrgID, After: webhooks.Position(s.Position), Limit: shippedAtOnce})
	if err != nil {
		return false, err
	}
	batch, err := BatchOf(s, page.Events, int64(page.Seen))
	if err != nil {
		return false, err
	}
	if len(batch.Lines) > 0 {
		err = r.Shipper.Ship(ctx, s, batch, r.Clock.Now())
	}
	if ctx.Err() != nil {
		return false, nil // the service stops: the batch is sent again
	}
	_, _, stored := r.change(ctx, id, func(a *auditstream.Stream) bool {
		if err != nil {
			return a.Failed(s.Turn, err.Error(), r.Clock.Now())
		}
		return a.Sent(s.Turn, int64(page.Seen), page.More, r.Clock.Now())
	})
	return page.More && err == nil, stored
}

// BatchOf returns what a stream is sent of events.
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

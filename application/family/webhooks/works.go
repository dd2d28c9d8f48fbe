package webhooks

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gatehouse.internal/application/engine/strictjson"
	"gatehouse.internal/application/jobs"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/job"
	"gatehouse.internal/domain/webhook"
	"gatehouse.internal/ports/outbound/webhooks"
)

// replayKind is the kind of job that replays.
const replayKind job.Kind = "webhook.bulk_replay"

// replayBatch is how many events of the feed one step reads.
const replayBatch = 200

// late is how long after its time an event may still enter the feed.
const late = time.Hour

// Works lists what jobs of the family do.
func (s *Service) Works() map[job.Kind]jobs.Work {
	return map[job.Kind]jobs.Work{replayKind: {Step: s.replayStep}}
}

// replayPoint is where the next step begins.
type replayPoint struct {
	After webhooks.Position `json:"after"`
}

// replayStep reads the feed of the window, and delivers its events again.
func (s *Service) replayStep(ctx context.Context, at jobs.StepContext) (step job.Step, err error) {
	p, err := jobs.Params[BulkReplayParams](at)
	if err != nil {
		return step, err
	}
	from, err := s.replayFrom(ctx, at, p)
	if err != nil {
		return step, fmt.Errorf("read the position of a replay: %w", err)
	}
	page, err := s.Feed.Read(ctx, webhooks.FeedQuery{Org: at.Job.OrgID, After: from.After, Limit: replayBatch})
	if err != nil {
		return step, err
	}
	step.Finished = !page.More || len(page.Events) > 0 && page.Events[0].At.After(p.To.Add(late))
	err = s.Unit.Do(ctx, func(tx Repos) (err error) {
		step.Done, err = s.retell(ctx, tx, at, p, page.Events)
		if count := at.Job.Done + step.Done; err == nil && step.Finished && count > 0 {
			err = tx.Events.Record(ctx, webhook.Replayed{WebhookID: p.WebhookID, OrgID: at.Job.OrgID, Count: count})
		}
		return err
	})
	if err != nil {
		return job.Step{}, err
	}
	step.Saved, err = strictjson.Encode(replayPoint{page.Position})
	return step, err
}

// retell restarts the deliveries of a page of events, and returns how many there were.
func (s *Service) retell(ctx context.Context, tx Repos, at jobs.StepContext, p BulkReplayParams, events []event.Record) (int, error) {
	to, err := tx.Endpoints.ByID(ctx, p.WebhookID)
	if err != nil {
		return 0, instead(err, webhook.ErrNotFound, webhook.ErrNoEndpoint)
	}
	endpoint := to.Snapshot()
	if !endpoint.Enabled || endpoint.OrgID != at.Job.OrgID {
		return 0, webhook.ErrNoEndpoint
	}
	return s.replayAll(ctx, tx, endpoint, p, events)
}

// replayFrom is where the next step begins: behind what is saved, or where the window does.
func (s *Service) replayFrom(ctx context.Context, at jobs.StepContext, p BulkReplayParams) (from replayPoint, err error) {
	if len(at.Job.Saved) > 0 {
		err = strictjson.Decode(at.Job.Saved, &from)
		return from, err
	}
	from.After, err = s.Feed.Since(ctx, p.From)
	return from, err
}

// replayAll restarts the deliveries of events, and returns how many there were.
func (s *Service) replayAll(ctx context.Context, tx Repos, to webhook.Snapshot, p BulkReplayParams, events []event.Record) (int, error) {
	var wanted []event.Record
	for _, one := range events {
		matches := slices.ContainsFunc(webhook.Patterns(one.Kind), func(pattern event.Kind) bool { return slices.Contains(to.Events, pattern) })
		if matches && !one.At.Before(p.From) && one.At.Before(p.To) {
			wanted = append(wanted, one)
		}
	}
	known, err := tx.Deliveries.Of(ctx, to.ID, wanted)
	if err != nil {
		return 0, err
	}
	var again []webhook.Delivery
	for _, d := range known {
		if d.Recover(s.now()) {
			again = append(again, d)
		}
	}
	if err := tx.Deliveries.Save(ctx, again...); err != nil || !p.IncludeMissing {
		return len(again), err
	}
	missing := slices.DeleteFunc(wanted, func(one event.Record) bool {
		return slices.ContainsFunc(known, func(d webhook.Delivery) bool { return d.EventID == one.ID })
	})
	return len(again) + len(missing), tx.Deliveries.Make(ctx, to, missing)
}

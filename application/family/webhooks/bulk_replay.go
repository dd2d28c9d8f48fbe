package webhooks

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/jobs"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/job"
	"gatehouse.internal/domain/webhook"
)

// BulkReplayParams are the parameters of WEBHOOK.BULK_REPLAY.
type BulkReplayParams struct {
	WebhookID      webhook.ID `json:"webhook_id" doc:"The webhook; it is switched on."`
	From           time.Time  `json:"from" doc:"When the first event happened to tell of." jsonschema:"example=2026-01-31T15:04:05Z"`
	To             time.Time  `json:"to,omitzero" doc:"First moment beyond those; absent: now." example:"-"`
	IncludeMissing bool       `json:"include_missing,omitzero" doc:"Also events that were never to be delivered to it, such as those from while it was switched off." example:"-"`
}

// BulkReplayResult is the result of WEBHOOK.BULK_REPLAY.
type BulkReplayResult struct {
	JobID job.ID `json:"job_id" doc:"The job; JOB.GET says how far it is."`
}

func (s *Service) bulkReplay() command.Definition {
	return command.Define(command.Spec[BulkReplayParams, BulkReplayResult]{
		Name: "WEBHOOK.BULK_REPLAY",
		Summary: "Recover a webhook after an outage: a job attempts all dead deliveries anew whose events happened in a window, those that wait for a further " +
			"attempt at once, and if asked makes the deliveries that there never were. Each keeps its webhook-id.",
		Access: access.Holding(writing),
		Effect: command.Writes,
		Emits:  []event.Kind{job.KindCreated, webhook.KindReplayed},
		Handle: func(ctx context.Context, call command.Call, p BulkReplayParams) (BulkReplayResult, error) {
			to, err := s.target(ctx, call.Caller, p.WebhookID)
			if err != nil {
				return BulkReplayResult{}, err
			}
			if p.To.IsZero() {
				p.To = s.now()
			}
			switch {
			case !to.Enabled:
				return BulkReplayResult{}, webhook.ErrNoEndpoint
			case p.To.Before(p.From):
				return BulkReplayResult{}, fault.Unfit("/to", "must not be before from")
			}
			started, err := s.Jobs.Start(ctx, call.Caller, jobs.Order{
				Kind: replayKind, OrgID: to.OrgID, Needs: writing, Superadmin: to.OrgID == "", Params: p, ContentType: "application/x-ndjson",
			})
			return BulkReplayResult{JobID: started}, err
		},
	})
}

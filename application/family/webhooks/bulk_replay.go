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
	WebhookID      webhook.ID `json:"webhook_id" doc:"ID of the webhook endpoint. The endpoint must be enabled."`
	From           time.Time  `json:"from" doc:"Start of the window. Only events that happened at or after this time are replayed." jsonschema:"example=2026-01-31T15:04:05Z"`
	To             time.Time  `json:"to,omitzero" doc:"End of the window. Only events that happened before this time are replayed. Defaults to now." example:"-"`
	IncludeMissing bool       `json:"include_missing,omitzero" doc:"Whether to also deliver events that never had a delivery to this endpoint, such as events from while it was disabled." example:"-"`
}

// BulkReplayResult is the result of WEBHOOK.BULK_REPLAY.
type BulkReplayResult struct {
	JobID job.ID `json:"job_id" doc:"ID of the job. Follow its progress with JOB.GET."`
}

func (s *Service) bulkReplay() command.Definition {
	return command.Define(command.Spec[BulkReplayParams, BulkReplayResult]{
		Name:    "WEBHOOK.BULK_REPLAY",
		Summary: "Replay the failed deliveries of a webhook endpoint.",
		Description: "Use this to recover after an outage. A job goes through the events that happened within a time window:\n\n" +
			"- Dead deliveries start again.\n" +
			"- Failed deliveries that wait for another attempt are attempted immediately.\n" +
			"- With `include_missing`, events the endpoint subscribes to get a delivery if they have none.\n\n" +
			"Every existing delivery keeps its `webhook-id`, so receivers can recognize duplicates.",
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

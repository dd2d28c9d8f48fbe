package webhooks

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/webhook"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/webhooks"
)

// StatsParams are the parameters of WEBHOOK.STATS_GET.
type StatsParams struct {
	OrgID     workspace.ID `json:"org_id,omitzero" doc:"Workspace whose deliveries to count. Defaults to the active workspace, or to the instance for superadmins." example:"-"`
	WebhookID webhook.ID   `json:"webhook_id,omitzero" doc:"Filter by webhook endpoint." example:"-"`
	From      time.Time    `json:"from,omitzero" doc:"Count only deliveries created at or after this time. Defaults to 24 hours ago." example:"-"`
	To        time.Time    `json:"to,omitzero" doc:"Count only deliveries created before this time." example:"-"`
}

// StatsResult is the result of WEBHOOK.STATS_GET.
type StatsResult struct {
	Succeeded int     `json:"succeeded" doc:"Number of deliveries that succeeded."`
	Failed    int     `json:"failed" doc:"Number of failed deliveries that will be attempted again."`
	Dead      int     `json:"dead" doc:"Number of dead letters."`
	Pending   int     `json:"pending" doc:"Number of deliveries that are pending or in progress."`
	LatencyMS Latency `json:"latency_ms" doc:"Response times of the latest 10,000 successful deliveries. Milliseconds."`
}

// Latency is how long receivers took.
type Latency struct {
	P50 int `json:"p50" doc:"Median response time. Milliseconds."`
	P95 int `json:"p95" doc:"95th percentile of response times. Milliseconds."`
}

const statsWindow = 24 * time.Hour

func (s *Service) statsGet() command.Definition {
	return command.Define(command.Spec[StatsParams, StatsResult]{
		Name:    "WEBHOOK.STATS_GET",
		Summary: "Retrieve delivery counts and response times.",
		Access:  access.Holding(reading),
		Effect:  command.Reads,
		Handle: func(ctx context.Context, call command.Call, p StatsParams) (StatsResult, error) {
			org, err := s.whose(ctx, call.Caller, p.OrgID, p.WebhookID)
			if err != nil {
				return StatsResult{}, err
			}
			if p.From.IsZero() {
				p.From = s.now().Add(-statsWindow)
			}
			found, err := s.Deliveries.Stats(ctx, webhooks.DeliveryQuery{Org: org, Webhook: p.WebhookID, From: p.From, To: p.To})
			return StatsResult{
				Succeeded: found.ByStatus[webhook.Succeeded], Failed: found.ByStatus[webhook.Failed], Dead: found.ByStatus[webhook.Dead],
				Pending:   found.ByStatus[webhook.Pending] + found.ByStatus[webhook.Delivering],
				LatencyMS: Latency{P50: int(found.P50.Milliseconds()), P95: int(found.P95.Milliseconds())},
			}, err
		},
	})
}

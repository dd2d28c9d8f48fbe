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
	OrgID     workspace.ID `json:"org_id,omitzero" doc:"Workspace whose deliveries to count; absent: the active one, and for a superadmin the instance." example:"-"`
	WebhookID webhook.ID   `json:"webhook_id,omitzero" doc:"Only those to this webhook." example:"-"`
	From      time.Time    `json:"from,omitzero" doc:"First moment to look at; absent: the last 24 hours." example:"-"`
	To        time.Time    `json:"to,omitzero" doc:"First moment beyond those to look at." example:"-"`
}

// StatsResult is the result of WEBHOOK.STATS_GET.
type StatsResult struct {
	Succeeded int     `json:"succeeded" doc:"Deliveries that succeeded."`
	Failed    int     `json:"failed" doc:"Deliveries that failed and are attempted again."`
	Dead      int     `json:"dead" doc:"Deliveries that were given up."`
	Pending   int     `json:"pending" doc:"Deliveries that are to be attempted, or are under way."`
	LatencyMS Latency `json:"latency_ms" doc:"How long receivers took, in milliseconds: of the latest 10,000 deliveries that succeeded."`
}

// Latency is how long receivers took.
type Latency struct {
	P50 int `json:"p50" doc:"Half of them took no longer."`
	P95 int `json:"p95" doc:"95 of 100 took no longer."`
}

const statsWindow = 24 * time.Hour

func (s *Service) statsGet() command.Definition {
	return command.Define(command.Spec[StatsParams, StatsResult]{
		Name:    "WEBHOOK.STATS_GET",
		Summary: "Count deliveries by how far they have come, and tell how long receivers take.",
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

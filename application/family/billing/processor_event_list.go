package billing

import (
	"context"
	"fmt"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/ports/outbound/commerce"
)

// ProcessorEventListParams are the parameters of BILLING.PROCESSOR_EVENT_LIST.
type ProcessorEventListParams struct {
	Processor billing.AnyProcessor         `json:"processor,omitzero" doc:"Filter by payment processor." example:"-"`
	Status    billing.ProcessorEventStatus `json:"status,omitzero" doc:"Filter by status." jsonschema:"enum=applied,enum=ignored,enum=failed" example:"-"`
	Type      string                       `json:"type,omitzero" doc:"Filter by type, as the payment processor names it." jsonschema:"maxLength=128" example:"-"`
	page.Params
}

// ProcessorEvent is what a processor told, in results.
type ProcessorEvent struct {
	ID         billing.EventID              `json:"id" doc:"ID of the processor event."`
	Processor  billing.AnyProcessor         `json:"processor" doc:"Payment processor that sent the event."`
	Mode       billing.Mode                 `json:"mode" doc:"Whether payments are real (live) or test payments." jsonschema:"enum=test,enum=live"`
	EventID    string                       `json:"event_id" doc:"ID of the event at the payment processor."`
	Type       string                       `json:"type" doc:"Type of the event, as the payment processor names it."`
	Status     billing.ProcessorEventStatus `json:"status" doc:"Status of the event. Events are ignored if they concern nothing on this instance, or are older than what is already known." jsonschema:"enum=pending,enum=applied,enum=ignored,enum=failed"`
	Reason     string                       `json:"reason,omitzero" doc:"Why the event failed."`
	Attempts   int                          `json:"attempts" doc:"Number of attempts to apply the event."`
	ReceivedAt time.Time                    `json:"received_at" doc:"When the event was received."`
	AppliedAt  time.Time                    `json:"applied_at,omitzero" doc:"When the event was applied."`
}

func showProcessorEvent(t billing.ProcessorEvent) ProcessorEvent {
	return ProcessorEvent{
		ID: t.ID, Processor: billing.AnyProcessor(t.Account.Processor), Mode: t.Account.Mode, EventID: t.EventID, Type: t.Type, Status: t.Status, Reason: t.Reason,
		Attempts: t.Attempts, ReceivedAt: t.ReceivedAt, AppliedAt: t.AppliedAt,
	}
}

func (s *Service) processorEventList() command.Definition {
	return command.Define(command.Spec[ProcessorEventListParams, page.Of[ProcessorEvent]]{
		Name:    "BILLING.PROCESSOR_EVENT_LIST",
		Summary: "List events received from payment processors, newest first.",
		Description: "Shows events about sales of the workspace. Superadmins also see events that belong to no sale.\n\n" +
			"Events are kept for 90 days. Apply a failed one again with BILLING.PROCESSOR_EVENT_REPLAY.",
		Access: access.Holding(reading),
		Effect: command.Reads,
		Handle: func(ctx context.Context, call command.Call, p ProcessorEventListParams) (page.Of[ProcessorEvent], error) {
			org, err := call.Caller.Horizon()
			if err != nil {
				return page.Of[ProcessorEvent]{}, err
			}
			query := commerce.ProcessorEventQuery{Org: org, All: org == "", Processor: product.Processor(p.Processor), Status: p.Status, Type: p.Type}
			scope := fmt.Sprintf("BILLING.PROCESSOR_EVENT_LIST|%s|%s|%s|%s", org, p.Processor, p.Status, p.Type)
			return page.Read(s.Cursors.List(scope, p.Params), func(one billing.ProcessorEvent) string { return one.ID.String() }, showProcessorEvent,
				func(before string, most int) ([]billing.ProcessorEvent, error) {
					query.Before, query.Limit = billing.EventID(before), most
					return s.ProcessorEvents.List(ctx, query)
				})
		},
	})
}

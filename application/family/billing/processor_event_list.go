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
	ports "gatehouse.internal/ports/outbound/billing"
)

// ProcessorEventListParams are the parameters of BILLING.PROCESSOR_EVENT_LIST.
type ProcessorEventListParams struct {
	Processor billing.AnyProcessor `json:"processor,omitzero" doc:"Only what this processor told." example:"-"`
	Status    billing.ToldStatus   `json:"status,omitzero" doc:"Only events that were applied, that changed nothing, or that failed." jsonschema:"enum=applied,enum=ignored,enum=failed" example:"-"`
	Type      string               `json:"type,omitzero" doc:"Only events of this type, in the processor's words." jsonschema:"maxLength=128" example:"-"`
	page.Params
}

// ProcessorEvent is what a processor told, in results.
type ProcessorEvent struct {
	ID         billing.EventID      `json:"id" doc:"Identifier of the event."`
	Processor  billing.AnyProcessor `json:"processor" doc:"Who told it."`
	Mode       billing.Mode         `json:"mode" doc:"Whether that is real money." jsonschema:"enum=test,enum=live"`
	EventID    string               `json:"event_id" doc:"The processor's own identifier."`
	Type       string               `json:"type" doc:"What it is, in the processor's words."`
	Status     billing.ToldStatus   `json:"status" doc:"What became of it; ignored: it is about nothing of this instance, or older than what is known." jsonschema:"enum=pending,enum=applied,enum=ignored,enum=failed"`
	Reason     string               `json:"reason,omitzero" doc:"Why it failed."`
	Attempts   int                  `json:"attempts" doc:"How often it was tried."`
	ReceivedAt time.Time            `json:"received_at" doc:"When it came in."`
	AppliedAt  time.Time            `json:"applied_at,omitzero" doc:"When it was applied."`
}

func showTold(t billing.Told) ProcessorEvent {
	return ProcessorEvent{
		ID: t.ID, Processor: billing.AnyProcessor(t.Account.Processor), Mode: t.Account.Mode, EventID: t.EventID, Type: t.Type, Status: t.Status, Reason: t.Reason,
		Attempts: t.Attempts, ReceivedAt: t.ReceivedAt, AppliedAt: t.AppliedAt,
	}
}

func (s *Service) processorEventList() command.Definition {
	return command.Define(command.Spec[ProcessorEventListParams, page.Of[ProcessorEvent]]{
		Name:    "BILLING.PROCESSOR_EVENT_LIST",
		Summary: "What payment processors told of sales of the workspace, newest first; superadmins also see what is about no sale. It is kept for 90 days.",
		Access:  access.Holding(reading),
		Effect:  command.Reads,
		Handle: func(ctx context.Context, call command.Call, p ProcessorEventListParams) (page.Of[ProcessorEvent], error) {
			org, err := call.Caller.Horizon()
			if err != nil {
				return page.Of[ProcessorEvent]{}, err
			}
			query := ports.ToldQuery{Org: org, All: org == "", Processor: product.Processor(p.Processor), Status: p.Status, Type: p.Type}
			scope := fmt.Sprintf("BILLING.PROCESSOR_EVENT_LIST|%s|%s|%s|%s", org, p.Processor, p.Status, p.Type)
			return page.Read(s.Cursors.List(scope, p.Params), func(one billing.Told) string { return one.ID.String() }, showTold,
				func(before string, most int) ([]billing.Told, error) {
					query.Before, query.Limit = billing.EventID(before), most
					return s.Told.List(ctx, query)
				})
		},
	})
}

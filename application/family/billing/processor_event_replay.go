package billing

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/payment"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/billing"
)

// ProcessorEventReplayParams are the parameters of BILLING.PROCESSOR_EVENT_REPLAY.
type ProcessorEventReplayParams struct {
	ProcessorEventID billing.EventID `json:"processor_event_id" doc:"ID of the processor event."`
}

// ProcessorEventReplayResult is the result of BILLING.PROCESSOR_EVENT_REPLAY.
type ProcessorEventReplayResult struct {
	ProcessorEvent ProcessorEvent `json:"processor_event" doc:"The processor event with its new status."`
}

func (s *Service) processorEventReplay() command.Definition {
	return command.Define(command.Spec[ProcessorEventReplayParams, ProcessorEventReplayResult]{
		Name:        "BILLING.PROCESSOR_EVENT_REPLAY",
		Summary:     "Apply a failed processor event again.",
		Description: "Check the status of the returned event, because it can fail again.",
		Access:      access.Holding(writing),
		Effect:      command.Outside,
		Emits:       processorKinds(billing.KindProcessorEventApplied),
		Handle: func(ctx context.Context, call command.Call, p ProcessorEventReplayParams) (ProcessorEventReplayResult, error) {
			err := s.Paying.Do(ctx, func(tx payment.Repos) error {
				found, err := tx.ProcessorEvents.ByID(ctx, p.ProcessorEventID)
				if err == nil && !call.Caller.Sees(found.OrgID) {
					err = billing.ErrNoEvent
				}
				return err
			})
			if err != nil {
				return ProcessorEventReplayResult{}, err
			}
			received, err := s.Payments.ApplyEvent(ctx, p.ProcessorEventID, true, s.pause(ctx))
			return ProcessorEventReplayResult{showProcessorEvent(received)}, err
		},
	})
}

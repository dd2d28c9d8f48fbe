package billing

import (
	"context"
	"maps"
	"slices"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/product"
)

// ProcessorListResult is the result of BILLING.PROCESSOR_LIST.
type ProcessorListResult struct {
	Items []Processor `json:"items" doc:"The payment processors."`
}

// Processor is a processor in results.
type Processor struct {
	Processor   billing.AnyProcessor `json:"processor" doc:"Name of the payment processor."`
	Configured  bool                 `json:"configured" doc:"Whether the processor is configured, so that products can be sold through it."`
	Mode        billing.Mode         `json:"mode,omitzero" doc:"Whether the processor takes real (live) or test payments. Absent if it is not configured." jsonschema:"enum=test,enum=live"`
	Abilities   []billing.Ability    `json:"abilities" doc:"Abilities of the processor."`
	LastEventAt *time.Time           `json:"last_event_at" doc:"When the processor last sent an event. Null if it sent none within the last 90 days."`
}

func (s *Service) processorList() command.Definition {
	return command.Define(command.Spec[command.None, ProcessorListResult]{
		Name:        "BILLING.PROCESSOR_LIST",
		Summary:     "List payment processors with their configuration and abilities.",
		Description: "In development, the list includes the sandbox, which takes no real payments.",
		Access:      access.Holding(reading),
		Effect:      command.Reads,
		Handle: func(ctx context.Context, _ command.Call, _ command.None) (ProcessorListResult, error) {
			result := ProcessorListResult{Items: []Processor{}}
			for _, name := range append(slices.Sorted(maps.Keys(s.Abilities)), billing.Sandbox) {
				shown, there, err := s.processor(ctx, name)
				if err != nil {
					return ProcessorListResult{}, err
				}
				if there {
					result.Items = append(result.Items, shown)
				}
			}
			return result, nil
		},
	})
}

// processor returns a processor as it is listed. The sandbox is not where there is none.
func (s *Service) processor(ctx context.Context, name product.Processor) (shown Processor, there bool, err error) {
	shown = Processor{Processor: billing.AnyProcessor(name), Abilities: s.Abilities[name]}
	by, err := s.Payments.Processor(name)
	if err != nil {
		return shown, name != billing.Sandbox, nil //nolint:nilerr // it is not configured then
	}
	shown.Configured, shown.Mode, shown.Abilities = true, by.Account().Mode, by.Abilities()
	last, err := s.ProcessorEvents.Last(ctx, by.Account())
	if !last.IsZero() {
		shown.LastEventAt = &last
	}
	return shown, true, err
}

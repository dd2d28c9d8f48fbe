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
	Items []Processor `json:"items" doc:"The processors."`
}

// Processor is a processor in results.
type Processor struct {
	Processor   billing.AnyProcessor `json:"processor" doc:"Its name."`
	Configured  bool                 `json:"configured" doc:"Whether it can be sold by."`
	Mode        billing.Mode         `json:"mode,omitzero" doc:"Whether it takes real money; absent where it is not configured." jsonschema:"enum=test,enum=live"`
	Abilities   []billing.Ability    `json:"abilities" doc:"What it can do."`
	LastEventAt *time.Time           `json:"last_event_at" doc:"When it told of anything last; null: never, within the 90 days that this is kept."`
}

func (s *Service) processorList() command.Definition {
	return command.Define(command.Spec[command.None, ProcessorListResult]{
		Name:    "BILLING.PROCESSOR_LIST",
		Summary: "The payment processors, which of them are configured, and what each can do. In development there is one more, the sandbox, where nobody pays.",
		Access:  access.Holding(reading),
		Effect:  command.Reads,
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
	last, err := s.Told.Last(ctx, by.Account())
	if !last.IsZero() {
		shown.LastEventAt = &last
	}
	return shown, true, err
}

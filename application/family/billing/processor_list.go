package billing

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/billing"
)

// ProcessorListResult is the result of BILLING.PROCESSOR_LIST.
type ProcessorListResult struct {
	Items []Processor `json:"items" doc:"The processors."`
}

// Processor is a processor in results.
type Processor struct {
	Processor   billing.AnyProcessor `json:"processor" doc:"Its name."`
	Configured  bool                 `json:"configured" doc:"Whether it can be sold by."`
	Mode        billing.Mode         `json:"mode" doc:"Whether it takes real money." jsonschema:"enum=test,enum=live"`
	Abilities   []billing.Ability    `json:"abilities" doc:"What it can do."`
	LastEventAt *time.Time           `json:"last_event_at" doc:"When it told of anything last; null: never, within the 90 days that this is kept."`
}

func (s *Service) processorList() command.Definition {
	return command.Define(command.Spec[command.None, ProcessorListResult]{
		Name:    "BILLING.PROCESSOR_LIST",
		Summary: "The payment processors that this instance speaks to, and what each can do. In development there is one more, the sandbox, where nobody pays.",
		Access:  access.Holding(reading),
		Effect:  command.Reads,
		Handle: func(ctx context.Context, _ command.Call, _ command.None) (ProcessorListResult, error) {
			result := ProcessorListResult{Items: []Processor{}}
			for _, one := range s.Payments.Processors {
				at := one.Account()
				last, err := s.Told.Last(ctx, at)
				if err != nil {
					return ProcessorListResult{}, err
				}
				shown := Processor{Processor: billing.AnyProcessor(at.Processor), Configured: true, Mode: at.Mode, Abilities: one.Abilities()}
				if !last.IsZero() {
					shown.LastEventAt = &last
				}
				result.Items = append(result.Items, shown)
			}
			return result, nil
		},
	})
}

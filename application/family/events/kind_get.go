package events

import (
	"context"
	"encoding/json"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
)

var errUnknown = fault.New(fault.NotFound, "unknown event type: see EVENT.KIND_LIST")

// KindGetParams are the parameters of EVENT.KIND_GET.
type KindGetParams struct {
	Type event.Kind `json:"type" doc:"Event type." jsonschema:"maxLength=100,pattern=^[a-z0-9_]+\\.[a-z0-9_]+$,example=session.revoked"`
}

// KindGetResult is the result of EVENT.KIND_GET.
type KindGetResult struct {
	Type     event.Kind      `json:"type" doc:"Event type."`
	Summary  string          `json:"summary" doc:"One sentence about what happened."`
	Schema   json.RawMessage `json:"schema" doc:"JSON Schema (2020-12) of the event's data."`
	Example  json.RawMessage `json:"example" doc:"Example of the event's data."`
	Commands []string        `json:"commands" doc:"Commands that emit the event, sorted by name. Empty if only background work emits it."`
}

func (s *Service) kindGet() command.Definition {
	return command.Define(command.Spec[KindGetParams, KindGetResult]{
		Name:        "EVENT.KIND_GET",
		Summary:     "Describe an event type.",
		Description: "Returns the schema of the event data, an example, and the commands that emit the event.",
		Access:      access.Public(),
		Effect:      command.Reads,
		Handle: func(_ context.Context, _ command.Call, p KindGetParams) (KindGetResult, error) {
			kind, known := s.Kinds().Find(p.Type)
			if !known {
				return KindGetResult{}, errUnknown
			}
			return KindGetResult{
				Type: kind.Type, Summary: kind.Summary, Schema: kind.Schema,
				Example: kind.Example, Commands: kind.Commands,
			}, nil
		},
	})
}

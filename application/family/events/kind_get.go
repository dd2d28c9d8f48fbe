package events

import (
	"context"
	"encoding/json"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
)

var errUnknown = fault.New(fault.NotFound, "no such kind of event: EVENT.KIND_LIST names them")

// KindGetParams are the parameters of EVENT.KIND_GET.
type KindGetParams struct {
	Type event.Kind `json:"type" doc:"Name of the kind." jsonschema:"maxLength=100,pattern=^[a-z0-9_]+\\.[a-z0-9_]+$,example=session.revoked"`
}

// KindGetResult is the result of EVENT.KIND_GET.
type KindGetResult struct {
	Type     event.Kind      `json:"type" doc:"Name of the kind."`
	Summary  string          `json:"summary" doc:"What has happened."`
	Schema   json.RawMessage `json:"schema" doc:"JSON Schema (2020-12) of the content."`
	Example  json.RawMessage `json:"example" doc:"A content."`
	Commands []string        `json:"commands" doc:"Commands that emit it, in the order of their names; none when it comes from background work alone."`
}

func (s *Service) kindGet() command.Definition {
	return command.Define(command.Spec[KindGetParams, KindGetResult]{
		Name:    "EVENT.KIND_GET",
		Summary: "Describe one kind of event: its schema, an example, and the commands that emit it.",
		Access:  access.Public(),
		Effect:  command.Reads,
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

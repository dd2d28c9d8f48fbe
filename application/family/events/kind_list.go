package events

import (
	"context"
	"strings"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
)

// KindListParams are the parameters of EVENT.KIND_LIST.
type KindListParams struct {
	Resource string `json:"resource,omitzero" doc:"Returns only event types of this resource, such as session." jsonschema:"minLength=1,maxLength=64,example=session"`
}

// KindListResult is the result of EVENT.KIND_LIST.
type KindListResult struct {
	Items []Kind `json:"items" doc:"Event types, sorted by name."`
}

// Kind is a kind of event in lists.
type Kind struct {
	Type    event.Kind `json:"type" doc:"Event type, in the form resource.verb."`
	Summary string     `json:"summary" doc:"One sentence about what happened."`
	Version int        `json:"version" doc:"Version of the schema of the event's data."`
}

func (s *Service) kindList() command.Definition {
	return command.Define(command.Spec[KindListParams, KindListResult]{
		Name:    "EVENT.KIND_LIST",
		Summary: "List all event types.",
		Access:  access.Public(),
		Effect:  command.Reads,
		Handle: func(_ context.Context, _ command.Call, p KindListParams) (KindListResult, error) {
			listed := KindListResult{}
			for _, kind := range s.Kinds().List() {
				resource, _, _ := strings.Cut(string(kind.Type), ".")
				if p.Resource == "" || p.Resource == resource {
					listed.Items = append(listed.Items, Kind(kind))
				}
			}
			return listed, nil
		},
	})
}

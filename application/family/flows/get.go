package flows

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/flow"
)

// GetParams are the parameters of FLOW.GET.
type GetParams struct {
	Name flow.Name `json:"name" doc:"Name of the flow."`
	ScopeParams
	Version int `json:"version,omitzero" doc:"Version to return. Defaults to the current version." jsonschema:"minimum=1" example:"-"`
}

// GetResult is the result of FLOW.GET.
type GetResult struct {
	Flow Flow `json:"flow" doc:"The flow, with the graph of the requested version."`
}

func (s *Service) get() command.Definition {
	return command.Define(command.Spec[GetParams, GetResult]{
		Name:    "FLOW.GET",
		Summary: "Retrieve a flow with the graph of its current or an older version.",
		Access:  access.Holding(reading),
		Effect:  command.Reads,
		Handle: func(ctx context.Context, call command.Call, p GetParams) (GetResult, error) {
			found, err := s.find(ctx, call.Caller, p.ScopeParams, p.Name, p.Version)
			return GetResult{Flow: show(found)}, err
		},
	})
}

// find reads a flow with the graph of one of its versions, 0 for the current one.
func (s *Service) find(ctx context.Context, caller access.Caller, at ScopeParams, name flow.Name, version int) (flow.Snapshot, error) {
	org, err := at.at(caller)
	if err != nil {
		return flow.Snapshot{}, err
	}
	found, err := s.Directory.Find(ctx, org, name)
	if err != nil || version == 0 || version == found.Current.Number {
		return found, err
	}
	found.Current, err = s.Directory.Version(ctx, found.ID, version)
	return found, err
}

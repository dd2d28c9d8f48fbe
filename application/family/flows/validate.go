package flows

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/flow"
)

// ValidateParams are the parameters of FLOW.VALIDATE.
type ValidateParams struct {
	Trigger flow.Trigger `json:"trigger" doc:"What the graph is to decide about."`
	Nodes   []flow.Node  `json:"nodes" doc:"The nodes." jsonschema:"maxItems=256"`
	Edges   []flow.Edge  `json:"edges" doc:"The edges." jsonschema:"maxItems=512"`
}

// ValidateResult is the result of FLOW.VALIDATE.
type ValidateResult struct {
	Valid    bool      `json:"valid" doc:"Whether the graph could be saved."`
	Problems []Problem `json:"problems" doc:"All that is wrong with it; of a valid one, what is probably not meant."`
}

// Problem is one thing that is wrong with a graph.
type Problem struct {
	Path    string `json:"path" doc:"JSON Pointer into the parameters."`
	Message string `json:"message" doc:"What is wrong there."`
}

func problems(found []fault.Field) []Problem {
	all := make([]Problem, len(found))
	for i, one := range found {
		all[i] = Problem(one)
	}
	return all
}

func (s *Service) validate() command.Definition {
	return command.Define(command.Spec[ValidateParams, ValidateResult]{
		Name:    "FLOW.VALIDATE",
		Summary: "All that is wrong with a graph, before saving it.",
		Access:  access.Holding(reading),
		Effect:  command.Reads,
		Handle: func(ctx context.Context, call command.Call, p ValidateParams) (ValidateResult, error) {
			made, found, err := s.judge(ctx, call.Caller.Org, p.Trigger, flow.Graph{Nodes: p.Nodes, Edges: p.Edges})
			if err != nil {
				return ValidateResult{}, err
			}
			if found != nil {
				return ValidateResult{Problems: problems(found)}, nil
			}
			return ValidateResult{Valid: true, Problems: problems(made.Warnings)}, nil
		},
	})
}

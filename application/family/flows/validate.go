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
	Trigger flow.Trigger `json:"trigger" doc:"Trigger that the graph decides about."`
	Nodes   []flow.Node  `json:"nodes" doc:"Nodes of the graph." jsonschema:"maxItems=256"`
	Edges   []flow.Edge  `json:"edges" doc:"Edges of the graph." jsonschema:"maxItems=512"`
}

// ValidateResult is the result of FLOW.VALIDATE.
type ValidateResult struct {
	Valid    bool      `json:"valid" doc:"Whether the graph can be saved."`
	Problems []Problem `json:"problems" doc:"Everything that is wrong with the graph. For a valid graph, warnings about what is probably unintended."`
}

// Problem is one thing that is wrong with a graph.
type Problem struct {
	Path    string `json:"path" doc:"JSON Pointer to the parameter with the problem."`
	Message string `json:"message" doc:"Description of the problem."`
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
		Name:        "FLOW.VALIDATE",
		Summary:     "Validate a graph before saving it.",
		Description: "The result lists everything that is wrong with the graph.",
		Access:      access.Holding(reading),
		Effect:      command.Reads,
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

package flows

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/flow"
)

// RunGetParams are the parameters of FLOW.RUN_GET.
type RunGetParams struct {
	RunID flow.RunID `json:"run_id" doc:"ID of the run."`
}

// RunGetResult is the result of FLOW.RUN_GET.
type RunGetResult struct {
	FlowRun         Run                       `json:"flow_run" doc:"The run."`
	Path            []Trace                   `json:"path" doc:"Nodes that ran, in order, with their outcomes."`
	ContextRedacted map[string]map[string]any `json:"context_redacted" doc:"Context that the run read, without addresses, the raw user agent and metadata."`
}

func (s *Service) runGet() command.Definition {
	return command.Define(command.Spec[RunGetParams, RunGetResult]{
		Name:        "FLOW.RUN_GET",
		Summary:     "Retrieve a flow run node by node.",
		Description: "The context that the run read is included, with personal data removed.",
		Access:      access.Holding(reading),
		Effect:      command.Reads,
		Handle: func(ctx context.Context, call command.Call, p RunGetParams) (RunGetResult, error) {
			orgs, err := scopes(call.Caller)
			if err != nil {
				return RunGetResult{}, err
			}
			found, err := s.Runs.Find(ctx, orgs, p.RunID)
			return RunGetResult{FlowRun: showRun(found), Path: traced(found.Content.Trace), ContextRedacted: redacted(found.Content.Context)}, err
		},
	})
}

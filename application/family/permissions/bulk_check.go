package permissions

import (
	"context"
	"fmt"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/user"
)

// BulkCheckParams are the parameters of PERMISSION.BULK_CHECK.
type BulkCheckParams struct {
	Checks []Check `json:"checks" doc:"What is asked." jsonschema:"minItems=1,maxItems=100"`
	UserID user.ID `json:"user_id,omitzero" doc:"Who is to do it: a member of the workspace; you when absent. Others need permissions:read."`
}

// BulkCheckResult is the result of PERMISSION.BULK_CHECK.
type BulkCheckResult struct {
	Results []Checked `json:"results" doc:"The answers, in the order of the checks."`
}

// Checked is the answer to one check.
type Checked struct {
	Action   string `json:"action" doc:"What is to be done."`
	Resource string `json:"resource" doc:"What it is to be done to."`
	Allowed  bool   `json:"allowed" doc:"Whether the user may do it."`
}

func (s *Service) bulkCheck() command.Definition {
	return command.Define(command.Spec[BulkCheckParams, BulkCheckResult]{
		Name:        "PERMISSION.BULK_CHECK",
		Summary:     "Tell of up to 100 actions on resources whether a user may do them in the active workspace, each as PERMISSION.CHECK does.",
		Access:      access.Anybody(),
		InWorkspace: true,
		Effect:      command.Reads,
		Handle: func(ctx context.Context, call command.Call, p BulkCheckParams) (BulkCheckResult, error) {
			of, err := s.subject(ctx, call.Caller, "", p.UserID)
			if err != nil {
				return BulkCheckResult{}, err
			}
			vias, err := s.vias(ctx, of, func(i int) string { return fmt.Sprintf("/checks/%d/resource", i) }, p.Checks...)
			if err != nil {
				return BulkCheckResult{}, err
			}
			answered := BulkCheckResult{Results: make([]Checked, len(p.Checks))}
			for i, asked := range p.Checks {
				answered.Results[i] = Checked{Action: asked.Action, Resource: asked.Resource, Allowed: vias[i] != ""}
			}
			return answered, nil
		},
	})
}

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
	Checks []Check `json:"checks" doc:"Actions and resources to check." jsonschema:"minItems=1,maxItems=100"`
	UserID user.ID `json:"user_id,omitzero" doc:"ID of the member to check. Defaults to you. Others require permissions:read."`
}

// BulkCheckResult is the result of PERMISSION.BULK_CHECK.
type BulkCheckResult struct {
	Results []Checked `json:"results" doc:"Results, in the order of the checks."`
}

// Checked is the answer to one check.
type Checked struct {
	Action   string `json:"action" doc:"Checked action."`
	Resource string `json:"resource" doc:"Checked resource."`
	Allowed  bool   `json:"allowed" doc:"Whether the action is allowed."`
}

func (s *Service) bulkCheck() command.Definition {
	return command.Define(command.Spec[BulkCheckParams, BulkCheckResult]{
		Name:        "PERMISSION.BULK_CHECK",
		Summary:     "Check up to 100 actions on resources in the active workspace at once.",
		Description: "Each check works like `PERMISSION.CHECK`.",
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

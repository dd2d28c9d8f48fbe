package relations

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/relation"
)

// BulkCheckParams are the parameters of RELATION.BULK_CHECK.
type BulkCheckParams struct {
	AtLeast

	Checks []Question `json:"checks" doc:"The checks to answer." jsonschema:"minItems=1,maxItems=100"`
}

// BulkCheckResult is the result of RELATION.BULK_CHECK.
type BulkCheckResult struct {
	Results  []Allowed `json:"results" doc:"Results, in the order of the checks."`
	Revision string    `json:"revision" doc:"Revision of the workspace's relations that all results are based on."`
}

// Allowed is the answer to a question.
type Allowed struct {
	Allowed bool `json:"allowed" doc:"Whether the subject has the relation to the object."`
}

func (s *Service) bulkCheck() command.Definition {
	return command.Define(command.Spec[BulkCheckParams, BulkCheckResult]{
		Name:        "RELATION.BULK_CHECK",
		Summary:     "Check up to 100 relations in one call.",
		Description: "All checks are answered at the same revision. If one check cannot be answered, the call fails and the error names the check.",
		Access:      access.Holding(read),
		Effect:      command.Reads,
		Handle: func(ctx context.Context, call command.Call, p BulkCheckParams) (BulkCheckResult, error) {
			org, err := home(call.Caller)
			if err != nil {
				return BulkCheckResult{}, err
			}
			questions := make([]relation.Question, len(p.Checks))
			for i, q := range p.Checks {
				questions[i] = q.asked()
			}
			found, err := s.Relating.Check(ctx, org, p.AtLeast.AtLeast, func(i int) string { return item("checks", i) }, questions...)
			if err != nil {
				return BulkCheckResult{}, err
			}
			result := BulkCheckResult{Revision: found.Revision.String()}
			for _, allowed := range found.Allowed {
				result.Results = append(result.Results, Allowed{allowed})
			}
			return result, nil
		},
	})
}

package relations

import (
	"context"
	"time"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/relation"
)

// ModelGetParams are the parameters of RELATION.MODEL_GET.
type ModelGetParams struct {
	Version int64 `json:"version,omitzero" doc:"A version of the model, of the last hundred; absent: the one in force." jsonschema:"minimum=1" example:"-"`
}

// ModelGetResult is the result of RELATION.MODEL_GET.
type ModelGetResult struct {
	Model     map[string]any `json:"model" doc:"The model: types, relations, rewrites and conditions, as OpenFGA's JSON of schema 1.1."`
	Version   int64          `json:"version" doc:"Its version."`
	CreatedAt time.Time      `json:"created_at" doc:"When it was published."`
}

func (s *Service) modelGet() command.Definition {
	return command.Define(command.Spec[ModelGetParams, ModelGetResult]{
		Name:    "RELATION.MODEL_GET",
		Summary: "The relation model of the workspace: the one in force, or an earlier version.",
		Access:  access.Holding(read),
		Effect:  command.Reads,
		Handle: func(ctx context.Context, call command.Call, p ModelGetParams) (ModelGetResult, error) {
			org, err := home(call.Caller)
			if err != nil {
				return ModelGetResult{}, err
			}
			if p.Version == 0 {
				_, head, err := s.Relating.Directory.Read(ctx, org, relation.Query{})
				if err != nil {
					return ModelGetResult{}, err
				}
				p.Version = head.ModelVersion
			}
			stored, err := s.Relating.Directory.Model(ctx, org, p.Version)
			if err != nil {
				return ModelGetResult{}, err
			}
			result := ModelGetResult{Version: p.Version, CreatedAt: stored.CreatedAt}
			return result, json.Unmarshal([]byte(stored.Text), &result.Model)
		},
	})
}

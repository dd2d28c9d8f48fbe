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
	Version int64 `json:"version,omitzero" doc:"Version of the model, one of the last 100. Defaults to the current version." jsonschema:"minimum=1" example:"-"`
}

// ModelGetResult is the result of RELATION.MODEL_GET.
type ModelGetResult struct {
	Model     map[string]any `json:"model" doc:"The model: types, relations, rewrites and conditions, in OpenFGA's JSON format (schema 1.1)."`
	Version   int64          `json:"version" doc:"Version of the model."`
	CreatedAt time.Time      `json:"created_at" doc:"Time at which the version was published."`
}

func (s *Service) modelGet() command.Definition {
	return command.Define(command.Spec[ModelGetParams, ModelGetResult]{
		Name:    "RELATION.MODEL_GET",
		Summary: "Retrieve the current relation model of the workspace, or an earlier version.",
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

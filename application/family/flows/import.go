package flows

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/flow"
)

// ImportParams are the parameters of FLOW.IMPORT.
type ImportParams struct {
	Document   Document `json:"document" doc:"Document that FLOW.EXPORT returned, as an object or as a JSON or YAML string. At most 100 flows."`
	OnConflict string   `json:"on_conflict,omitzero" doc:"Action if a flow of the same name exists: fail, replace it, or rename the imported flow. Defaults to fail." jsonschema:"enum=fail,enum=replace,enum=rename"`
	Force      bool     `json:"force,omitzero" doc:"Whether to replace enabled flows even if they would deny you right now."`
}

// ImportResult is the result of FLOW.IMPORT.
type ImportResult struct {
	Created  []flow.Name `json:"created" doc:"Names of the created flows. They are disabled."`
	Updated  []flow.Name `json:"updated" doc:"Names of the flows that have a new version."`
	Problems []Problem   `json:"problems" doc:"Problems of the document. If there are any, nothing is changed."`
}

const maxImported = 100

func (s *Service) importing() command.Definition {
	return command.Define(command.Spec[ImportParams, ImportResult]{
		Name:        "FLOW.IMPORT",
		Summary:     "Import flows from a document.",
		Description: "All flows are imported, or none. New flows are disabled. Importing the same document again changes nothing.",
		Access:      access.Holding(writing).Recent(),
		Effect:      command.Writes,
		Emits:       []event.Kind{flow.KindCreated, flow.KindUpdated},
		Handle: func(ctx context.Context, call command.Call, p ImportParams) (ImportResult, error) {
			entries, found, err := s.content(ctx, call.Caller.Org, p.Document)
			if err != nil || found != nil {
				return ImportResult{Problems: problems(found)}, err
			}
			var result ImportResult
			ids := make([]flow.ID, len(entries))
			for i := range ids {
				ids[i] = flow.NewID(s.IDs)
			}
			err = s.do(ctx, func(tx Repos) error {
				result = ImportResult{}
				var refused []fault.Field
				for i, entry := range entries {
					err := s.bring(ctx, tx, call, flowImport{entry, ids[i], p.OnConflict, p.Force, &result})
					if err := collect(&refused, err, i); err != nil {
						return err
					}
				}
				if refused != nil {
					return fault.Refuse(refused...)
				}
				return nil
			})
			return result, err
		},
	})
}

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
	Document   Document `json:"document" doc:"What FLOW.EXPORT wrote: an object, or a text in JSON or YAML. At most 100 flows."`
	OnConflict string   `json:"on_conflict,omitzero" doc:"What a flow of the same name means: fail, which is the default, replace, or rename, which finds another name." jsonschema:"enum=fail,enum=replace,enum=rename"`
	Force      bool     `json:"force,omitzero" doc:"Of flows that are enabled: replace them although they would deny you right now."`
}

// ImportResult is the result of FLOW.IMPORT.
type ImportResult struct {
	Created  []flow.Name `json:"created" doc:"Flows that were made; they are switched off."`
	Updated  []flow.Name `json:"updated" doc:"Flows that have a new version."`
	Problems []Problem   `json:"problems" doc:"All that is wrong with the document; then nothing was changed."`
}

const maxImported = 100

func (s *Service) importing() command.Definition {
	return command.Define(command.Spec[ImportParams, ImportResult]{
		Name:    "FLOW.IMPORT",
		Summary: "Bring flows in from a document, all of them or none; the same document again changes nothing. New ones are switched off.",
		Access:  access.Holding(writing).Recent(),
		Effect:  command.Writes,
		Emits:   []event.Kind{flow.KindCreated, flow.KindUpdated},
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
					err := s.bring(ctx, tx, call, bringing{entry, ids[i], p.OnConflict, p.Force, &result})
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

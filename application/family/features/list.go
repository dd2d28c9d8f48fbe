package features

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/feature"
	"gatehouse.internal/ports/outbound/licensing"
)

// ListParams are the parameters of FEATURE.LIST.
type ListParams struct {
	Query string `json:"query,omitzero" doc:"Only features whose key starts with this text." jsonschema:"minLength=1,maxLength=64,example=export" example:"-"`
	page.Params
}

// ListResult is the result of FEATURE.LIST.
type ListResult struct {
	Items      []Feature `json:"items" doc:"Features of this page, sorted by key."`
	NextCursor *string   `json:"next_cursor" doc:"Cursor of the next page. Null on the last page."`
}

func (s *Service) list() command.Definition {
	return command.Define(command.Spec[ListParams, ListResult]{
		Name:    "FEATURE.LIST",
		Summary: "List the features of the workspace, sorted by key.",
		Access:  access.Holding(reading),
		Effect:  command.Reads,
		Handle: func(ctx context.Context, call command.Call, p ListParams) (ListResult, error) {
			org, err := home(call.Caller)
			if err != nil {
				return ListResult{}, err
			}
			list := s.Cursors.List("FEATURE.LIST|"+org.String()+"|"+p.Query, p.Params)
			found, err := page.Read(list, func(f feature.Snapshot) string { return string(f.Key) }, show,
				func(after string, most int) ([]feature.Snapshot, error) {
					return s.Directory.List(ctx, licensing.FeatureQuery{Org: org, Begins: p.Query, After: feature.Key(after), Limit: most})
				})
			return ListResult{found.Items, found.NextCursor}, err
		},
	})
}

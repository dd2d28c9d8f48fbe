package apps

import (
	"context"
	"fmt"

	"gatehouse.internal/application/command"
	"gatehouse.internal/application/page"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/ports/outbound"
)

// ListParams are the parameters of APP.LIST.
type ListParams struct {
	Type  app.Type `json:"type,omitzero" doc:"Only apps of this type."`
	Query string   `json:"query,omitzero" doc:"Beginning of the name or slug, in any case." jsonschema:"minLength=1,maxLength=200,pattern=^[^\\x00-\\x1f\\x7f-\\x9f]*$,example=billing"`
	page.Params
}

func (s *Service) list() command.Definition {
	return command.Define(command.Spec[ListParams, page.Of[view.App]]{
		Name:    "APP.LIST",
		Summary: "List the apps of the active workspace, newest first.",
		Access:  access.Holding(read),
		Effect:  command.Reads,
		Handle: func(ctx context.Context, call command.Call, p ListParams) (page.Of[view.App], error) {
			list := s.Cursors.List(fmt.Sprintf("APP.LIST|%s|%s|%s", call.Caller.Org, p.Type, p.Query), p.Params)
			before, err := list.Position()
			if err != nil {
				return page.Of[view.App]{}, err
			}
			found, err := s.Directory.List(ctx, outbound.AppQuery{
				Org: call.Caller.Org, Type: p.Type, Text: p.Query, Before: app.ID(before), Limit: p.Size() + 1,
			})
			if err != nil {
				return page.Of[view.App]{}, err
			}
			return page.Cut(list, found, func(a app.Snapshot) string { return a.ID.String() }, view.OfApp), nil
		},
	})
}

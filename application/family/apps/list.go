package apps

import (
	"context"
	"fmt"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/ports/outbound/machines"
)

// ListParams are the parameters of APP.LIST.
type ListParams struct {
	Type  app.Type `json:"type,omitzero" doc:"Return only apps of this type."`
	Query string   `json:"query,omitzero" doc:"Return only apps whose name or slug starts with this text. Case-insensitive." jsonschema:"minLength=1,maxLength=200,pattern=^[^\\x00-\\x1f\\x7f-\\x9f]*$,example=billing"`
	page.Params
}

func (s *Service) list() command.Definition {
	return command.Define(command.Spec[ListParams, page.Of[view.App]]{
		Name:        "APP.LIST",
		Summary:     "List the apps of the active workspace.",
		Description: "Apps are listed newest first. Superadmins see the apps of all workspaces.",
		Access:      access.Holding(read),
		Effect:      command.Reads,
		Handle: func(ctx context.Context, call command.Call, p ListParams) (page.Of[view.App], error) {
			org, err := call.Caller.Horizon()
			if err != nil {
				return page.Of[view.App]{}, err
			}
			list := s.Cursors.List(fmt.Sprintf("APP.LIST|%s|%s|%s", org, p.Type, p.Query), p.Params)
			position := func(a app.Snapshot) string { return a.ID.String() }
			return page.Read(list, position, view.OfApp, func(before string, most int) ([]app.Snapshot, error) {
				return s.Directory.List(ctx, machines.AppQuery{
					Org: org, Type: p.Type, Text: p.Query, Before: app.ID(before), Limit: most,
				})
			})
		},
	})
}

package groups

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/group"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/workspaces"
)

// ListParams are the parameters of GROUP.LIST.
type ListParams struct {
	Query  string  `json:"query,omitzero" doc:"Start of the name to search for. Case-insensitive." jsonschema:"minLength=1,maxLength=64,example=ops" example:"-"`
	UserID user.ID `json:"user_id,omitzero" doc:"Only groups of this member."`
	page.Params
}

func (s *Service) list() command.Definition {
	return command.Define(command.Spec[ListParams, page.Of[Group]]{
		Name:    "GROUP.LIST",
		Summary: "List the groups of the workspace, newest first.",
		Access:  access.Holding(reading),
		Effect:  command.Reads,
		Handle: func(ctx context.Context, call command.Call, p ListParams) (page.Of[Group], error) {
			org := call.Caller.Org
			if org == "" {
				return page.Of[Group]{}, workspace.ErrNotFound
			}
			book, err := s.Books.Now(ctx, org)
			if err != nil {
				return page.Of[Group]{}, err
			}
			list := s.Cursors.List("GROUP.LIST|"+org.String()+"|"+p.UserID.String()+"|"+p.Query, p.Params)
			return page.Read(list, func(g group.Snapshot) string { return g.ID.String() }, func(g group.Snapshot) Group { return show(book, g) },
				func(before string, most int) ([]group.Snapshot, error) {
					return s.Directory.List(ctx, workspaces.GroupQuery{
						Org: org, Text: p.Query, User: p.UserID, Before: group.ID(before), Limit: most,
					})
				})
		},
	})
}

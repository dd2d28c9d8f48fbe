package teams

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/workspaces"
)

// ListParams are the parameters of TEAM.LIST.
type ListParams struct {
	All   bool   `json:"all,omitzero" doc:"Whether to list all workspaces of the instance. Requires a superadmin."`
	Query string `json:"query,omitzero" doc:"Start of the name or slug to search for. Case-insensitive for names." jsonschema:"minLength=1,maxLength=100,pattern=^[^\\x00-\\x1f\\x7f-\\x9f]*$,example=analytical"`
	page.Params
}

func (s *Service) list() command.Definition {
	return command.Define(command.Spec[ListParams, page.Of[view.Organization]]{
		Name:        "TEAM.LIST",
		Summary:     "List the workspaces that you are a member of, newest first.",
		Description: "Superadmins can list all workspaces. An API key cannot list workspaces; use `TEAM.GET` to read its own.",
		Access:      access.User().InPerson().Impersonated().Anywhere(),
		Effect:      command.Reads,
		Handle: func(ctx context.Context, call command.Call, p ListParams) (page.Of[view.Organization], error) {
			query := workspaces.WorkspaceQuery{Member: call.Caller.User, Text: strings.TrimSpace(p.Query)}
			if p.All {
				query.Member = ""
			}
			if p.All && !call.Caller.Superadmin {
				return page.Of[view.Organization]{}, access.ErrSuperadmin
			}
			list := s.Cursors.List(fmt.Sprintf("TEAM.LIST|%s|%s", query.Member, query.Text), p.Params)
			position := func(w workspace.Snapshot) string { return w.ID.String() }
			var failed error
			show := func(w workspace.Snapshot) view.Organization {
				shown, err := s.show(ctx, w)
				failed = errors.Join(failed, err)
				return shown
			}
			listed, err := page.Read(list, position, show, func(before string, most int) ([]workspace.Snapshot, error) {
				query.Before, query.Limit = workspace.ID(before), most
				return s.Directory.List(ctx, query)
			})
			return listed, cmp.Or(err, failed)
		},
	})
}

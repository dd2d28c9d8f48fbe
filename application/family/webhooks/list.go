package webhooks

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/webhook"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/webhooks"
)

// ListParams are the parameters of WEBHOOK.LIST.
type ListParams struct {
	OrgID   workspace.ID `json:"org_id,omitzero" doc:"Workspace whose webhook endpoints to list. Defaults to the active workspace, or to the instance for superadmins." example:"-"`
	Scope   Scope        `json:"scope,omitzero" doc:"Whether to list the endpoints of the instance or of the workspace. Only superadmins can use instance." jsonschema:"enum=instance,enum=workspace" example:"-"`
	Enabled *bool        `json:"enabled,omitzero" doc:"Filter by whether the webhook endpoint is enabled." example:"-"`
	page.Params
}

func (s *Service) list() command.Definition {
	return command.Define(command.Spec[ListParams, page.Of[Webhook]]{
		Name:    "WEBHOOK.LIST",
		Summary: "List webhook endpoints, newest first.",
		Access:  access.Holding(reading),
		Effect:  command.Reads,
		Handle: func(ctx context.Context, call command.Call, p ListParams) (page.Of[Webhook], error) {
			org, err := owner(call.Caller, p.Scope, p.OrgID)
			if err != nil {
				return page.Of[Webhook]{}, err
			}
			list := s.Cursors.List("WEBHOOK.LIST|"+org.String(), p.Params)
			return page.Read(list, func(w webhook.Snapshot) string { return w.ID.String() }, show,
				func(before string, most int) ([]webhook.Snapshot, error) {
					return s.Endpoints.List(ctx, webhooks.EndpointQuery{Org: org, Enabled: p.Enabled, Before: webhook.ID(before), Limit: most})
				})
		},
	})
}

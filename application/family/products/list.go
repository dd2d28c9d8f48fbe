package products

import (
	"context"
	"fmt"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/licensing"
)

// ListParams are the parameters of PRODUCT.LIST.
type ListParams struct {
	OrgSlug  workspace.Slug `json:"org_slug,omitzero" doc:"The workspace that sells them, by its slug; absent: the active one." example:"-"`
	Archived *bool          `json:"archived,omitzero" doc:"Only products that are archived, or only those that are not." example:"-"`
	Query    string         `json:"query,omitzero" doc:"Only products whose name begins with this, whatever its case." jsonschema:"minLength=1,maxLength=64,example=draft" example:"-"`
	page.Params
}

func (s *Service) list() command.Definition {
	return command.Define(command.Spec[ListParams, page.Of[Product]]{
		Name:        "PRODUCT.LIST",
		Summary:     "Public products of a workspace for buyers, newest first; all products of the active one with products:read.",
		Access:      access.Anybody(),
		InWorkspace: true,
		Effect:      command.Reads,
		Handle: func(ctx context.Context, call command.Call, p ListParams) (page.Of[Product], error) {
			query := licensing.ProductQuery{Slug: p.OrgSlug, Archived: p.Archived, Text: p.Query, Public: true}
			shown := sold
			if p.OrgSlug == "" {
				if call.Caller.Org == "" {
					return page.Of[Product]{}, workspace.ErrNotFound
				}
				query.Org = call.Caller.Org
			}
			if p.OrgSlug == "" && call.Caller.May(reading) {
				query.Public, shown = false, show
			}
			scope := fmt.Sprintf("PRODUCT.LIST|%s|%s|%t|%s|%s", query.Org, p.OrgSlug, query.Public, choice(p.Archived), p.Query)
			return page.Read(s.Cursors.List(scope, p.Params), func(one product.Snapshot) string { return one.ID.String() }, shown,
				func(before string, most int) ([]product.Snapshot, error) {
					query.Before, query.Limit = product.ID(before), most
					return s.Directory.List(ctx, query)
				})
		},
	})
}

// choice writes what was chosen as part of the scope of a list.
func choice(chosen *bool) string {
	if chosen == nil {
		return "any"
	}
	return fmt.Sprint(*chosen)
}

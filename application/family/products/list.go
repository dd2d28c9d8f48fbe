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
	OrgSlug  workspace.Slug `json:"org_slug,omitzero" doc:"Slug of the workspace whose public products to list. Defaults to the active workspace." example:"-"`
	Archived *bool          `json:"archived,omitzero" doc:"Filter by whether the product is archived." example:"-"`
	Query    string         `json:"query,omitzero" doc:"Filter by the beginning of the name. Case-insensitive." jsonschema:"minLength=1,maxLength=64,example=draft" example:"-"`
	page.Params
}

func (s *Service) list() command.Definition {
	return command.Define(command.Spec[ListParams, page.Of[Product]]{
		Name:    "PRODUCT.LIST",
		Summary: "List products, newest first.",
		Description: "Buyers see the public products of a workspace. With `products:read` and without `org_slug`, you see every product of the active " +
			"workspace.",
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

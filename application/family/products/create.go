package products

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/feature"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/domain/workspace"
)

// CreateParams are the parameters of PRODUCT.CREATE.
type CreateParams struct {
	Name            workspace.Name    `json:"name" doc:"Display name."`
	Slug            product.Slug      `json:"slug" doc:"Identifier for use in code. Unique on the instance, and never reused for another product."`
	Description     string            `json:"description,omitzero" doc:"Description for buyers." jsonschema:"maxLength=2000"`
	Processor       product.Processor `json:"processor,omitzero" doc:"Payment processor that takes payments for the product. Omit if the product is not sold yet."`
	Features        feature.Values    `json:"features,omitzero" doc:"Features that owners of the product get, by name. Values are true, false, integers or strings. The feature role names a role of the workspace: you must hold every permission it grants."`
	LicensePolicyID product.PolicyID  `json:"license_policy_id,omitzero" doc:"License policy for new licenses of the product, unless another one is named when a license is issued." example:"-"`
	Public          bool              `json:"public,omitzero" doc:"Whether buyers can see the product."`
	GraceDays       *int              `json:"grace_days,omitzero" doc:"Days of continued access after a payment is due. Defaults to 7." jsonschema:"minimum=0,maximum=90,example=7"`
	Metadata        map[string]any    `json:"metadata_json,omitzero" doc:"Your own data, at most 16 KiB and 8 levels deep. Numbers beyond ±9007199254740991 are refused because they would be rounded: send them as strings."`
}

func (s *Service) create() command.Definition {
	return command.Define(command.Spec[CreateParams, Result]{
		Name:    "PRODUCT.CREATE",
		Summary: "Create a product.",
		Description: "A product is something the workspace sells or licenses. Set its prices with BILLING.PRICE_CREATE.\n\n" +
			"A workspace can have at most 1,000 products, including archived ones.",
		Access: access.Holding(writing),
		Effect: command.Writes,
		Emits:  []event.Kind{product.KindCreated},
		Handle: func(ctx context.Context, call command.Call, p CreateParams) (Result, error) {
			draft := product.Draft{
				ID: product.NewID(s.IDs), OrgID: call.Caller.Org, Name: string(p.Name), Slug: p.Slug, Description: p.Description,
				Processor: p.Processor, Features: p.Features, PolicyID: p.LicensePolicyID, Public: p.Public,
				GraceDays: product.DefaultGraceDays, Metadata: p.Metadata,
			}
			if p.GraceDays != nil {
				draft.GraceDays = *p.GraceDays
			}
			made, err := product.Define(draft, s.Clock.Now())
			if err != nil {
				return Result{}, err
			}
			err = s.Unit.Do(ctx, func(tx Repos) error {
				count, err := tx.Products.Count(ctx, draft.OrgID)
				if err != nil {
					return err
				}
				if count >= product.MostProducts {
					return product.ErrTooMany
				}
				if err := names(ctx, tx, call.Caller, made.Snapshot()); err != nil {
					return err
				}
				return tx.Products.Save(ctx, made)
			})
			return Result{Product: show(made.Snapshot())}, err
		},
	})
}

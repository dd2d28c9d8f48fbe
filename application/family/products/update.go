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

// UpdateParams are the parameters of PRODUCT.UPDATE.
type UpdateParams struct {
	ProductID       product.Ref        `json:"product_id" doc:"The product, by ID or slug."`
	Name            *workspace.Name    `json:"name,omitzero" doc:"Display name."`
	Processor       *product.Processor `json:"processor,omitzero" doc:"Payment processor that takes payments for the product. Fixed once something was sold."`
	Description     *string            `json:"description,omitzero" doc:"Description for buyers." jsonschema:"maxLength=2000"`
	Features        feature.Values     `json:"features,omitzero" doc:"Features that owners of the product get. Replaces all current features. See PRODUCT.CREATE."`
	LicensePolicyID *product.PolicyID  `json:"license_policy_id,omitzero" doc:"License policy for new licenses of the product, unless another one is named when a license is issued." example:"-"`
	Archived        *bool              `json:"archived,omitzero" doc:"Whether the product is archived. An archived product is no longer sold."`
	Public          *bool              `json:"public,omitzero" doc:"Whether buyers can see the product."`
	GraceDays       *int               `json:"grace_days,omitzero" doc:"Days of continued access after a payment is due." jsonschema:"minimum=0,maximum=90,example=7"`
	Metadata        map[string]any     `json:"metadata_json,omitzero" doc:"Changes to your own data, as a merge patch (RFC 7396): null removes a key, objects are merged, and other values are replaced. The result is at most 16 KiB and 8 levels deep."`
}

func (s *Service) update() command.Definition {
	return command.Define(command.Spec[UpdateParams, Result]{
		Name:        "PRODUCT.UPDATE",
		Summary:     "Update or archive a product.",
		Description: "Fields you omit keep their current value. Licenses that were already issued keep their terms.",
		Access:      access.Holding(writing),
		Effect:      command.Writes,
		Emits:       []event.Kind{product.KindUpdated},
		Handle: func(ctx context.Context, call command.Call, p UpdateParams) (result Result, err error) {
			change := product.Change{
				Name: (*string)(p.Name), Description: p.Description, Processor: p.Processor, Features: p.Features, PolicyID: p.LicensePolicyID,
				Public: p.Public, Archived: p.Archived, GraceDays: p.GraceDays, Metadata: p.Metadata,
			}
			err = s.Unit.Do(ctx, func(tx Repos) error {
				found, err := owned(ctx, tx, call.Caller, p.ProductID)
				if err != nil {
					return err
				}
				if err := fits(ctx, tx, call.Caller, found.Snapshot(), p); err != nil {
					return err
				}
				if err := found.Update(change, s.Clock.Now()); err != nil {
					return err
				}
				result.Product = show(found.Snapshot())
				if !found.Changed() {
					return nil
				}
				return tx.Products.Save(ctx, found)
			})
			return result, err
		},
	})
}

// fits fails where a change names what the product must not, or gives one that was sold
// another processor.
func fits(ctx context.Context, tx Repos, caller access.Caller, of product.Snapshot, p UpdateParams) error {
	named := product.Snapshot{ID: of.ID, OrgID: of.OrgID, Features: p.Features}
	if p.LicensePolicyID != nil {
		named.PolicyID = *p.LicensePolicyID
	}
	if err := names(ctx, tx, caller, named); err != nil {
		return err
	}
	if p.Processor == nil || *p.Processor == of.Processor {
		return nil
	}
	sold, err := tx.Products.Sold(ctx, of.ID)
	if err == nil && sold {
		err = product.ErrProcessor
	}
	return err
}

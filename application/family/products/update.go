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
	ProductID       product.Ref        `json:"product_id" doc:"The product, by its identifier or slug."`
	Name            *workspace.Name    `json:"name,omitzero" doc:"Name to show."`
	Processor       *product.Processor `json:"processor,omitzero" doc:"Who takes payments for it."`
	Description     *string            `json:"description,omitzero" doc:"What it is, for buyers." jsonschema:"maxLength=2000"`
	Features        feature.Values     `json:"features,omitzero" doc:"What owning it gives, in place of what it gave before; see PRODUCT.CREATE."`
	LicensePolicyID *product.PolicyID  `json:"license_policy_id,omitzero" doc:"The terms that its licenses are issued from unless others are named." example:"-"`
	Archived        *bool              `json:"archived,omitzero" doc:"Whether it is sold no more."`
	Public          *bool              `json:"public,omitzero" doc:"Whether buyers see it."`
	GraceDays       *int               `json:"grace_days,omitzero" doc:"For how many days access outlasts a payment that is due." jsonschema:"minimum=0,maximum=90,example=7"`
	Metadata        map[string]any     `json:"metadata_json,omitzero" doc:"What to change of the application's own data, as a merge patch (RFC 7396): null takes a key away, objects are merged, all else is replaced. The outcome is at most 16 KiB and 8 levels deep."`
}

func (s *Service) update() command.Definition {
	return command.Define(command.Spec[UpdateParams, Result]{
		Name:    "PRODUCT.UPDATE",
		Summary: "Change or archive a product; what is absent stays. Licenses that were issued keep their terms.",
		Access:  access.Holding(writing),
		Effect:  command.Writes,
		Emits:   []event.Kind{product.KindUpdated},
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

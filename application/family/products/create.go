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
	Name            workspace.Name    `json:"name" doc:"Name to show."`
	Slug            product.Slug      `json:"slug" doc:"What programs call it: unique on the instance, and never given to another product."`
	Description     string            `json:"description,omitzero" doc:"What it is, for buyers." jsonschema:"maxLength=2000"`
	Processor       product.Processor `json:"processor,omitzero" doc:"Who takes payments for it; absent: nobody yet."`
	Features        feature.Values    `json:"features,omitzero" doc:"What owning it gives, by feature: true or false, whole numbers or texts. role names a role of the workspace; you must hold all that it grants."`
	LicensePolicyID product.PolicyID  `json:"license_policy_id,omitzero" doc:"The terms that its licenses are issued from unless others are named." example:"-"`
	Public          bool              `json:"public,omitzero" doc:"Whether buyers see it."`
	GraceDays       *int              `json:"grace_days,omitzero" doc:"For how many days access outlasts a payment that is due; absent: 7." jsonschema:"minimum=0,maximum=90,example=7"`
	Metadata        map[string]any    `json:"metadata_json,omitzero" doc:"The application's own data, at most 16 KiB and 8 levels deep. Numbers beyond ±9007199254740991 are refused, for they would be rounded: send texts."`
}

func (s *Service) create() command.Definition {
	return command.Define(command.Spec[CreateParams, Result]{
		Name:    "PRODUCT.CREATE",
		Summary: "Define something that the workspace sells or licenses; a workspace has at most 1,000 products.",
		Access:  access.Holding(writing),
		Effect:  command.Writes,
		Emits:   []event.Kind{product.KindCreated},
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

package features

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/feature"
)

// CreateParams are the parameters of FEATURE.CREATE.
type CreateParams struct {
	Key         feature.Key    `json:"key" doc:"Key that programs use for the feature."`
	Type        feature.Type   `json:"type" doc:"Type of the feature's values. It cannot be changed later."`
	Default     feature.Value  `json:"default" doc:"Value if nothing else decides. Must have the type of the feature."`
	Rules       []feature.Rule `json:"rules,omitzero" doc:"Rules of the feature. The first rule that matches decides." jsonschema:"maxItems=20"`
	Description string         `json:"description,omitzero" doc:"Description of the feature, for people." jsonschema:"maxLength=500"`
}

func (s *Service) create() command.Definition {
	return command.Define(command.Spec[CreateParams, Result]{
		Name:        "FEATURE.CREATE",
		Summary:     "Create a feature flag or entitlement.",
		Description: "Rules decide who has the feature. A workspace has at most 1,000 features, with 2,000 rules in total.",
		Access:      access.Holding(writing),
		Effect:      command.Writes,
		Emits:       []event.Kind{feature.KindCreated},
		Handle: func(ctx context.Context, call command.Call, p CreateParams) (Result, error) {
			org, err := home(call.Caller)
			if err != nil {
				return Result{}, err
			}
			made, err := feature.Define(feature.Snapshot{
				OrgID: org, Key: p.Key, Type: p.Type, Default: p.Default, Rules: p.Rules, Description: p.Description,
			}, s.now())
			if err != nil {
				return Result{}, err
			}
			if err := s.Deciding.Check(ctx, org, p.Rules); err != nil {
				return Result{}, err
			}
			err = s.Unit.Do(ctx, func(tx Repos) error {
				features, rules, err := tx.Features.Hold(ctx, org)
				switch {
				case err != nil:
					return err
				case features >= feature.MostFeatures:
					return feature.ErrTooMany
				case rules+len(p.Rules) > feature.MostRules:
					return feature.ErrTooManyRules
				}
				return tx.Features.Save(ctx, made)
			})
			return Result{show(made.Snapshot())}, err
		},
	})
}

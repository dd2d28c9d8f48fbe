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
	Key         feature.Key    `json:"key" doc:"What programs call it."`
	Type        feature.Type   `json:"type" doc:"What its values are of. It never changes."`
	Default     feature.Value  `json:"default" doc:"What everybody has for whom nothing else decides, of that type."`
	Rules       []feature.Rule `json:"rules,omitzero" doc:"Rules, of which the first that holds decides." jsonschema:"maxItems=20"`
	Description string         `json:"description,omitzero" doc:"What it is, for people." jsonschema:"maxLength=500"`
}

func (s *Service) create() command.Definition {
	return command.Define(command.Spec[CreateParams, Result]{
		Name:    "FEATURE.CREATE",
		Summary: "Define a feature: a flag or an entitlement, with rules that say who has it. A workspace has at most 1,000 features, with 2,000 rules in all.",
		Access:  access.Holding(writing),
		Effect:  command.Writes,
		Emits:   []event.Kind{feature.KindCreated},
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

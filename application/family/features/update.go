package features

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/feature"
)

// UpdateParams are the parameters of FEATURE.UPDATE.
type UpdateParams struct {
	Key         feature.Key    `json:"key" doc:"Key of the feature."`
	Default     feature.Value  `json:"default,omitzero" doc:"Value if nothing else decides."`
	Rules       []feature.Rule `json:"rules,omitzero" doc:"Rules of the feature. Replaces all rules. Send an empty list to use only the default." jsonschema:"maxItems=20"`
	Enabled     *bool          `json:"enabled,omitzero" doc:"Whether the feature is enabled. If it is disabled, everybody gets the default, regardless of overrides, licenses, subscriptions and rules."`
	Description *string        `json:"description,omitzero" doc:"Description of the feature, for people." jsonschema:"maxLength=500"`
}

func (s *Service) update() command.Definition {
	return command.Define(command.Spec[UpdateParams, Result]{
		Name:        "FEATURE.UPDATE",
		Summary:     "Update a feature's default, rules or description, or enable or disable it.",
		Description: "Omitted fields keep their current values.",
		Access:      access.Holding(writing),
		Effect:      command.Writes,
		Emits:       []event.Kind{feature.KindUpdated},
		Handle: func(ctx context.Context, call command.Call, p UpdateParams) (result Result, err error) {
			if err := s.Deciding.Check(ctx, call.Caller.Org, p.Rules); err != nil {
				return Result{}, err
			}
			err = s.change(ctx, call.Caller, p.Key, func(tx Repos, f *feature.Feature, rules int) error {
				before := len(f.Snapshot().Rules)
				if err := f.Update(feature.Change{Default: p.Default, Rules: p.Rules, Enabled: p.Enabled, Description: p.Description}, s.now()); err != nil {
					return err
				}
				after := f.Snapshot()
				if len(after.Rules) > before && rules-before+len(after.Rules) > feature.MostRules {
					return feature.ErrTooManyRules
				}
				result.Feature = show(after)
				if !f.Changed() {
					return nil
				}
				return tx.Features.Save(ctx, f)
			})
			return result, err
		},
	})
}

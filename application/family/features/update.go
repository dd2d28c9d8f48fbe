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
	Key         feature.Key    `json:"key" doc:"The feature."`
	Default     feature.Value  `json:"default,omitzero" doc:"What everybody has for whom nothing else decides."`
	Rules       []feature.Rule `json:"rules,omitzero" doc:"Rules in place of those before; none: the default decides." jsonschema:"maxItems=20"`
	Enabled     *bool          `json:"enabled,omitzero" doc:"Whether it is decided; of one that is switched off everybody has the default, whatever is pinned, owned or ruled."`
	Description *string        `json:"description,omitzero" doc:"What it is, for people." jsonschema:"maxLength=500"`
}

func (s *Service) update() command.Definition {
	return command.Define(command.Spec[UpdateParams, Result]{
		Name:    "FEATURE.UPDATE",
		Summary: "Change the default or the rules of a feature, or switch it off or on; what is absent stays.",
		Access:  access.Holding(writing),
		Effect:  command.Writes,
		Emits:   []event.Kind{feature.KindUpdated},
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

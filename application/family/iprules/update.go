package iprules

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/patch"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/iprule"
)

// UpdateParams are the parameters of IP_RULE.UPDATE.
type UpdateParams struct {
	RuleID iprule.ID `json:"rule_id" doc:"The rule."`
	Change
}

// Change is what of a rule is to be changed; what is absent stays.
type Change struct {
	Action    *iprule.Action            `json:"action,omitzero" doc:"What to do with addresses of the range."`
	Note      *string                   `json:"note,omitzero" doc:"What it is for." jsonschema:"maxLength=500,example=Head office"`
	ExpiresAt patch.Optional[time.Time] `json:"expires_at,omitzero" doc:"From when on it is as if it were not there; null: never." nullable:"true" example:"-"`
	Enabled   *bool                     `json:"enabled,omitzero" doc:"Whether it is switched on." example:"-"`
}

func (c Change) of() iprule.Change {
	change := iprule.Change{Action: c.Action, Note: c.Note, Enabled: c.Enabled}
	switch {
	case !c.ExpiresAt.Given:
	case c.ExpiresAt.Value == nil:
		change.ExpiresAt = &time.Time{}
	default:
		at := c.ExpiresAt.Value.UTC().Truncate(time.Microsecond)
		change.ExpiresAt = &at
	}
	return change
}

func (s *Service) update() command.Definition {
	return command.Define(command.Spec[UpdateParams, Result]{
		Name:    "IP_RULE.UPDATE",
		Summary: "Change an address rule, or switch it on or off; what would lock its maker out is refused. Superadmins reach those of all workspaces.",
		Access:  access.Holding(writing).Recent(),
		Effect:  command.Writes,
		Emits:   []event.Kind{iprule.KindUpdated},
		Handle: func(ctx context.Context, call command.Call, p UpdateParams) (result Result, err error) {
			err = s.change(ctx, call, p.RuleID, func(tx Repos, rule *iprule.Rule) error {
				if err := rule.Update(p.of(), s.now()); err != nil {
					return err
				}
				result.Rule = show(rule.Snapshot())
				if !rule.Changed() {
					return nil
				}
				return tx.Rules.Save(ctx, rule)
			})
			return result, err
		},
	})
}

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
	RuleID iprule.ID `json:"rule_id" doc:"ID of the rule."`
	Change
}

// Change is what of a rule is to be changed; what is absent stays.
type Change struct {
	Action    *iprule.Action            `json:"action,omitzero" doc:"Action for addresses in the range."`
	Note      *string                   `json:"note,omitzero" doc:"Note on the purpose of the rule." jsonschema:"maxLength=500,example=Head office"`
	ExpiresAt patch.Optional[time.Time] `json:"expires_at,omitzero" doc:"When the rule expires. An expired rule is ignored. Null for a rule that does not expire." nullable:"true" example:"-"`
	Enabled   *bool                     `json:"enabled,omitzero" doc:"Whether the rule is enabled." example:"-"`
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
		Summary: "Update an address rule.",
		Description: "Changes, enables or disables the rule. A change that would lock out the address you call from is refused. Superadmins can update " +
			"the rules of all workspaces.",
		Access: access.Holding(writing).Recent(),
		Effect: command.Writes,
		Emits:  []event.Kind{iprule.KindUpdated},
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

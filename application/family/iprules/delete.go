package iprules

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/iprule"
)

// DeleteParams are the parameters of IP_RULE.DELETE.
type DeleteParams struct {
	RuleID iprule.ID `json:"rule_id" doc:"ID of the rule."`
}

// DeleteResult is the result of IP_RULE.DELETE.
type DeleteResult struct {
	Deleted bool `json:"deleted" doc:"Always true."`
}

func (s *Service) delete() command.Definition {
	return command.Define(command.Spec[DeleteParams, DeleteResult]{
		Name:        "IP_RULE.DELETE",
		Summary:     "Delete an address rule.",
		Description: "A deletion that would lock out the address you call from is refused. Superadmins can delete the rules of all workspaces.",
		Access:      access.Holding(writing).Recent(),
		Effect:      command.Writes,
		Emits:       []event.Kind{iprule.KindDeleted},
		Handle: func(ctx context.Context, call command.Call, p DeleteParams) (DeleteResult, error) {
			err := s.change(ctx, call, p.RuleID, func(tx Repos, rule *iprule.Rule) error {
				rule.Delete()
				return tx.Rules.Delete(ctx, rule)
			})
			if err != nil {
				return DeleteResult{}, err
			}
			return DeleteResult{Deleted: true}, nil
		},
	})
}

package users

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/user"
)

// SetRequiredActionsParams are the parameters of USER.SET_REQUIRED_ACTIONS.
type SetRequiredActionsParams struct {
	UserID  user.ID       `json:"user_id" doc:"The account."`
	Actions []user.Action `json:"actions" doc:"All that the person must do at the next login, in place of what was required until now; empty: nothing. verify_email asks nothing of somebody whose address is verified." jsonschema:"maxItems=3,uniqueItems=true"`
}

// SetRequiredActionsResult is the result of USER.SET_REQUIRED_ACTIONS.
type SetRequiredActionsResult struct {
	RequiredActions []user.Action `json:"required_actions" doc:"What is required now."`
}

func (s *Service) setRequiredActions() command.Definition {
	return command.Define(command.Spec[SetRequiredActionsParams, SetRequiredActionsResult]{
		Name:    "USER.SET_REQUIRED_ACTIONS",
		Summary: "Set what a person must do at the next login before tokens are issued; sessions that are open stay as they are.",
		Access:  access.Holding(manage),
		Effect:  command.Writes,
		Emits:   []event.Kind{user.KindRequiredActionsSet},
		Handle: func(ctx context.Context, call command.Call, p SetRequiredActionsParams) (SetRequiredActionsResult, error) {
			_, err := s.changed(ctx, call.Caller, p.UserID, func(_ Repos, u *user.User) error {
				u.Require(p.Actions, s.Clock.Now())
				return nil
			})
			return SetRequiredActionsResult{RequiredActions: append([]user.Action{}, p.Actions...)}, err
		},
	})
}

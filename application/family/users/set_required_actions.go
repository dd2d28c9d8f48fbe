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
	UserID  user.ID       `json:"user_id" doc:"ID of the account."`
	Actions []user.Action `json:"actions" doc:"Actions required at the next sign-in. Replaces the current list; an empty list requires nothing. verify_email has no effect if the address is verified." jsonschema:"maxItems=3,uniqueItems=true"`
}

// SetRequiredActionsResult is the result of USER.SET_REQUIRED_ACTIONS.
type SetRequiredActionsResult struct {
	RequiredActions []user.Action `json:"required_actions" doc:"Actions now required."`
}

func (s *Service) setRequiredActions() command.Definition {
	return command.Define(command.Spec[SetRequiredActionsParams, SetRequiredActionsResult]{
		Name:        "USER.SET_REQUIRED_ACTIONS",
		Summary:     "Set the actions that a user must complete at the next sign-in.",
		Description: "The user gets no tokens before completing them. Open sessions are not affected.",
		Access:      access.Holding(manage),
		Effect:      command.Writes,
		Emits:       []event.Kind{user.KindRequiredActionsSet},
		Handle: func(ctx context.Context, call command.Call, p SetRequiredActionsParams) (SetRequiredActionsResult, error) {
			_, err := s.changed(ctx, call.Caller, p.UserID, func(_ Repos, u *user.User) error {
				u.Require(p.Actions, s.Clock.Now())
				return nil
			})
			return SetRequiredActionsResult{RequiredActions: append([]user.Action{}, p.Actions...)}, err
		},
	})
}

package teams

import (
	"context"
	"errors"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/rolegrant"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/apikey"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// MemberRemoveParams are the parameters of TEAM.MEMBER_REMOVE.
type MemberRemoveParams struct {
	UserID user.ID `json:"user_id" doc:"ID of a member of the workspace."`
}

// RemovedResult is the result of TEAM.MEMBER_REMOVE.
type RemovedResult struct {
	Removed bool `json:"removed" doc:"Always true."`
}

const memberRemoveDescription = "The member loses all roles, groups and API keys in the workspace. Sessions that are active there continue in the " +
	"member's personal workspace.\n\n" +
	"You cannot remove the last owner, or a member who holds permissions that you do not hold."

func (s *Service) memberRemove() command.Definition {
	return command.Define(command.Spec[MemberRemoveParams, RemovedResult]{
		Name:        "TEAM.MEMBER_REMOVE",
		Summary:     "Remove a member from the workspace.",
		Description: memberRemoveDescription,
		Access:      access.Holding("members:write").Recent(),
		Effect:      command.Writes,
		Withdraws:   true,
		EndsOwn:     func(caller access.Caller, p MemberRemoveParams) bool { return p.UserID == caller.User },
		Emits:       []event.Kind{workspace.KindMemberRemoved, apikey.KindRevoked},
		Handle: func(ctx context.Context, call command.Call, p MemberRemoveParams) (RemovedResult, error) {
			err := s.Unit.Do(ctx, func(tx Repos) error {
				book, err := rolegrant.Hold(ctx, tx.Books, call.Caller, call.Caller.Org)
				if err != nil {
					return err
				}
				held, err := tx.Books.Holding(ctx, call.Caller.Org, p.UserID)
				if err != nil {
					return err
				}
				if err := rolegrant.Touch(call.Caller, book, held, s.Clock.Now()); err != nil {
					return err
				}
				m, err := tx.Workspaces.Member(ctx, call.Caller.Org, p.UserID)
				if err != nil {
					return err
				}
				return tx.membership().End(ctx, m, call.Caller.User, s.Clock.Now())
			})
			if err != nil {
				return RemovedResult{}, err
			}
			return RemovedResult{Removed: true}, nil
		},
	})
}

// noMember refuses somebody who belongs to the workspace already.
func noMember(ctx context.Context, tx Repos, p MemberAddParams) error {
	_, err := tx.Workspaces.Member(ctx, p.OrgID, p.UserID)
	switch {
	case err == nil:
		return errMemberAlready
	case errors.Is(err, workspace.ErrNotMember):
		return nil
	}
	return err
}

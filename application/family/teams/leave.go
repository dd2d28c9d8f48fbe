package teams

import (
	"context"
	"errors"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/apikey"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/workspace"
)

var errOwnHome = fault.New(fault.Validation, "you cannot leave your personal workspace: it is deleted with your account")

// LeaveParams are the parameters of TEAM.LEAVE.
type LeaveParams struct {
	OrgID workspace.ID `json:"org_id" doc:"ID of the workspace to leave."`
}

// LeaveResult is the result of TEAM.LEAVE.
type LeaveResult struct {
	Left bool `json:"left" doc:"Always true."`
}

const leaveDescription = "Your API keys in the workspace are revoked. Sessions that are active there continue in your personal workspace. The last " +
	"owner cannot leave."

func (s *Service) leave() command.Definition {
	return command.Define(command.Spec[LeaveParams, LeaveResult]{
		Name:        "TEAM.LEAVE",
		Summary:     "Leave a workspace.",
		Description: leaveDescription,
		Access:      access.User().InPerson(),
		Effect:      command.Writes,
		Withdraws:   true,
		EndsOwn:     func(caller access.Caller, p LeaveParams) bool { return p.OrgID == caller.Org },
		Emits:       []event.Kind{workspace.KindMemberRemoved, apikey.KindRevoked},
		Handle: func(ctx context.Context, call command.Call, p LeaveParams) (LeaveResult, error) {
			err := s.Unit.Do(ctx, func(tx Repos) error {
				m, err := tx.Workspaces.Member(ctx, p.OrgID, call.Caller.User)
				if errors.Is(err, workspace.ErrNotMember) {
					return workspace.ErrNotFound
				}
				if err != nil {
					return err
				}
				err = tx.membership().End(ctx, m, call.Caller.User, s.Clock.Now())
				if errors.Is(err, workspace.ErrPersonal) {
					return errOwnHome
				}
				return err
			})
			if err != nil {
				return LeaveResult{}, err
			}
			return LeaveResult{Left: true}, nil
		},
	})
}

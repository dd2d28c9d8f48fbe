package teams

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/rolegrant"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/people"
)

var errMemberAlready = fault.Unfit("/user_id", "is already a member: use USER.SET_ROLE to assign a role")

// MemberAddParams are the parameters of TEAM.MEMBER_ADD.
type MemberAddParams struct {
	UserID user.ID      `json:"user_id" doc:"ID of an existing account."`
	Role   string       `json:"role" doc:"Name of the role to assign. See ROLE.LIST." jsonschema:"minLength=1,maxLength=64,example=member"`
	OrgID  workspace.ID `json:"org_id" doc:"ID of the workspace. Only superadmins can name a workspace other than the active one."`
}

// MemberResult is a member after a change.
type MemberResult struct {
	Member view.Member `json:"member" doc:"The new member."`
}

func (s *Service) memberAdd() command.Definition {
	return command.Define(command.Spec[MemberAddParams, MemberResult]{
		Name:        "TEAM.MEMBER_ADD",
		Summary:     "Add an existing account to a workspace, without an invitation.",
		Description: "You must hold every permission that the role grants.",
		Access:      access.Holding("users:manage").Recent(),
		Effect:      command.Writes,
		Emits:       []event.Kind{workspace.KindMemberAdded},
		Handle: func(ctx context.Context, call command.Call, p MemberAddParams) (MemberResult, error) {
			now := s.Clock.Now()
			var added view.Member
			err := s.Unit.Do(ctx, func(tx Repos) error {
				book, err := rolegrant.Hold(ctx, tx.Books, call.Caller, p.OrgID)
				if err != nil {
					return err
				}
				given, err := rolegrant.AllowIn(book, call.Caller, p.Role)
				if err != nil {
					return err
				}
				u, err := tx.Users.ByID(ctx, p.UserID)
				if err != nil {
					return err
				}
				if err := noMember(ctx, tx, p); err != nil {
					return err
				}
				m := workspace.JoinOther(p.OrgID, p.UserID, given.Ref(), now)
				added = view.OfMember(people.Member{User: u.Snapshot(), MemberSnapshot: m.Snapshot()}, book, now)
				return tx.Workspaces.SaveMember(ctx, m)
			})
			return MemberResult{Member: added}, err
		},
	})
}

package groups

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/group"
	"gatehouse.internal/domain/user"
)

// MembersParams are the parameters of GROUP.MEMBER_ADD and GROUP.MEMBER_REMOVE.
type MembersParams struct {
	GroupID group.ID  `json:"group_id" doc:"ID of the group."`
	UserIDs []user.ID `json:"user_ids" doc:"IDs of members of the workspace." jsonschema:"minItems=1,maxItems=100,uniqueItems=true"`
}

// AddResult is the result of GROUP.MEMBER_ADD.
type AddResult struct {
	Added int `json:"added" doc:"Number of members who were not in the group before."`
}

func (s *Service) memberAdd() command.Definition {
	return command.Define(command.Spec[MembersParams, AddResult]{
		Name:        "GROUP.MEMBER_ADD",
		Summary:     "Add members of the workspace to a group.",
		Description: "Either all of them are added or none. You must hold everything that the group grants.",
		Access:      access.Holding(writing).Recent(),
		Effect:      command.Writes,
		Emits:       []event.Kind{group.KindMemberAdded},
		Handle: func(ctx context.Context, call command.Call, p MembersParams) (result AddResult, err error) {
			err = s.Unit.Do(ctx, func(tx Repos) error {
				book, g, err := held(ctx, tx, call.Caller, p.GroupID)
				if err != nil {
					return err
				}
				if err := covers(call.Caller, book, g); err != nil {
					return err
				}
				added, err := tx.Groups.Add(ctx, g.Snapshot(), p.UserIDs, s.now())
				result.Added = len(added)
				return err
			})
			return result, err
		},
	})
}

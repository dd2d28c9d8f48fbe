package groups

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/rolegrant"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/group"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/workspaces"
)

// RemoveResult is the result of GROUP.MEMBER_REMOVE.
type RemoveResult struct {
	Removed int `json:"removed" doc:"Number of members who were in the group."`
}

const memberRemoveDescription = "Either all of them are removed or none. Members who are not in the group are ignored. Removed members lose what the " +
	"group granted.\n\n" +
	"You must hold everything that the group grants, and everything that the members hold."

func (s *Service) memberRemove() command.Definition {
	return command.Define(command.Spec[MembersParams, RemoveResult]{
		Name:        "GROUP.MEMBER_REMOVE",
		Summary:     "Remove members from a group.",
		Description: memberRemoveDescription,
		Access:      access.Holding(writing).Recent(),
		Effect:      command.Writes,
		Withdraws:   true,
		Emits:       []event.Kind{group.KindMemberRemoved},
		Handle: func(ctx context.Context, call command.Call, p MembersParams) (result RemoveResult, err error) {
			err = s.Unit.Do(ctx, func(tx Repos) error {
				book, g, err := held(ctx, tx, call.Caller, p.GroupID)
				if err != nil {
					return err
				}
				if err := covers(call.Caller, book, g); err != nil {
					return err
				}
				if err := p.each(ctx, tx, call.Caller.Org, p.judge(call.Caller, book, s.now())); err != nil {
					return err
				}
				removed, err := tx.Groups.Remove(ctx, g.Snapshot(), p.UserIDs)
				result.Removed = len(removed)
				return err
			})
			return result, err
		},
	})
}

// judge fails where a caller may not take people out of a group that grants something.
// Out of any other they lose nothing.
func (p MembersParams) judge(caller access.Caller, book *role.Book, now time.Time) func(workspaces.Member) error {
	grants := len(book.Of(p.GroupID)) > 0
	return func(m workspaces.Member) error {
		if !grants {
			return nil
		}
		return rolegrant.Touch(caller, book, m, now)
	}
}

// each calls do with each member that is named. It fails with workspace.ErrNotMember.
func (p MembersParams) each(ctx context.Context, tx Repos, org workspace.ID, do func(workspaces.Member) error) error {
	for _, person := range p.UserIDs {
		member, err := tx.Books.Holding(ctx, org, person)
		if err != nil {
			return err
		}
		if err := do(member); err != nil {
			return err
		}
	}
	return nil
}
